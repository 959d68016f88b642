"""Writes databases as MLflow and Trackio do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

MLFLOW = """
CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL, name VARCHAR(250), status VARCHAR(9), start_time BIGINT,
  end_time BIGINT, lifecycle_stage VARCHAR(20), PRIMARY KEY (run_uuid));
CREATE TABLE metrics ("key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
  run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL);
CREATE TABLE params ("key" VARCHAR(250) NOT NULL, value VARCHAR(8000) NOT NULL, run_uuid VARCHAR(32) NOT NULL);
"""
TRACKIO = """
CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, timestamp TEXT NOT NULL,
  run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL);
CREATE TABLE system_metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, timestamp TEXT NOT NULL,
  run_name TEXT NOT NULL, metrics TEXT NOT NULL);
CREATE TABLE configs (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, run_name TEXT NOT NULL,
  config TEXT NOT NULL, created_at TEXT NOT NULL);
"""


def database(file: Path, script: str, **tables: list[tuple[object, ...]]) -> bytes:
    """The bytes of a database with these rows, in small pages."""
    file.unlink(missing_ok=True)
    connection = sqlite3.connect(file)
    connection.executescript(f"PRAGMA page_size = 512; {script}")
    for table, rows in tables.items():
        for row in rows:
            connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    connection.commit()
    connection.close()
    return file.read_bytes()
