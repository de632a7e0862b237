"""The rule that chooses θ in the outer folds of nested CV is the rule that chooses it outside.

Both against plain loops over scikit-learn fits: `one_se` and `first_local_min`, with their orders.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import (
    BruteForce,
    Choose,
    choose_first_local_min,
    choose_one_se,
    choose_smallest,
    mean_of_means,
)
from inprocess import Run, run_task
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from heldout.data.prepared import open_prepared
from heldout.names import seed_for
from heldout.resampling.split import partitions
from heldout.resampling.split_file import read_split

SEED = 7
NESTED = ("nested_cv", "nested_dev")
GRIDS: dict[str, dict[str, Any]] = {
    "ridge": {"alpha": [0.01, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0]},
    "tree": {"max_depth": [1, 2, 3, 4, 5, 6]},
    "shuffled": {"max_depth": [3, 1, 5, 2, 6, 4]},
}
"""The order of the last one makes local minima that are not the smallest risk."""


@dataclass(frozen=True)
class Case:
    """A learner (a name of GRIDS), the task's other keys, the rule in plain loops, and an order."""

    learner: str
    task: dict[str, Any]
    plain: Callable[[np.ndarray], Choose]
    simpler: dict[str, str] | None = None


ONE_SE = {"select": {"rule": "one_se"}}
CASES = {
    "ridge, larger is simpler": Case(
        "ridge", ONE_SE, lambda unit: choose_one_se("alpha", True, unit)
    ),
    "ridge, turned round": Case(
        "ridge", ONE_SE, lambda unit: choose_one_se("alpha", False, unit), {"alpha": "smaller"}
    ),
    "tree, smaller is simpler": Case(
        "tree", ONE_SE, lambda unit: choose_one_se("max_depth", False, unit)
    ),
    "groups": Case(
        "ridge", ONE_SE | {"groups": "group"}, lambda unit: choose_one_se("alpha", True, unit)
    ),
    "unequal folds": Case(
        "tree",
        ONE_SE | {"kfold": {"column": "fold"}},
        lambda unit: choose_one_se("max_depth", False, unit),
    ),
    "repeats": Case(
        "ridge",
        ONE_SE | {"kfold": {"k": 4, "repeats": 3}},
        lambda unit: choose_one_se("alpha", True, unit),
    ),
    "first local minimum": Case(
        "shuffled",
        {"select": {"rule": "first_local_min", "patience": 1}},
        lambda unit: choose_first_local_min(1, unit),
    ),
}


