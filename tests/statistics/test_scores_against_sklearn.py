"""Scores as the loss equal scikit-learn's scorers in plain loops and in GridSearchCV, on the same folds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run
from score_loops import LABELS, LEARNERS, Loops, Scorer, data_of, folds_of, model_of, run
from sklearn import metrics
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.resampling.split_file import read_split

TOLERANCE = 1e-10
NAMES = {
    "two": [
        "roc_auc", "average_precision", "balanced_accuracy", "f1", "precision", "recall", "jaccard",
        "matthews_corrcoef", "neg_log_loss", "neg_brier_score", "accuracy",
    ],
    "three": ["f1_macro", "f1_weighted", "balanced_accuracy", "roc_auc_ovr", "matthews_corrcoef"],
    "number": [
        "r2", "neg_root_mean_squared_error", "neg_median_absolute_error", "explained_variance",
        "neg_mean_absolute_error",
    ],
}  # fmt: skip
DESIGN_OF = ["plain", "groups", "unequal folds", "repeats"]
CASES = [
    (kind, name, DESIGN_OF[(place + shift) % 4])
    for shift, (kind, names) in enumerate(NAMES.items())
    for place, name in enumerate(names)
] + [(kind, "f1", design) for kind in ("two",) for design in DESIGN_OF if design != "repeats"]
OF_POSITIVES = ["f1", "precision", "recall", "jaccard"]


def scorer_of(name: str, positive: int | None) -> Scorer:
    """scikit-learn's scorer, told which class is the positive one."""
    if name in OF_POSITIVES:
        function = getattr(metrics, f"{name}_score")
        return make_scorer(function, pos_label=positive, zero_division=0)
    if name in ("roc_auc", "average_precision"):
        function = getattr(metrics, f"{name}_score")
        return lambda model, x, y: function(y == positive, _ranks(model, x, positive))
    return get_scorer(name)


def _ranks(model: Any, features: np.ndarray, positive: int | None) -> np.ndarray:
    return np.asarray(model.predict_proba(features)[:, positive])


def risk_of(name: str, score: Any) -> Any:
    """Errors are their own risk, other scores lack it to 1."""
    return -np.asarray(score) if name.startswith("neg_") else 1 - np.asarray(score)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """A folder for each table and design: scores share its cells."""
    return {
        (kind, design): tmp_path_factory.mktemp("study")
        for kind in LEARNERS
        for design in DESIGN_OF
    }


def chosen_in(found: Run, learner: str) -> list[Any]:
    return [row for row in found.folds if (row.learner, row.estimator) == (learner, "nested_cv")]


def nested(loops: Loops, scorer: Scorer, folds: list[np.ndarray]) -> list[tuple[Any, float]]:
    """θ and score of every outer fold; of one learner by scikit-learn's own search."""
    choose = searched if loops.learner == "knn" else Loops.chosen
    return [choose(loops, scorer, fold, f) for fold in folds for f in range(fold.max() + 1)]


def searched(loops: Loops, scorer: Scorer, fold: np.ndarray, outer: int) -> tuple[Any, float]:
    """θ by GridSearchCV on the other folds, and the score of its refit on the outer one."""
    inside, held = np.flatnonzero(fold != outer), np.flatnonzero(fold == outer)
    step = model_of(loops.learner, loops.kind).steps[-1][0]
    grid = {f"{step}__{name}": [theta[name] for theta in loops.thetas] for name in loops.thetas[0]}
    search = GridSearchCV(
        model_of(loops.learner, loops.kind), grid, scoring=scorer, cv=PredefinedSplit(fold[inside])
    )
    search.fit(loops.features[inside], loops.target[inside])
    score = scorer(search.best_estimator_, loops.features[held], loops.target[held])
    return {name.split("__")[1]: value for name, value in search.best_params_.items()}, score


