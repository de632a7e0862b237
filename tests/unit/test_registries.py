"""The registries: every path leads to a function, entries fit together, and no words are missing."""

import dataclasses
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from heldout.checks.entry import Check
from heldout.checks.registry import CHECKS
from heldout.estimates.interval_registry import INTERVALS, Interval
from heldout.estimates.lookup import available_kind, estimator_names, kinds_needed, selector_names
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.targets import MEANING
from heldout.measures.registry import LOSSES, Loss
from heldout.registries import resolve
from heldout.resampling.kinds import FOLDS, FOLDS_WHOLE, FULL, HALVES, KINDS, PAIRS, ROUNDS

ROOT = Path(__file__).parents[2]
REGISTRIES = (ESTIMATORS, INTERVALS, LOSSES, CHECKS)
PATHS = {
    *(path for e in ESTIMATORS.values() for path in (e.fixed, e.tuned) if path),
    *(path for i in INTERVALS.values() for path in (i.refuses, i.bounds)),
    *(loss.function for loss in LOSSES.values()),
    *(check.function for check in CHECKS.values()),
}


@pytest.mark.parametrize("path", sorted(PATHS))
def test_every_dotted_path_leads_to_a_function(path: str) -> None:
    assert callable(resolve(path))
    assert resolve(path).__module__ == path.partition(":")[0]


@pytest.mark.parametrize(
    "registry", REGISTRIES, ids=["estimators", "intervals", "losses", "checks"]
)
def test_entries_have_the_names_they_are_listed_by(registry: dict) -> None:
    assert [getattr(e, "name", None) or e.code for e in registry.values()] == list(registry)


# --- estimators --------------------------------------------------------------------------------


def test_every_interval_that_an_estimator_tries_was_derived_for_it() -> None:
    for estimator in ESTIMATORS.values():
        for name in estimator.intervals:
            assert estimator.name in INTERVALS[name].derived_for, (estimator.name, name)


def test_an_audit_compares_every_interval_with_a_quantity_that_its_estimator_aims_at() -> None:
    for interval in INTERVALS.values():
        for name, targets in interval.derived_for.items():
            assert targets
            assert set(targets) <= set(ESTIMATORS[name].aims), (interval.name, name)
            assert interval.target(name)


def test_estimators_fit_together() -> None:
    for estimator in ESTIMATORS.values():
        assert {*estimator.kinds, estimator.judges} <= set(KINDS)
        assert set(estimator.aims) <= set(MEANING)
        assert estimator.fixed or estimator.tuned or estimator.name == "test"
        if estimator.comes_with:
            assert estimator.comes_with in estimator_names()
            assert set(estimator.kinds) <= set(ESTIMATORS[estimator.comes_with].kinds)


def test_no_two_estimators_have_the_same_place_in_the_headline() -> None:
    places = [e.headline for e in ESTIMATORS.values() if e.headline is not None]
    assert max(Counter(places).values()) == 1


def test_what_selects_judges_held_out_sets_at_a_fixed_theta() -> None:
    assert selector_names() == ["holdout", "kfold", "loo", "montecarlo", "bootstrap", "rolling"]
    assert all(
        ESTIMATORS[name].fixed and ESTIMATORS[name].judges != FULL for name in selector_names()
    )


def test_kinds_are_needed_once_in_a_fixed_order() -> None:
    assert kinds_needed(["nested_cv", "kfold", "training"]) == [FULL, FOLDS, PAIRS]
    assert kinds_needed(["kfold_adjusted", "kfold"]) == [FULL, FOLDS_WHOLE]
    assert kinds_needed(["nested_dev", "nested_cv"]) == [FOLDS, PAIRS]
    assert kinds_needed(["montecarlo"], halvings=2) == [ROUNDS, HALVES]
    assert kinds_needed(["test"]) == []


def test_a_wider_kind_stands_in_for_a_missing_one() -> None:
    assert available_kind(FOLDS, {FOLDS, FOLDS_WHOLE}) == FOLDS
    assert available_kind(FOLDS, {FOLDS_WHOLE}) == FOLDS_WHOLE
    assert available_kind(FOLDS_WHOLE, {FOLDS}) is None


# --- words -------------------------------------------------------------------------------------


def _required(field: "dataclasses.Field[object]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


@pytest.mark.parametrize("kind", [Interval, Check, Loss])
def test_an_entry_with_a_field_left_out_is_impossible(kind: type) -> None:
    entry = {Interval: INTERVALS["t"], Check: CHECKS["H001"], Loss: LOSSES["squared"]}[kind]
    given = {field.name: getattr(entry, field.name) for field in dataclasses.fields(entry)}
    required = [one.name for one in dataclasses.fields(entry) if _required(one)]
    assert "title" in required
    for name in required:
        with pytest.raises(TypeError, match=name):
            kind(**{key: value for key, value in given.items() if key != name})


def test_an_estimator_without_a_target_is_impossible() -> None:
    with pytest.raises(ValueError, match="no target"):
        dataclasses.replace(ESTIMATORS["kfold"], target=" ")


@pytest.mark.parametrize("field", ["title", "meaning", "formula", "reference", "url"])
def test_an_estimator_or_interval_without_words_is_impossible(field: str) -> None:
    for entry in (ESTIMATORS["kfold"], INTERVALS["conservative_z"]):
        with pytest.raises(ValueError, match=f"no {field}"):
            dataclasses.replace(entry, **{field: " "})


def test_unknown_roles_and_severities_are_impossible() -> None:
    with pytest.raises(ValueError, match="unknown role 'honset'"):
        dataclasses.replace(ESTIMATORS["kfold"], role="honset")
    with pytest.raises(ValueError, match="unknown severity 'bad'"):
        dataclasses.replace(CHECKS["H001"], severity="bad")


def test_every_estimator_has_a_page_and_no_page_is_left_over() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "estimators").glob("*.md")}
    assert pages == set(ESTIMATORS)


# --- what they import --------------------------------------------------------------------------

LEAN = """
import sys
import heldout.checks.registry, heldout.config.reference, heldout.results.glossary
from heldout.execution.study import Study
Study({"tasks": {"t": {"data": "d.csv", "target": "y", "loss": "zero_one", "learners": ["knn"],
    "estimators": %r, "montecarlo": {"halvings": 2}, "select": {"by": "kfold"}}}})
print({"numpy", "scipy", "sklearn", "pandas", "pyarrow"} & set(sys.modules))
"""


NOT_IN_TIME = [name for name in estimator_names() if not ESTIMATORS[name].only_in_time]


def test_configs_pages_and_glossary_need_neither_numpy_nor_scikit_learn() -> None:
    command = [sys.executable, "-c", LEAN % NOT_IN_TIME]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
