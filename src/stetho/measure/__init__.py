"""From a recording to facts: arithmetic only, no judgement. The files mirror the families of `stetho.facts`."""

from __future__ import annotations

from collections.abc import Iterator

from stetho.measure.association import association
from stetho.measure.data import input_scale, labels, raw_samples
from stetho.measure.evaluation import evaluations
from stetho.measure.gradients import (
    clipping,
    gradient_noise,
    gradient_norms,
    gradient_reset,
    layer_gradients,
    skipped_steps,
)
from stetho.measure.hand_gradients import hand_gradients
from stetho.measure.held_out import overlap
from stetho.measure.history import kept_graphs, refused_backward
from stetho.measure.influence import influence
from stetho.measure.loading import fingerprints, loaders, training_set
from stetho.measure.loss import first_loss, loss_curve, loss_terms, step_losses
from stetho.measure.loss_calls import class_recalls, loss_inputs, plain_loss, predictions
from stetho.measure.lost_rank import alone
from stetho.measure.nonfinite import nonfinite_steps, origin, unlocalised
from stetho.measure.numbering import class_numberings
from stetho.measure.output_ranges import output_ranges
from stetho.measure.pace import pace
from stetho.measure.parameters import coverage, frozen, graph_cuts, parameter_states, types
from stetho.measure.procedure import (
    call_order,
    detached,
    dropped_in_evaluation,
    graph_growth,
    learning_rate,
    modes,
)
from stetho.measure.ranks import rank_facts
from stetho.measure.reach import reach
from stetho.measure.run import memory, models, optimizers, recorded, run_setup, step_times
from stetho.measure.saturated import saturated
from stetho.measure.schedule import rate_and_loss
from stetho.measure.series import Measured, main_steps, optimizer_name, taken
from stetho.measure.shift import input_shift
from stetho.measure.siblings import siblings
from stetho.measure.start import resumed, saved_states, seeds, weights_read
from stetho.measure.telling import telling_feature
from stetho.measure.units import input_units
from stetho.measure.weights import (
    activations,
    layer_updates,
    optimizer_state,
    rounded_updates,
    updates,
    weight_statistics,
)
from stetho.measure.windows import series_windows
from stetho.recording import Recording, Step

__all__ = ["Measured", "facts", "main_steps", "optimizer_name", "rank_facts", "taken"]


def facts(recording: Recording, *, relate: bool = True) -> Iterator[Measured]:
    """Every fact that a recording holds, each with a sentence that says it; each kind comes at most once."""
    steps = main_steps(recording)
    found = alone(recording.ranks)
    # Where one rank alone was lost, only its own record knows of what.
    spoilt = recording if found is None else recording.ranks[found[0]]
    learned = [*judged(recording, steps, relate, spoilt), *about_learning(recording, steps, spoilt)]
    yield from learned
    yield from about_data(recording, relate)
    run = list(about_run(recording, steps))
    yield from run
    procedure = list(about_procedure(recording, steps))
    yield from procedure
    if relate:
        yield from reach(recording, [fact for fact, _ in (*learned, *procedure)])
    ranks = list(rank_facts(recording.ranks))
    yield from ranks
    yield from pace([*run, *ranks])


def judged(recording: Recording, steps: list[Step], relate: bool, spoilt: Recording) -> Iterator[Measured]:
    """What checks of long standing read; it comes first, so that its evidence has the small numbers."""
    if not steps:
        return
    yield from loss_curve(recording, steps)
    yield from loss_inputs(recording)
    yield from gradient_reset(recording, steps)
    yield from coverage(recording)
    yield from updates(steps)
    yield from learning_rate(recording, steps)
    yield from rate_and_loss(recording, steps)
    yield from gradient_norms(steps)
    yield from input_scale(spoilt)
    yield from origin(spoilt, main_steps(spoilt))
    if relate:
        yield from association(recording)


def about_learning(recording: Recording, steps: list[Step], spoilt: Recording) -> Iterator[Measured]:
    """First losses, terms of the loss, gradients, weights and activations."""
    yield from first_loss(recording, steps)
    yield from loss_terms(recording, steps)
    yield from step_losses(recording, steps)
    yield from predictions(recording)
    yield from plain_loss(recording)
    yield from output_ranges(recording)
    yield from clipping(steps)
    yield from skipped_steps(recording)
    yield from layer_gradients(recording)
    yield from gradient_noise(recording, steps)
    yield from layer_updates(recording)
    yield from rounded_updates(recording)
    yield from weight_statistics(recording)
    yield from optimizer_state(recording, steps)
    yield from activations(recording)
    yield from nonfinite_steps(recording, steps)
    yield from unlocalised(spoilt, main_steps(spoilt))
    yield from influence(recording)
    yield from hand_gradients(recording)


def about_data(recording: Recording, relate: bool) -> Iterator[Measured]:
    """Samples, labels, loaders and what came again."""
    yield from raw_samples(recording)
    yield from labels(recording)
    yield from loaders(recording)
    yield from class_recalls(recording)
    yield from fingerprints(recording)
    yield from training_set(recording)
    yield from overlap(recording)
    yield from evaluations(recording)
    yield from class_numberings(recording)
    yield from input_shift(recording)
    yield from input_units(recording)
    yield from series_windows(recording)
    if relate:
        yield from telling_feature(recording)
        yield from siblings(recording)
        yield from saturated(recording)


def about_run(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """Command, models, optimizers, time, memory, and how much is on record."""
    yield from run_setup(recording)
    yield from models(recording)
    yield from optimizers(recording)
    yield from step_times(steps)
    yield from memory(recording)
    yield from recorded(recording, steps)


def about_procedure(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """Order of calls, modes, parameters, graphs, and where the run starts from."""
    yield from call_order(recording, steps)
    yield from parameter_states(recording)
    yield from graph_cuts(recording)
    yield from frozen(recording)
    yield from modes(recording)
    yield from dropped_in_evaluation(recording)
    yield from detached(recording)
    yield from types(recording)
    yield from graph_growth(recording)
    yield from kept_graphs(recording)
    yield from refused_backward(recording)
    yield from resumed(recording)
    yield from weights_read(recording)
    yield from saved_states(recording)
    yield from seeds(recording)
