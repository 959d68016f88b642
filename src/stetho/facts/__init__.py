"""The kinds of fact that evidence can hold, one file to a family. Checks read these and nothing else.

A fact says what was measured, never what it means; what is None or absent is not known. Each class has a name
(`fact`), by which evidence in a ledger finds it again, and fields that survive a round trip through JSON.
"""

from __future__ import annotations

from stetho.facts.checkpoints import Checkpoint, Checkpoints, WeightFlaw
from stetho.facts.collectives import Collective, Collectives, GroupProgress
from stetho.facts.data import Association, Feature, InputScale, Labels, RawSample, RawSamples
from stetho.facts.ending import Crash, RunEnd, SourceLines
from stetho.facts.fact import Amount, ClassCount, Fact, Setting
from stetho.facts.gradients import Clipping, GradientNorms, GradientReset, LayerGradient, LayerGradients, SkippedSteps
from stetho.facts.loading import Fingerprints, Loader, Loaders
from stetho.facts.logged import LoggedCurve, Metrics, Pace, Resumption, Resumptions, Scores, ValidationLoss
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
    "Fact",
    "Feature",
    "Fingerprints",
    "FirstLoss",
    "GradientNorms",
    "GradientReset",
    "GraphGrowth",
    "GroupProgress",
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
    "LoggedCurve",
    "Loop",
    "LossCurve",
    "LossInput",
    "LossInputs",
    "LossTerm",
    "LossTerms",
    "Machine",
    "Memory",
    "Metrics",
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
    "ParameterStates",
    "Pattern",
    "PredictedClasses",
    "Predictions",
    "RankAgreement",
    "RankArrival",
    "RankRun",
    "RankWaiting",
    "Ranks",
    "RawSample",
    "RawSamples",
    "Recorded",
    "ReportedEnd",
    "Resumed",
    "Resumption",
    "Resumptions",
    "RunEnd",
    "RunSetup",
    "SchedulerUse",
    "Scores",
    "Seed",
    "Seeds",
    "Setting",
    "SkippedSteps",
    "SourceLines",
    "StepTimes",
    "Types",
    "Unlocalised",
    "UpdateRatios",
    "ValidationLoss",
    "WeightFlaw",
    "WeightStatistics",
]

FACTS: dict[str, type[Fact]] = {c.fact: c for c in Fact.__subclasses__()}
