"""Every estimator equals a direct implementation with scikit-learn loops: same folds, same seeds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import BruteForce, jackknife_parts
from inprocess import Run, run_task
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.data.prepared import open_prepared
from heldout.names import seed_for
from heldout.resampling.split import partitions
from heldout.resampling.split_file import read_split

SEED = 7
TOLERANCE = 1e-10
LEARNERS: dict[str, dict[str, Any]] = {
    "knn": {"n_neighbors": [1, 4]},
    "tree": {"max_depth": [1, 3]},
    "ridge": {"alpha": [0.1, 30.0]},
    "logistic": {"C": [0.01, 1.0]},
}
CLASSIFIERS = {"knn": KNeighborsClassifier, "tree": DecisionTreeClassifier}
REGRESSORS = {"knn": KNeighborsRegressor, "tree": DecisionTreeRegressor}


def write_table(path: Path, classification: bool) -> None:
    """47 rows (no fold size divides them), three features, groups of unequal size, a fold column."""
    generator = np.random.default_rng(3)
    x = generator.normal(size=(47, 3))
    score = x[:, 0] - 0.5 * x[:, 1] + generator.normal(scale=0.7, size=47)
    y: Any = np.where(score > 0.4, "high", np.where(score > -0.6, "mid", "low"))
    if not classification:
        y = np.round(score, 6)
    group = np.sort(generator.integers(16, size=47))
    fold = group % 4
    lines = ["a,b,c,y,group,fold"]
    lines += [
        f"{row[0]:.6f},{row[1]:.6f},{row[2]:.6f},{label},g{g},{f}"
        for row, label, g, f in zip(x, y, group, fold, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def fit_function(learner: str, data: Any, classification: bool) -> Any:
    def fit(train: np.ndarray, theta: dict[str, Any], name: str) -> Any:
        seed = seed_for(SEED, "t", learner, name)
        if learner == "ridge":
            model: Any = make_pipeline(StandardScaler(), Ridge(**theta, random_state=seed))
        elif learner == "logistic":
            model = make_pipeline(
                StandardScaler(),
                LogisticRegression(solver="newton-cholesky", tol=1e-13, max_iter=1000, **theta),
            )
        elif learner == "knn":
            kind = CLASSIFIERS if classification else REGRESSORS
            model = make_pipeline(StandardScaler(), kind["knn"](**theta))
        else:
            kind = CLASSIFIERS if classification else REGRESSORS
            model = kind["tree"](**theta, random_state=seed)
        return model.fit(np.asarray(data.features)[train], np.asarray(data.target)[train])

    return fit


def loss_function(name: str) -> Any:
    """Losses of single examples, written with scikit-learn or in the plainest way."""

    def loss(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
        if name == "squared":
            return (model.predict(features) - target) ** 2
        if name == "absolute":
            return np.abs(model.predict(features) - target)
        if name == "zero_one":
            return (model.predict(features) != target).astype(float)
        proba = np.zeros((len(features), 3))
        proba[:, model.classes_] = model.predict_proba(features)
        if name == "cross_entropy":
            return -np.log(np.clip(proba[np.arange(len(target)), target], np.finfo(float).eps, 1))
        return ((proba - np.eye(3)[target]) ** 2).sum(axis=1)

    return loss


CASES = [
    ("knn", "zero_one", {}),
    ("knn", "squared", {"groups": "group"}),
    ("knn", "cross_entropy", {"kfold": {"k": 4, "repeats": 2, "stratify": False}}),
    ("tree", "brier", {"kfold": {"column": "fold"}, "groups": "group"}),
    ("tree", "absolute", {"kfold": {"k": 5}}),
    ("ridge", "squared", {"kfold": {"k": 4, "repeats": 2}}),
    ("ridge", "absolute", {"kfold": {"column": "fold"}}),
    ("logistic", "zero_one", {"groups": "group", "kfold": {"k": 3, "stratify": False}}),
    ("logistic", "cross_entropy", {}),
    ("logistic", "brier", {"kfold": {"k": 3, "repeats": 2}}),
]


@pytest.fixture(
    scope="module",
    params=CASES,
    ids=lambda case: f"{case[0]}-{case[1]}-{'-'.join(case[2]) or 'plain'}",
)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, BruteForce, Any]:
    tmp_path = tmp_path_factory.mktemp("case")
    learner, loss, changes = request.param
    classification = loss in ("zero_one", "cross_entropy", "brier")
    write_table(tmp_path / "table.csv", classification)
    task = {
        "data": str(tmp_path / "table.csv"),
        "target": "y",
        "loss": loss,
        "drop": [c for c in ("group", "fold") if c not in (changes.get("groups"), changes.get("kfold", {}).get("column"))],
        "test": 0,
        "estimators": [
            "training", "holdout", "kfold", "kfold_adjusted", "loo", "montecarlo", "bootstrap",
            "min_cv", "nested_cv", "nested_dev",
        ],
        "kfold": {"k": 4, "stratify": False},
        "montecarlo": {"rounds": 4, "fraction": 0.3},
        "bootstrap": {"bags": 8},
        "learners": [learner],
        **changes,
    }  # fmt: skip
    grid = LEARNERS[learner]
    config = {
        "seed": SEED,
        "tasks": {"t": task},
        "learners": {learner: {"estimator": learner, "grid": grid}},
    }
    run = run_task(config, tmp_path / "run")
    data = open_prepared(run.folder / "data")
    [(name, values)] = grid.items()
    brute = BruteForce(
        np.asarray(data.features),
        np.asarray(data.target),
        [{name: value} for value in values],
        fit_function(learner, data, classification),
        loss_function(loss),
    )
    return run, brute, (learner, data)


def folds_of(run: Run) -> list[np.ndarray]:
    return [p.fold for p in partitions(read_split(run.folder / "splits" / "kfold.csv"))]


def test_risks_of_every_theta(case: tuple[Run, BruteForce, Any]) -> None:
    run, brute, (learner, data) = case
    folds = folds_of(run)
    rounds = read_split(run.folder / "splits" / "montecarlo.csv")
    held = {int(r): rounds["row"][rounds["round"] == r] for r in np.unique(rounds["round"])}
    drawn = read_split(run.folder / "splits" / "bootstrap.csv")
    bags = {
        int(b): np.repeat(drawn["row"][drawn["bag"] == b], drawn["count"][drawn["bag"] == b])
        for b in np.unique(drawn["bag"])
    }
    dev = read_split(run.folder / "splits" / "holdout.csv")["held_out"] == 1
    for theta in brute.thetas:
        training = brute.training(theta)
        by_bag, by_row = brute.bags(bags, theta)
        gamma = brute.no_information(theta)
        capped = min(by_row, gamma)
        rate = (capped - training) / (gamma - training) if min(capped, gamma) > training else 0
        weight = 0.632 / (1 - 0.368 * rate)
        expected = {
            "training": training,
            "holdout": brute.losses(np.flatnonzero(~dev), np.flatnonzero(dev), theta, "dev").mean(),
            "kfold": brute.kfold(folds, theta),
            "loo": brute.loo(np.asarray(data.rows["unit"]), theta),
            "montecarlo": brute.montecarlo(held, theta),
            "bootstrap": by_bag,
            "bootstrap_632": 0.368 * training + 0.632 * by_row,
            "bootstrap_632plus": (1 - weight) * training + weight * capped,
        }
        if len(folds) == 1:
            expected["kfold_adjusted"] = brute.adjusted(folds[0], theta)
        found = {name: run.risk(learner, theta, name) for name in expected}
        assert found == pytest.approx(expected, abs=TOLERANCE, rel=TOLERANCE)


@pytest.mark.parametrize("estimator", ["nested_cv", "nested_dev"])
def test_nested(case: tuple[Run, BruteForce, Any], estimator: str) -> None:
    run, brute, (learner, _) = case
    risk, chosen = brute.nested(folds_of(run), dev=estimator == "nested_dev")
    for name in (learner, "all"):
        assert run.estimate(name, estimator).risk == pytest.approx(risk, abs=TOLERANCE)
        thetas = [
            json.loads(row.theta)
            for row in run.folds
            if (row.learner, row.estimator) == (name, estimator)
        ]
        assert thetas == [brute.thetas[i] for i in chosen]


def test_min_cv(case: tuple[Run, BruteForce, Any]) -> None:
    run, brute, (learner, _) = case
    folds = folds_of(run)
    means = np.array(
        [
            np.concatenate([brute.fold_means(f, r + 1, theta) for r, f in enumerate(folds)])
            for theta in brute.thetas
        ]
    )
    best = int(means.mean(axis=1).argmin())
    bias = np.mean(means[best] - means.min(axis=0))
    assert run.estimate(learner, "min_cv").risk == pytest.approx(means[best].mean(), abs=TOLERANCE)
    expected = means[best].mean() + bias
    assert run.estimate(learner, "min_cv_tt").risk == pytest.approx(expected, abs=TOLERANCE)


def parts_in(row: Any) -> list[float]:
    """The parts of the squared standard error in a row of estimates.csv."""
    return [value**2 for value in (row.se_noise, row.se_training, row.se_selection)]


def close(found: Any, expected: Any) -> bool:
    return bool(np.allclose(found, expected, rtol=TOLERANCE, atol=1e-14))


@pytest.mark.parametrize("estimator", ["nested_cv", "nested_dev"])
def test_every_part_of_the_tuned_jackknife(
    case: tuple[Run, BruteForce, Any], estimator: str
) -> None:
    run, brute, (learner, data) = case
    folds, unit = folds_of(run), np.asarray(data.rows["unit"])
    _, flat = brute.nested(folds, dev=estimator == "nested_dev")
    picks = iter(flat)
    chosen = [[(0, next(picks)) for _ in range(fold.max() + 1)] for fold in folds]
    row = run.estimate(learner, estimator, "tuned_jackknife")
    parts = jackknife_parts([brute], chosen, folds, unit, selects=True)
    assert close(parts_in(row), parts)
    assert row.se == pytest.approx(np.sqrt(sum(parts)), rel=TOLERANCE)
    assert row.n == len(unit), "rows are counted once"
    assert row.ci_low <= row.risk <= row.ci_high
    assert row.recommended or row.note


def test_tuned_jackknife_of_a_fixed_theta(case: tuple[Run, BruteForce, Any]) -> None:
    run, brute, (learner, data) = case
    folds, unit = folds_of(run), np.asarray(data.rows["unit"])
    row = run.estimate(learner, "kfold", "tuned_jackknife")
    theta = brute.thetas.index(json.loads(row.theta))
    chosen = [[(0, theta)] * (fold.max() + 1) for fold in folds]
    assert close(parts_in(row), jackknife_parts([brute], chosen, folds, unit, selects=False))
    assert not row.recommended
    assert "chose θ among 2" in row.note
    for theta, risk in ((brute.thetas[i], i) for i in range(2)):
        plain = jackknife_parts(
            [brute], [[(0, risk)] * (f.max() + 1) for f in folds], folds, unit, False, pairs=False
        )
        text = json.dumps(theta)
        [found] = [r for r in run.risks if r.estimator == "kfold" and json.loads(r.theta) == theta]
        assert found.se == pytest.approx(np.sqrt(plain[0]), rel=TOLERANCE), text


def test_tuned_jackknife_of_the_choice_between_learners(tmp_path: Path) -> None:
    write_table(tmp_path / "table.csv", classification=True)
    task = {
        "data": str(tmp_path / "table.csv"), "target": "y", "loss": "zero_one", "test": 0,
        "drop": ["group", "fold"], "estimators": ["kfold", "nested_cv"],
        "kfold": {"k": 4, "repeats": 2}, "learners": ["knn", "tree"],
    }  # fmt: skip
    blocks = {n: {"estimator": n, "grid": LEARNERS[n]} for n in ("knn", "tree")}
    run = run_task({"seed": SEED, "tasks": {"t": task}, "learners": blocks}, tmp_path / "run")
    data = open_prepared(run.folder / "data")
    brutes = [
        BruteForce(
            np.asarray(data.features),
            np.asarray(data.target),
            [{key: value} for key, values in LEARNERS[name].items() for value in values],
            fit_function(name, data, True),
            loss_function("zero_one"),
        )
        for name in ("knn", "tree")
    ]
    folds = folds_of(run)
    outer = [row for row in run.folds if (row.learner, row.estimator) == ("all", "nested_cv")]
    places = iter(
        [
            (a, brutes[a].thetas.index(json.loads(row.theta)))
            for row in outer
            for a in [("knn", "tree").index(row.chosen)]
        ]
    )
    chosen = [[next(places) for _ in range(4)] for _ in folds]
    unit = np.asarray(data.rows["unit"])
    row = run.estimate("all", "nested_cv", "tuned_jackknife")
    assert close(parts_in(row), jackknife_parts(brutes, chosen, folds, unit, selects=True))
    assert row.recommended
    assert row.interval_target.startswith("the risk of the final model")