def write_table(path: Path) -> None:
    """53 rows (no number of folds divides them), groups, and folds of unequal sizes."""
    generator = np.random.default_rng(6)
    x = generator.normal(size=(53, 6))
    y = x[:, 0] + 2 * (x[:, 1] > 0) * (x[:, 2] > 0) + generator.normal(scale=0.8, size=53)
    group = generator.integers(19, size=53)
    fold = generator.choice(4, p=[0.1, 0.2, 0.3, 0.4], size=53)
    lines = ["a,b,c,d,e,f,y,group,fold"]
    lines += [
        f"{','.join(f'{v:.6f}' for v in row)},{target:.6f},g{g},{f}"
        for row, target, g, f in zip(x, y, group, fold, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def brute_force(learner: str, run: Run) -> BruteForce:
    data = open_prepared(run.folder / "data")
    features, target = np.asarray(data.features), np.asarray(data.target)

    def fit(train: np.ndarray, theta: dict[str, Any], name: str) -> Any:
        if learner == "ridge":
            model: Any = make_pipeline(StandardScaler(), Ridge(**theta))
        else:
            seed = seed_for(SEED, "t", learner, name)
            model = DecisionTreeRegressor(**theta, random_state=seed)
        return model.fit(features[train], target[train])

    def loss(model: Any, rows: np.ndarray, truth: np.ndarray) -> np.ndarray:
        return (model.predict(rows) - truth) ** 2

    [(name, values)] = GRIDS[learner].items()
    return BruteForce(features, target, [{name: value} for value in values], fit, loss)


def run_case(folder: Path, learners: dict[str, dict[str, str] | None], **changes: Any) -> Run:
    """A task with these learners and their orders (None: the catalogue's), and other changes."""
    write_table(folder / "table.csv")
    used = (changes.get("groups"), changes.get("kfold", {}).get("column"))
    task = {
        "data": str(folder / "table.csv"),
        "target": "y",
        "loss": "squared",
        "drop": [name for name in ("group", "fold") if name not in used],
        "test": 0,
        "estimators": ["kfold", *NESTED],
        "kfold": {"k": 6},
        "learners": list(learners),
        **changes,
    }
    blocks = {
        name: {"estimator": "ridge" if name == "ridge" else "tree", "grid": GRIDS[name]}
        | ({"simpler": order} if order else {})
        for name, order in learners.items()
    }
    return run_task({"seed": SEED, "tasks": {"t": task}, "learners": blocks}, folder / "run")


def units_of(run: Run) -> np.ndarray:
    return np.asarray(open_prepared(run.folder / "data").rows["unit"])


@pytest.fixture(scope="module", params=CASES)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, BruteForce, Case, Choose]:
    case = CASES[request.param]
    run = run_case(tmp_path_factory.mktemp("case"), {case.learner: case.simpler}, **case.task)
    return run, brute_force(case.learner, run), case, case.plain(units_of(run))


def folds_of(run: Run) -> list[np.ndarray]:
    return [p.fold for p in partitions(read_split(run.folder / "splits" / "kfold.csv"))]


@pytest.mark.parametrize("estimator", NESTED)
def test_inside(case: tuple[Run, BruteForce, Case, Choose], estimator: str) -> None:
    run, brute, given, choose = case
    folds, dev = folds_of(run), estimator == "nested_dev"
    risk, chosen = brute.nested(folds, dev, choose)
    for name in (given.learner, "all"):
        rows = [r for r in run.folds if (r.learner, r.estimator) == (name, estimator)]
        assert [json.loads(row.theta) for row in rows] == [brute.thetas[i] for i in chosen]
        assert run.estimate(name, estimator).risk == pytest.approx(risk, rel=1e-10)
    _, smallest = brute.nested(folds, dev, choose_smallest)
    assert chosen != smallest, "the case tells the rules apart"


def test_outside(case: tuple[Run, BruteForce, Case, Choose]) -> None:
    run, brute, _, choose = case
    folds = folds_of(run)
    held = [
        [one for r, fold in enumerate(folds, 1) for one in brute.held_sets(fold, r, theta)]
        for theta in brute.thetas
    ]
    assert run.selection["theta"] == brute.thetas[choose(brute.thetas, held)]


def picks_of(brute: BruteForce, folds: list[np.ndarray], dev: bool, rule: Choose) -> list[Any]:
    """For each outer fold the inner risk of the chosen θ, and this θ."""
    risks = []

    def recorded(thetas: Any, held: Any) -> int:
        pick = rule(thetas, held)
        risks.append(mean_of_means(held[pick]))
        return pick

    _, chosen = brute.nested(folds, dev, recorded)
    return [(risk, brute.thetas[i]) for risk, i in zip(risks, chosen, strict=True)]


def test_between_learners(tmp_path: Path) -> None:
    """In every outer fold: each learner's θ by the rule, then the smallest of their risks."""
    run = run_case(tmp_path, {"ridge": None, "tree": None}, **ONE_SE)
    rules = {
        "ridge": choose_one_se("alpha", True, units_of(run)),
        "tree": choose_one_se("max_depth", False, units_of(run)),
    }
    winners = set()
    for estimator in NESTED:
        ridge, tree = (
            picks_of(brute_force(name, run), folds_of(run), estimator == "nested_dev", rule)
            for name, rule in rules.items()
        )
        expected = [
            ("ridge", a) if risk_a <= risk_b else ("tree", b)
            for (risk_a, a), (risk_b, b) in zip(ridge, tree, strict=True)
        ]
        rows = [row for row in run.folds if (row.learner, row.estimator) == ("all", estimator)]
        assert [(row.chosen, json.loads(row.theta)) for row in rows] == expected
        winners |= {learner for learner, _ in expected}
    assert winners == {"ridge", "tree"}, "both are chosen somewhere"
