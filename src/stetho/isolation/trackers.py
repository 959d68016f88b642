"""Trackers and hubs, switched off by their own variables: also where an experiment may use the network."""

from __future__ import annotations

from collections.abc import Mapping

# Nothing listens there, so a client that insists on a server is refused at once.
NOWHERE = "http://127.0.0.1:9"
SWITCHES: dict[str, tuple[str, str]] = {
    "WANDB_MODE": ("disabled", "runs become empty shells: no process of its own, no file, no upload"),
    "WANDB_BASE_URL": (NOWHERE, "a program that sets its mode itself finds no server"),
    "WEAVE_DISABLED": ("true", "its traces go to the same servers"),
    "COMET_MODE": ("disabled", "calls do nothing"),
    "COMET_AUTO_LOG_DISABLE": ("1", "it logs by itself when frameworks are imported"),
    "COMET_URL_OVERRIDE": (NOWHERE, "an Experiment made in the old way asks for a server"),
    "NEPTUNE_MODE": ("debug", "calls are checked and nothing is kept"),
    "CLEARML_OFFLINE_MODE": ("1", "tasks are kept in a folder, which is in the scratch"),
    "SWANLAB_MODE": ("disabled", "calls do nothing"),
    "DVC_STUDIO_OFFLINE": ("true", "DVCLive writes files, and posts nothing to Studio"),
    "DVC_NO_ANALYTICS": ("true", "usage is reported by a process that outlives the program"),
    "POLYAXON_NO_OP": ("true", "calls do nothing"),
    "HF_TOKEN_PATH": ("/dev/null", "without a token nothing can be pushed; public files and the cache can be read"),
    "HF_HUB_DISABLE_TELEMETRY": ("1", "usage is reported when libraries are imported"),
    "RAY_USAGE_STATS_ENABLED": ("0", "usage is reported when Ray starts"),
    "GRADIO_ANALYTICS_ENABLED": ("False", "usage is reported when an interface is made"),
    "LANGSMITH_TRACING": ("false", "traces of calls are uploaded"),
    "OTEL_SDK_DISABLED": ("true", "spans and metrics are exported to a collector"),
}
# Set by the user, they name a server or open it; emptied rather than removed, as programs may insist on them.
EMPTIED = {
    "HF_TOKEN": "with it, push_to_hub would upload",
    "HUGGING_FACE_HUB_TOKEN": "its older name",
    "SENTRY_DSN": "errors are reported there",
}
# Without them, the library keeps what it is given in a local folder, and that is in the scratch.
REMOVED = {
    "MLFLOW_TRACKING_URI": "else runs are logged to that server",
    "MLFLOW_REGISTRY_URI": "else models are registered there",
    "TRACKIO_SPACE_ID": "else runs are synchronised with that Space",
    "AIM_REPO": "else runs are tracked by that server",
}


def quiet(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which no tracker and no hub hears of the run.

    What has no variable has the network closed to it: TensorBoard and Aim write files alone, and a server that the
    code itself names cannot be reached. HF_HUB_OFFLINE is not set: it changes what libraries do with their cache.
    """
    kept = {name: value for name, value in environment.items() if name not in REMOVED}
    emptied = {name: "" for name in EMPTIED if name in environment}
    return {**kept, **emptied, **{name: value for name, (value, _) in SWITCHES.items()}}
