"""A Python that starts another, which trains."""

import subprocess
import sys
from pathlib import Path

subprocess.run([sys.executable, Path(__file__).with_name("loop.py")], check=True)
