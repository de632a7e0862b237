"""Bad input is refused before the first fit, in words that say what, where and what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import inprocess
import numpy as np
import pytest
from harness import ALL_CELLS, TASK, Project
from sklearn.metrics import get_scorer_names

from heldout.errors import HeldoutError
from heldout.execution.study import Study
from heldout.measures.scorer_names import SCORERS

Spoil = Callable[[Project], None]


# --- spoiling ------------------------------------------------------------------------------


def config(**keys: Any) -> Spoil:
    return lambda project: project.config.update(keys)


def task(**keys: Any) -> Spoil:
    return lambda project: project.task.update(keys)


def learner(**keys: Any) -> Spoil:
    """Replace the block of the learner `tree`."""
    return lambda project: project.config["learners"].update(tree=keys)


def without(key: str) -> Spoil:
    return lambda project: project.task.pop(key)


def column(name: str, *values: str, **keys: Any) -> Spoil:
    """Replace or add a column; the values are repeated until the table is full."""

    def spoil(project: Project) -> None:
        cells = [line.split(",") for line in project.lines]
        if name not in cells[0]:
            cells = [[*line, ""] for line in cells]
            cells[0][-1] = name
        place = cells[0].index(name)
        for i, line in enumerate(cells[1:]):
            line[place] = values[i % len(values)]
        project.lines = [",".join(line) for line in cells]
        project.task.update(keys)

    return spoil


def cell(row: int, name: str, value: str, **keys: Any) -> Spoil:
    """Replace one value (rows counted from 1)."""

    def spoil(project: Project) -> None:
        values = project.lines[row].split(",")
        values[project.lines[0].split(",").index(name)] = value
        project.lines[row] = ",".join(values)
        project.task.update(keys)

    return spoil


def rows(count: int) -> Spoil:
    """Keep the first rows only."""
    return lambda project: project.lines.__delitem__(slice(count + 1, None))


def header(line: str) -> Spoil:
    return lambda project: project.lines.__setitem__(0, line)


def file(key: str, name: str, content: bytes) -> Spoil:
    """Another table for a key of the task."""

    def spoil(project: Project) -> None:
        (project.folder / name).write_bytes(content)
        project.task[key] = name

    return spoil


def both(first: Spoil, second: Spoil) -> Spoil:
    def spoil(project: Project) -> None:
        first(project)
        second(project)

    return spoil


# --- the configuration ---------------------------------------------------------------------

CONFIGS: dict[str, tuple[Spoil, str]] = {
    "unknown key": (config(sede=1), "sede: unknown key 'sede'; did you mean 'seed'?"),
    "unknown key of a task": (
        task(estimator=["kfold"]),
        "tasks.birds.estimator: unknown key 'estimator'; did you mean 'estimators'?",
    ),
    "unknown key of kfold": (
        task(kfold={"folds": 3}),
        "tasks.birds.kfold.folds: unknown key 'folds'; known: column, k, repeats, stratify",
    ),
    "unknown key of a learner": (
        learner(estimator="tree", gird={}),
        "learners.tree.gird: unknown key 'gird'; did you mean 'grid'?",
    ),
    "no target": (without("target"), "tasks.birds.target: is missing"),
    "unknown loss": (task(loss="zero_on"), "unknown loss 'zero_on'; did you mean 'zero_one'?"),
    "unknown scorer as the loss": (
        task(loss="balanced_acuracy"),
        "tasks.birds.loss: unknown loss 'balanced_acuracy'; did you mean 'balanced_accuracy'?",
    ),
    "a scorer of several labels at once": (
        task(loss="f1_samples"),
        "tasks.birds.loss: 'f1_samples' is for targets with several labels at once",
    ),
    "a metric of several labels at once": (
        task(metrics=["jaccard_samples"]),
        "tasks.birds.metrics: 'jaccard_samples' is for targets with several labels at once",
    ),
    "a metric of numbers for classes": (
        task(metrics=["r2"]),
        "tasks.birds.metrics: 'r2' is for targets that are numbers, and the loss is for classes",
    ),
    "a metric twice": (task(metrics=["f1_macro", "f1_macro"]), "'f1_macro' is listed twice"),
    "a score and leave-one-out": (
        task(loss="roc_auc_ovr", estimators=["kfold", "loo"]),
        "tasks.birds.loss: 'roc_auc_ovr' is a number of a whole set, and leave-one-out holds out single rows",
    ),
    "a function of sets and leave-one-out": (
        task(
            loss={"function": "sklearn.metrics.accuracy_score", "per": "set"},
            estimators=["kfold", "loo"],
        ),
        "tasks.birds.loss: 'sklearn.metrics.accuracy_score' is a number of a whole set",
    ),
    "a score without its number": (
        task(loss="fbeta"),
        "tasks.birds.loss: 'fbeta' needs its number",
    ),
    "a negative cost": (
        task(loss={"costs": {"adelie": {"gentoo": -1}}}),
        "tasks.birds.loss.costs.adelie.gentoo: should be at least 0, found -1",
    ),
    "a loss whose module is not there": (
        task(loss="my_losses.late"),
        "tasks.birds.loss: no module 'my_losses'",
    ),
    "unknown estimator": (
        task(estimators=["kfolds"]),
        "(found 'kfolds'); did you mean 'kfold'?",
    ),
    "unknown metric": (
        task(metrics=["acuracy"]),
        "tasks.birds.metrics: unknown loss 'acuracy'; did you mean 'accuracy'?",
    ),
    "unknown learner": (
        task(learners=["knnn"]),
        "learners.knnn: unknown learner 'knnn'; did you mean 'knn'? (or give an import path",
    ),
    "one fold": (
        task(kfold={"k": 1}),
        "tasks.birds.kfold.k: should be greater than or equal to 2 (found 1)",
    ),
    "level in per cent": (config(level=95), "level: should be less than 1 (found 95)"),
    "learner twice": (
        task(learners=["knn", "knn"]),
        "tasks.birds.learners: 'knn' is listed twice",
    ),
    "regressor for classes": (
        task(learners=["linear"]),
        "learner 'linear' is not for classification: for classes use 'logistic' or 'ridge'",
    ),
    "parameter both fixed and searched": (
        learner(estimator="tree", params={"max_depth": 1}, grid={"max_depth": [1]}),
        "learners.tree: 'max_depth' stands both in params and in grid",
    ),
    "a range to a thousand million": (
        learner(estimator="tree", grid={"max_depth": {"range": [1, 10**9]}}),
        "learners.tree.grid.max_depth: asks for 999999999 values; the limit is 100000",
    ),
    "a million batches": (
        config(batches=10**6),
        "batches: should be less than or equal to 10000 (found 1000000)",
    ),
    "a hundred million repeats": (
        task(kfold={"k": 3, "repeats": 10**8}),
        "tasks.birds.kfold.repeats: should be less than or equal to 100000 (found 100000000)",
    ),
    "a module that is not there": (
        learner(estimator="my_modul.Mine"),
        "learners.tree.estimator: no module 'my_modul' on Python's path or in ",
    ),
    "a name that repeats itself": (
        lambda project: project.config["tasks"].update({"a" * 30: project.task}),
        "the name ends in the same characters 20 times over, which Snakemake takes for an endless loop",
    ),
    "empty grid": (
        learner(estimator="tree", grid={"max_depth": []}),
        "learners.tree.grid.max_depth: the list of values is empty",
    ),
    "the target as weights": (
        task(weights="species"),
        "tasks.birds.weights: 'species' is the column of tasks.birds.target too; weights need a column",
    ),
    "groups as weights": (
        task(weights="nest", groups="nest"),
        "tasks.birds.weights: 'nest' is the column of tasks.birds.groups too",
    ),
    "folds as weights": (
        task(weights="part", kfold={"column": "part"}),
        "tasks.birds.weights: 'part' is the column of tasks.birds.kfold.column too",
    ),
    "an audit of weighted rows": (
        task(weights="mass", audit={}),
        "tasks.birds.audit: an audit gives all rows the same weight; remove audit, or tasks.birds.weights",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), CONFIGS.values(), ids=CONFIGS)
def test_a_bad_config_is_refused_while_it_is_read(
    spoil: Spoil, message: str, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    spoil(project)
    with pytest.raises(HeldoutError) as error:
        Study(project.config)
    assert message in str(error.value)


def test_everything_wrong_with_a_config_is_said_at_once(tmp_path: Path) -> None:
    project = Project(tmp_path)
    both(config(sede=1), task(kfold={"k": 1}))(project)
    with pytest.raises(HeldoutError, match=r"(?s)unknown key 'sede'.*kfold\.k"):
        Study(project.config)


def test_every_scorer_that_is_installed_is_known() -> None:
    assert set(get_scorer_names()) <= set(SCORERS)


# --- the table, the splits, the learners ---------------------------------------------------

LATIN1 = "bill,species\n1,gentoo\n2,adélie\n".encode("latin-1")
NUMBER = {"target": "bill", "loss": "squared", "learners": ["tree"]}
"""A task with a number as its target."""
TORN_NESTS = both(
    column("nest", "a", "b", "c", "d", "e"),
    column("part", "1", "2", "3", groups="nest", kfold={"column": "part"}),
)

FOLDS = ["1", "1", "2", "2", "3", "3", "3", "1", "3"]
"""Classes alternate in threes: of the third one, none is in the first fold."""

INPUTS: dict[str, tuple[Spoil, str]] = {
    "no such file": (task(data="bird.csv"), "data: no file at 'bird.csv' (looked in "),
    "no such test file": (task(test="more.csv"), "no file at 'more.csv' (looked in "),
    "unknown ending": (
        file("data", "birds.doc", b"PK"),
        "data: 'birds.doc' has an unknown ending; known: .csv, .tsv",
    ),
    "damaged workbook": (
        file("data", "birds.xlsx", b"PK"),
        "data: 'birds.xlsx' is no workbook; is it damaged, or of another format?",
    ),
    "empty file": (file("data", "e.csv", b""), "data: 'e.csv' is empty"),
    "no rows": (file("data", "e.csv", b"a,species\n"), "data: 'e.csv' has a header and no rows"),
    "not UTF-8": (
        both(file("data", "latin.csv", LATIN1), task(encoding="utf-8")),
        "data: 'latin.csv' is not utf-8 (line 3); set another encoding",
    ),
    "column name twice": (
        header("bill,species,island,species"),
        "target: birds.csv has the column name 'species' 2 times; give each column a name of its own",
    ),
    "no such target": (
        task(target="spezies"),
        "target: no column 'spezies' in birds.csv; did you mean 'species'?",
    ),
    "no such group": (
        task(groups="nest"),
        "groups: no column 'nest' in birds.csv; known: bill, mass, island, species",
    ),
    "too few rows": (rows(3), "data: birds.csv has 3 rows; at least 4 are needed"),
    "constant target": (
        column("species", "gentoo"),
        "target 'species' is constant ('gentoo' in all rows)",
    ),
    "missing target": (
        cell(4, "species", "NA", missing_target="refuse"),
        "target 'species' is missing in 1 of 75 rows (first: row 4); remove these rows from birds.csv",
    ),
    "NaN target": (
        cell(4, "bill", "NaN", **NUMBER, missing_target="refuse"),
        "target 'bill' is missing in 1 of 75 rows (first: row 4)",
    ),
    "infinite target": (
        cell(4, "bill", "inf", **NUMBER),
        "target 'bill' is not finite in 1 rows (first: row 4); mend or remove these rows in birds.csv",
    ),
    "text in a target of numbers": (
        cell(4, "bill", "long", **NUMBER),
        "target 'bill' is not a number everywhere; for classes set loss: zero_one",
    ),
    "a class for every row": (
        column("species", *(f"bird {i}" for i in range(75))),
        "target 'species' has as many classes as rows (75); is it an identifier",
    ),
    "infinite feature": (
        cell(4, "bill", "-inf"),
        "column 'bill' is infinite in 1 rows (first: row 4); mend these values in birds.csv",
    ),
    "infinite feature in a test table": (
        file("test", "more.csv", b"bill,mass,island,species\n1,1,a,gentoo\ninf,1,a,gentoo\n"),
        "column 'bill' is infinite in 1 rows (first: row 2); mend these values in more.csv",
    ),
    "infinite target in a test table": (
        both(task(**NUMBER), file("test", "more.csv", b"bill,mass,island,species\ninf,1,a,b\n")),
        "test: target 'bill' is missing or no finite number in 1 rows of more.csv (first: row 1)",
    ),
    "small class": (
        both(cell(1, "species", "emperor"), cell(2, "species", "emperor")),
        "kfold: class 'emperor' has 1 unsealed row, fewer than k = 3 folds; lower kfold.k",
    ),
    "more folds than rows": (
        task(kfold={"k": 70, "stratify": False}),
        "kfold: 60 rows or groups cannot fill k = 70 folds; lower kfold.k",
    ),
    "group in two folds": (
        TORN_NESTS,
        "kfold.column: group 'b' of 'nest' lies in two folds of 'part'; a group must stay whole",
    ),
    "a fold column with one fold": (
        column("part", "1", kfold={"column": "part"}),
        "kfold.column: 'part' holds one fold only; K must be at least 2",
    ),
    "no such weights": (
        task(weights="ma"),
        "weights: no column 'ma' in birds.csv; did you mean 'mass'?",
    ),
    "missing weights": (
        both(column("w", "1", "2", weights="w"), cell(4, "w", "")),
        "weights: 'w' is missing in 1 of 75 rows of birds.csv (first: row 4); give every row a number",
    ),
    "weights that are text": (
        both(column("w", "1", "2", weights="w"), cell(4, "w", "heavy")),
        "weights: 'w' is not a number in 1 of 75 rows of birds.csv (first: row 4)",
    ),
    "a learner that takes no weights": (
        column("w", "1", "2", weights="w"),
        "learners.knn: KNeighborsClassifier takes no weights, and the rows have some (weights: w); take",
    ),
    "folds without weight": (
        both(
            column("w", "0", "2", weights="w", learners=["tree"], estimators=["kfold"]),
            column("part", "1", "2", kfold={"column": "part"}),
        ),
        "weights: the held-out rows of 'k2.r1.f01' all have weight 0 in 'w', so that nothing counts",
    ),
    "value that the estimator refuses": (
        learner(estimator="tree", grid={"max_depth": [1, -2]}),
        "learner 'tree' refuses θ = {\"max_depth\":-2}: The 'max_depth' parameter of",
    ),
    "unknown parameter": (
        learner(estimator="tree", grid={"max_dept": [1]}),
        "learners.tree.grid: DecisionTreeClassifier has no parameter 'max_dept'; did you mean",
    ),
    "no such module": (
        learner(estimator="sklearn.trees.DecisionTreeClassifier"),
        "learners.tree.estimator: cannot import 'sklearn.trees': No module named 'sklearn.trees'",
    ),
    "no such class": (
        learner(estimator="sklearn.tree.DecisionTreeClasifier"),
        "no 'DecisionTreeClasifier' in sklearn.tree; did you mean 'DecisionTreeClassifier'?",
    ),
    "a function that is no estimator": (
        learner(estimator="os.path.join"),
        "learners.tree.estimator: cannot be made: os.path.join() gives TypeError: join() missing",
    ),
    "an import path for another kind of target": (
        learner(estimator="sklearn.tree.DecisionTreeRegressor"),
        "learners.tree: DecisionTreeRegressor is not for classification",
    ),
    "costs that leave out a class": (
        task(loss={"costs": {"adelie": {"gentoo": 1}}}),
        "loss.costs: no cost for predicting 'chinstrap' where 'adelie' is true",
    ),
    "costs of a class that is not there": (
        task(loss={"costs": {"adelie": {"gentto": 1}}}),
        "loss.costs: the target has no class 'gentto'; did you mean 'gentoo'?",
    ),
    "a score of two classes for three": (
        task(loss="f1"),
        "'f1' is for two classes, and the target has 3; use f1_macro",
    ),
    "an AUC of two classes for three": (
        task(loss="roc_auc"),
        "'roc_auc' is for two classes, and the target has 3; use roc_auc_ovr",
    ),
    "a score of numbers for classes": (
        task(loss="r2", learners=["knn"]),
        "target 'species' is not a number everywhere; for classes set loss: zero_one",
    ),
    "a positive class that is not there": (
        task(loss="f1_macro", positive="gento"),
        "positive: the target has no class 'gento'; did you mean 'gentoo'?",
    ),
    "a fold without a class": (
        column("fold", *FOLDS, loss="balanced_accuracy", kfold={"column": "fold"}),
        "loss: 'balanced_accuracy' is not defined on held-out set 'k3.r1.f01', which has no row of class "
        "'gentoo'; use fewer folds",
    ),
    "no probabilities for a scorer that needs them": (
        both(task(loss="neg_log_loss"), learner(estimator="sklearn.svm.LinearSVC")),
        "learners.tree: LinearSVC gives no probabilities, which the loss needs; set calibrate: sigmoid",
    ),
    "no probabilities for a loss that needs them": (
        both(task(loss="cross_entropy"), learner(estimator="sklearn.svm.LinearSVC")),
        "learners.tree: LinearSVC gives no probabilities, which the loss needs; set calibrate: sigmoid",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), INPUTS.values(), ids=INPUTS)
def test_bad_input_is_refused_before_the_first_fit(
    spoil: Spoil, message: str, project_here: Project
) -> None:
    spoil(project_here)
    assert message in refusal(project_here)
    assert not project_here.cells()


def test_an_infinite_value_in_a_sealed_row_is_refused_before_the_first_fit(
    project_here: Project,
) -> None:
    project_here.write_inputs()
    run_step(project_here, "prepare_data")
    unsealed = set(np.load(project_here.results / "data" / "rows.npy")["source"].tolist())
    row = min(set(range(75)) - unsealed) + 1
    cell(row, "bill", "inf")(project_here)
    assert f"column 'bill' is infinite in 1 rows (first: row {row})" in refusal(project_here)


def test_a_loss_that_needs_probabilities_is_refused_for_stored_cells_without(
    project_here: Project,
) -> None:
    learner(estimator="sklearn.svm.LinearSVC")(project_here)
    project_here.write_inputs()
    run_until_fits(project_here)
    task(loss="brier")(project_here)
    assert "learners.tree: LinearSVC gives no probabilities" in refusal(project_here)


def test_the_decision_values_of_a_learner_are_enough_for_its_auc(project_here: Project) -> None:
    """LinearSVC gives no probabilities."""
    project_here.lines = [line for line in project_here.lines if not line.endswith("gentoo")]
    learner(estimator="sklearn.svm.LinearSVC")(project_here)
    task(loss="roc_auc")(project_here)
    project_here.write_inputs()
    run_until_fits(project_here)
    assert "tree/default/full" in project_here.cells()


def test_check_looks_at_metrics_before_the_first_fit(project_here: Project) -> None:
    project_here.task["metrics"] = ["f1"]
    found = project_here.check()
    assert found.code == 1
    assert "'f1' is for two classes, and the target has 3; use f1_macro" in found.text


def test_a_good_study_is_fitted(project_here: Project) -> None:
    """Otherwise the refusals above would prove nothing."""
    project_here.write_inputs()
    run_until_fits(project_here)
    assert len(project_here.cells()) == ALL_CELLS


PLAIN = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class First(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""


def test_an_estimator_of_the_users_own_needs_no_declarations(
    project_here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(project_here.folder)
    (project_here.folder / "plain_estimator.py").write_text(PLAIN)
    learner(estimator="plain_estimator.First")(project_here)
    project_here.write_inputs()
    run_until_fits(project_here)
    assert "tree/default/full" in project_here.cells()


@pytest.fixture
def project_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A study in the working directory, for steps that run in this process."""
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def refusal(project: Project) -> str:
    """The message with which the steps up to the fits refuse their input."""
    project.write_inputs()
    with pytest.raises(HeldoutError) as error:
        run_until_fits(project)
    return str(error.value)


def run_until_fits(project: Project) -> None:
    """All steps up to the fits, in this process: table, splits, checks of the learners."""
    run_step(project, "prepare_data")
    for split in Study(project.config).splits(TASK):
        run_step(project, "draw_splits", split=split)
    run_step(project, "fit_cells", batch=1, batches=1)


def run_step(project: Project, name: str, **wildcards: Any) -> None:
    inprocess.run_step(Study(project.config), project.results, name, TASK, **wildcards)