@pytest.mark.parametrize(
    ("kind", "name", "design"), CASES, ids=lambda value: str(value).replace(" ", "_")
)
def test_every_theta_and_nested_cv(
    kind: str, name: str, design: str, folders: dict[tuple[str, str], Path]
) -> None:
    found = run(folders[kind, design], kind, design, name)
    data = data_of(found)
    positive = loss_for(LossSpec(name), data.classes, data.class_counts).positive
    scorer, folds = scorer_of(name, positive), folds_of(found)
    for learner in LEARNERS[kind]:
        loops = Loops.of(found, learner, kind)
        means = []
        for theta in loops.thetas:
            risks = risk_of(name, loops.fold_scores(scorer, folds, theta))
            means.append(risks.mean())
            assert found.risk(learner, theta, "kfold") == pytest.approx(means[-1], abs=TOLERANCE)
        best = found.estimate(learner, "min_cv")
        assert json.loads(best.theta) == loops.thetas[int(np.argmin(means))]
        assert best.risk == pytest.approx(min(means), abs=TOLERANCE)
        score = best.risk if name.startswith("neg_") else 1 - best.risk
        assert best.score == pytest.approx(score, abs=TOLERANCE), "as people read it"
        expected = nested(loops, scorer, folds)
        rows = chosen_in(found, learner)
        assert [json.loads(row.theta) for row in rows] == [theta for theta, _ in expected]
        outer = risk_of(name, [score for _, score in expected])
        assert [row.risk for row in rows] == pytest.approx(outer.tolist(), abs=TOLERANCE)
        whole = found.estimate(learner, "nested_cv")
        assert whole.risk == pytest.approx(outer.mean(), abs=TOLERANCE)


@pytest.mark.parametrize("positive", LABELS["two"])
@pytest.mark.parametrize("name", ["roc_auc", "average_precision", *OF_POSITIVES])
def test_either_class_may_be_positive(
    name: str, positive: str, folders: dict[tuple[str, str], Path]
) -> None:
    found = run(folders["two", "plain"], "two", "plain", name, positive=positive)
    scorer, folds = scorer_of(name, LABELS["two"].index(positive)), folds_of(found)
    loops = Loops.of(found, "logistic", "two")
    for theta in loops.thetas:
        mean = risk_of(name, loops.fold_scores(scorer, folds, theta)).mean()
        assert found.risk("logistic", theta, "kfold") == pytest.approx(mean, abs=TOLERANCE)
    expected = nested(loops, scorer, folds)
    rows = chosen_in(found, "logistic")
    assert [json.loads(row.theta) for row in rows] == [theta for theta, _ in expected]


# --- the other estimators ------------------------------------------------------------------------

ESTIMATORS = ["training", "holdout", "kfold", "kfold_adjusted", "montecarlo", "bootstrap", "min_cv"]
MORE = {"montecarlo": {"rounds": 5, "fraction": 0.3}, "bootstrap": {"bags": 7}}


def no_information(loops: Loops, scorer: Scorer, theta: Any) -> float:
    """The score of every prediction against every target, all n² pairs as one set."""
    model, n = loops.fit(loops.everything, theta), len(loops.target)
    rows = np.repeat(np.arange(n), n)
    return float(scorer(model, loops.features[rows], np.tile(loops.target, n)))


def plain_loops(found: Run, loops: Loops, scorer: Scorer, theta: Any) -> dict[str, float]:
    """The risk of a θ by every estimator of a fixed θ."""
    everything, [fold] = loops.everything, folds_of(found)

    def risk(train: np.ndarray, held: np.ndarray) -> float:
        return 1 - loops.score(scorer, train, held, theta)

    training = risk(everything, everything)
    outside = [np.flatnonzero(fold != f) for f in range(fold.max() + 1)]
    kfold = np.mean([risk(train, np.setdiff1d(everything, train)) for train in outside])
    dev = read_split(found.folder / "splits" / "holdout.csv")["held_out"] == 1
    rounds = read_split(found.folder / "splits" / "montecarlo.csv")
    held = [rounds["row"][rounds["round"] == r] for r in np.unique(rounds["round"])]
    drawn = read_split(found.folder / "splits" / "bootstrap.csv")
    bags = [
        np.repeat(drawn["row"][drawn["bag"] == b], drawn["count"][drawn["bag"] == b])
        for b in np.unique(drawn["bag"])
    ]
    by_bag = np.mean([risk(np.sort(bag), np.setdiff1d(everything, bag)) for bag in bags])
    gamma = 1 - no_information(loops, scorer, theta)
    capped = min(by_bag, gamma)
    rate = (capped - training) / (gamma - training) if min(capped, gamma) > training else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    return {
        "training": training,
        "holdout": risk(np.flatnonzero(~dev), np.flatnonzero(dev)),
        "kfold": kfold,
        "kfold_adjusted": kfold + training - np.mean([risk(one, everything) for one in outside]),
        "montecarlo": np.mean([risk(np.setdiff1d(everything, one), one) for one in held]),
        "bootstrap": by_bag,
        "bootstrap_632": 0.368 * training + 0.632 * by_bag,
        "bootstrap_632plus": (1 - weight) * training + weight * capped,
    }


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wide")


