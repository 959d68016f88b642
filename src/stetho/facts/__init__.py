"""The kinds of fact that evidence can hold, one file to a family. Checks read these and nothing else.

A fact says what was measured, never what it means; what is None or absent is not known. Each class has a name
(`fact`), by which evidence in a ledger finds it again, and fields that survive a round trip through JSON.
"""

from __future__ import annotations

from stetho.facts.checkpoints import Checkpoint, Checkpoints, WeightFlaw
from stetho.facts.collectives import Collective, Collectives, GroupProgress, RankCall, RankCalls
from stetho.facts.data import Association, Feature, InputScale, Labels, RawSample, RawSamples
from stetho.facts.ending import Crash, RunEnd, SourceLines
from stetho.facts.fact import Amount, ClassCount, Fact, Setting
from stetho.facts.folder import CheckpointFile, CheckpointFiles, DiskPlace, Disks, LogTail
from stetho.facts.gpus import Gpu, GpuProcess, Gpus
from stetho.facts.gradients import Clipping, GradientNorms, GradientReset, LayerGradient, LayerGradients, SkippedSteps
from stetho.facts.kernel import KernelEvent, KernelLog
from stetho.facts.limits import ResourceLimits
from stetho.facts.loading import Fingerprints, Loader, Loaders
from stetho.facts.log import (
    LoggedException,
    LoggedNonfinite,
    LoggedWarnings,
    Progress,
    RareLines,
    RepeatedLine,
    Restarts,
    Statement,
    Statements,
    TimeGap,
    Tracebacks,
    Whereabouts,
)
from stetho.facts.logged import LoggedCurve, Metrics, Pace, Resumption, Resumptions, Scores, ValidationLoss
from stetho.facts.loss import FirstLoss, LossCurve, LossTerm, LossTerms
from stetho.facts.loss_calls import ClassShare, LossInput, LossInputs, PredictedClasses, Predictions
from stetho.facts.nonfinite import NonfiniteOrigin, NonfiniteSteps, Unlocalised
from stetho.facts.packages import Misfit, Package, PythonPackages
from stetho.facts.parameters import Coverage, ParameterStates, Types
from stetho.facts.procedure import (
    CallOrder,
    Detached,
    GraphGrowth,
    GroupRate,
    LearningRate,
    ModeCalls,
    Modes,
    ModeUse,
    Pattern,
    SchedulerUse,
)
from stetho.facts.processes import (
    Frame,
    Processes,
    ProcessState,
    SavedStack,
    SavedStacks,
    Standstill,
    ThreadStack,
    Waiting,
)
from stetho.facts.ranks import RankAgreement, RankArrival, RankRun, Ranks, RankWaiting
from stetho.facts.reported import Config, ConfigValue, ReportedEnd
from stetho.facts.run import (
    Loop,
    Machine,
    Memory,
    Model,
    Models,
    Optimizers,
    OptimizerUse,
    Recorded,
    RunSetup,
    StepTimes,
)
from stetho.facts.scheduler import JobState, SchedulerJob
from stetho.facts.start import Load, Resumed, Seed, Seeds
from stetho.facts.weights import (
    Activations,
    LayerActivations,
    LayerUpdate,
    LayerUpdates,
    LayerWeights,
    Moments,
    OptimizerState,
    UpdateRatios,
    WeightStatistics,
)

__all__ = [
    "FACTS",
    "Activations",
    "Amount",
    "Association",
    "CallOrder",
    "Checkpoint",
    "CheckpointFile",
    "CheckpointFiles",
    "Checkpoints",
    "ClassCount",
    "ClassShare",
    "Clipping",
    "Collective",
    "Collectives",
    "Config",
    "ConfigValue",
    "Coverage",
    "Crash",
    "Detached",
    "DiskPlace",
    "Disks",
    "Fact",
    "Feature",
    "Fingerprints",
    "FirstLoss",
    "Frame",
    "Gpu",
    "GpuProcess",
    "Gpus",
    "GradientNorms",
    "GradientReset",
    "GraphGrowth",
    "GroupProgress",
    "GroupRate",
    "InputScale",
    "JobState",
    "KernelEvent",
    "KernelLog",
    "Labels",
    "LayerActivations",
    "LayerGradient",
    "LayerGradients",
    "LayerUpdate",
    "LayerUpdates",
    "LayerWeights",
    "LearningRate",
    "Load",
    "Loader",
    "Loaders",
    "LogTail",
    "LoggedCurve",
    "LoggedException",
    "LoggedNonfinite",
    "LoggedWarnings",
    "Loop",
    "LossCurve",
    "LossInput",
    "LossInputs",
    "LossTerm",
    "LossTerms",
    "Machine",
    "Memory",
    "Metrics",
    "Misfit",
    "ModeCalls",
    "ModeUse",
    "Model",
    "Models",
    "Modes",
    "Moments",
    "NonfiniteOrigin",
    "NonfiniteSteps",
    "OptimizerState",
    "OptimizerUse",
    "Optimizers",
    "Pace",
    "Package",
    "ParameterStates",
    "Pattern",
    "PredictedClasses",
    "Predictions",
    "ProcessState",
    "Processes",
    "Progress",
    "PythonPackages",
    "RankAgreement",
    "RankArrival",
    "RankCall",
    "RankCalls",
    "RankRun",
    "RankWaiting",
    "Ranks",
    "RareLines",
    "RawSample",
    "RawSamples",
    "Recorded",
    "RepeatedLine",
    "ReportedEnd",
    "ResourceLimits",
    "Restarts",
    "Resumed",
    "Resumption",
    "Resumptions",
    "RunEnd",
    "RunSetup",
    "SavedStack",
    "SavedStacks",
    "SchedulerJob",
    "SchedulerUse",
    "Scores",
    "Seed",
    "Seeds",
    "Setting",
    "SkippedSteps",
    "SourceLines",
    "Standstill",
    "Statement",
    "Statements",
    "StepTimes",
    "ThreadStack",
    "TimeGap",
    "Tracebacks",
    "Types",
    "Unlocalised",
    "UpdateRatios",
    "ValidationLoss",
    "Waiting",
    "WeightFlaw",
    "WeightStatistics",
    "Whereabouts",
]

FACTS: dict[str, type[Fact]] = {c.fact: c for c in Fact.__subclasses__()}
