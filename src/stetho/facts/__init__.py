"""The kinds of fact that evidence can hold, one file to a family. Checks read these and nothing else.

A fact says what was measured, never what it means; what is None or absent is not known. Each class has a name
(`fact`), by which evidence in a ledger finds it again, and fields that survive a round trip through JSON.
"""

from __future__ import annotations

from stetho.facts.data import Association, Feature, InputScale, Labels, RawSample, RawSamples
from stetho.facts.ending import Crash, RunEnd, SourceLines
from stetho.facts.fact import Amount, ClassCount, Fact, Setting
from stetho.facts.gradients import Clipping, GradientNorms, GradientReset, LayerGradient, LayerGradients, SkippedSteps
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
)
from stetho.facts.loss import FirstLoss, LossCurve, LossTerm, LossTerms
from stetho.facts.loss_calls import ClassShare, LossInput, LossInputs, PredictedClasses, Predictions
from stetho.facts.nonfinite import NonfiniteOrigin, NonfiniteSteps, Unlocalised
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
from stetho.facts.ranks import RankAgreement, RankArrival, RankRun, Ranks, RankWaiting
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
    "ClassCount",
    "ClassShare",
    "Clipping",
    "Coverage",
    "Crash",
    "Detached",
    "Fact",
    "Feature",
    "Fingerprints",
    "FirstLoss",
    "GradientNorms",
    "GradientReset",
    "GraphGrowth",
    "GroupRate",
    "InputScale",
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
    "ParameterStates",
    "Pattern",
    "PredictedClasses",
    "Predictions",
    "Progress",
    "RankAgreement",
    "RankArrival",
    "RankRun",
    "RankWaiting",
    "Ranks",
    "RareLines",
    "RawSample",
    "RawSamples",
    "Recorded",
    "RepeatedLine",
    "Restarts",
    "Resumed",
    "RunEnd",
    "RunSetup",
    "SchedulerUse",
    "Seed",
    "Seeds",
    "Setting",
    "SkippedSteps",
    "SourceLines",
    "Statement",
    "Statements",
    "StepTimes",
    "TimeGap",
    "Tracebacks",
    "Types",
    "Unlocalised",
    "UpdateRatios",
    "WeightStatistics",
]

FACTS: dict[str, type[Fact]] = {c.fact: c for c in Fact.__subclasses__()}