@pytest.mark.parametrize("name", ["roc_auc", "f1"])
def test_the_other_estimators(name: str, wide: Path) -> None:
    found = run(wide, "two", "plain", name, estimators=ESTIMATORS, **MORE)
    scorer = scorer_of(name, 1)
    for learner in LEARNERS["two"]:
        loops = Loops.of(found, learner, "two")
        for theta in loops.thetas:
            expected = plain_loops(found, loops, scorer, theta)
            given = {estimator: found.risk(learner, theta, estimator) for estimator in expected}
            assert given == pytest.approx(expected, abs=TOLERANCE)
        [fold] = folds_of(found)
        table = np.array(
            [risk_of(name, loops.fold_scores(scorer, [fold], t)) for t in loops.thetas]
        )
        best = int(table.mean(axis=1).argmin())
        regret = np.mean(table[best] - table.min(axis=0))
        corrected = table[best].mean() + regret
        assert found.estimate(learner, "min_cv_tt").risk == pytest.approx(corrected, abs=TOLERANCE)
        dev = [plain_loops(found, loops, scorer, theta)["holdout"] for theta in loops.thetas]
        row = found.estimate(learner, "holdout")
        assert row.risk == pytest.approx(min(dev), abs=TOLERANCE)
        assert json.loads(row.theta) == loops.thetas[int(np.argmin(dev))]


@pytest.mark.parametrize(("kind", "name"), [("two", "f1"), ("number", "r2"), ("number", "neg_root_mean_squared_error")])  # fmt: skip
def test_pooled_values(kind: str, name: str, folders: dict[tuple[str, str], Path]) -> None:
    """All held-out predictions as one set, for a fixed θ and for those that nested CV chose."""
    functions = {
        "f1": lambda y, said: 1 - metrics.f1_score(y, said, pos_label=1),
        "r2": lambda y, said: 1 - metrics.r2_score(y, said),
        "neg_root_mean_squared_error": metrics.root_mean_squared_error,
    }
    for design in DESIGN_OF:
        found = run(folders[kind, design], kind, design, name)
        loops, folds = Loops.of(found, "knn", kind), folds_of(found)
        fixed = [[loops.thetas[0]] * (fold.max() + 1) for fold in folds]
        picks = iter(json.loads(row.theta) for row in chosen_in(found, "knn"))
        tuned = [[next(picks) for _ in range(fold.max() + 1)] for fold in folds]
        at_theta = found.risk("knn", loops.thetas[0], "kfold_pooled")
        for value, thetas in (
            (at_theta, fixed),
            (found.estimate("knn", "nested_cv_pooled").risk, tuned),
        ):
            pooled = [
                functions[name](loops.target, predicted(loops, fold, given))
                for fold, given in zip(folds, thetas, strict=True)
            ]
            assert value == pytest.approx(np.mean(pooled), abs=TOLERANCE)


def predicted(loops: Loops, fold: np.ndarray, thetas: list[Any]) -> np.ndarray:
    """Each row by the model trained without its fold."""
    said = np.empty(len(fold))
    for f, theta in enumerate(thetas):
        model = loops.fit(np.flatnonzero(fold != f), theta)
        said[fold == f] = model.predict(loops.features[fold == f])
    return said


def folder(beside: Path, number: int) -> Path:
    found = beside.parent / f"costs{number}"
    found.mkdir()
    return found


def test_a_cost_matrix_of_ones_is_the_zero_one_loss(
    folders: dict[tuple[str, str], Path],
) -> None:
    """In every column of estimates.csv and risks.csv, the sealed test included."""
    ones = {"costs": {"no": {"yes": 1}, "yes": {"no": 1}}}
    by_loss = [
        run(folder(folders["two", "plain"], i), "two", "plain", loss, test=0.25)
        for i, loss in enumerate(("zero_one", ones))
    ]
    for table in ("estimates", "risks", "folds"):
        zero_one, costs = (getattr(found, table) for found in by_loss)
        assert len(zero_one) > 5
        assert zero_one == costs
