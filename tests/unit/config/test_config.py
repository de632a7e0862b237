"""The config: what is accepted, and messages that say where, what and what was probably meant."""

from pathlib import Path

import pytest
import yaml

from heldout.config.load import validate
from heldout.errors import HeldoutError
from heldout.estimates.lookup import selector_names
from heldout.execution.study import Study

ROOT = Path(__file__).parents[3]


def config(task="", learners="", top=""):
    """A small valid config with additions in YAML."""
    text = f"""
tasks:
  p: {{data: d.csv, target: y, learners: [knn], {task}}}
learners: {{{learners}}}
{top}
"""
    return yaml.safe_load(text)


def message_of(raw):
    with pytest.raises(HeldoutError) as error:
        Study(raw)
    return str(error.value)


def test_four_lines_are_enough():
    study = Study(config())
    assert study.tasks == ["p"]
    task = study.config.tasks["p"]
    assert (task.test, task.kfold.k, task.select.by, task.loss) == (0.2, 5, "kfold", None)


def test_the_shipped_configs_are_valid():
    paths = sorted((ROOT / "config").rglob("*.yaml"))
    assert paths
    for path in paths:
        Study(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("additions", "message"),
    [
        ({"task": "tset: 0.2"}, "tasks.p.tset: unknown key 'tset'; did you mean 'test'?"),
        ({"task": "kfold: {kk: 3}"}, "tasks.p.kfold.kk: unknown key 'kk'; did you mean 'k'?"),
        ({"top": "sede: 1"}, "sede: unknown key 'sede'; did you mean 'seed'?"),
        (
            {"learners": "knn: {estimater: knn}"},
            "learners.knn.estimater: unknown key 'estimater'; did you mean 'estimator'?",
        ),
        ({"learners": "knn: {params: {p: 1}}"}, "learners.knn.estimator: is missing"),
        ({"task": "test: 1.5"}, "tasks.p.test: should be less than 1 (found 1.5)"),
        ({"task": "kfold: {k: 1}"}, "tasks.p.kfold.k: should be greater than or equal to 2"),
        ({"task": "kfold: 5"}, "tasks.p.kfold: should be a mapping (key: value) (found 5)"),
        ({"task": "loss: zero-one"}, "unknown loss 'zero-one'; did you mean 'zero_one'?"),
        ({"task": "estimators: [kfolds]"}, "tasks.p.estimators.0: should be 'training'"),
        ({"task": "estimators: [kfolds]"}, "(found 'kfolds'); did you mean 'kfold'?"),
        ({"task": "estimators: []"}, "tasks.p.estimators: should not be empty"),
        ({"task": "select: {rule: one_sd}"}, "did you mean 'one_se'?"),
        ({"task": "target: 1"}, "tasks.p.target: should be a valid string (found 1); put it in"),
        ({"task": "drop: rowid"}, "tasks.p.drop: should be a valid list (found 'rowid')"),
        ({"top": "level: 95"}, "level: should be less than 1 (found 95)"),
        ({"top": "seed: -1"}, "seed: should be greater than or equal to 0"),
        ({"top": "tasks: {}"}, "tasks: should not be empty"),
        ({"learners": "'a b': {estimator: knn}"}, "learners.a b: should start with a letter"),
        ({"learners": "knn: {estimator: nkk}"}, "learners.knn: unknown learner 'nkk'; known: "),
        ({"learners": "knn: {estimator: kn}"}, "unknown learner 'kn'; did you mean 'knn'?"),
        (
            {"learners": "knn: {estimator: knn, simpler: {n: bigger}}"},
            "learners.knn.simpler.n: should be 'larger' or 'smaller' (found 'bigger')",
        ),
        (
            {"learners": "knn: {estimator: knn, grid: {n_neighbors: {rnge: [1, 2]}}}"},
            "learners.knn.grid.n_neighbors: unknown rule 'rnge'; did you mean 'range'?",
        ),
        (
            {"learners": "knn: {estimator: knn, params: {p: 1}, grid: {p: [1, 2]}}"},
            "learners.knn: 'p' stands both in params and in grid",
        ),
        ({"task": "learners: [knn, knn]"}, "tasks.p.learners: 'knn' is listed twice"),
        (
            {"task": "learners: [all]", "learners": "all: {estimator: knn}"},
            "tasks.p.learners: the name 'all' is kept",
        ),
        (
            {"task": "loss: squared, learners: [logistic]"},
            "learner 'logistic' is not for regression: for numbers use 'linear' or 'ridge'",
        ),
        (
            {"task": "loss: zero_one, learners: [linear]"},
            "learner 'linear' is not for classification: for classes use 'logistic' or 'ridge'",
        ),
        (
            {"task": "kfold: {column: fold, repeats: 2}"},
            "tasks.p.kfold: the user's own folds cannot be repeated",
        ),
        (
            {"task": "kfold: {repeats: 100000000}"},
            "tasks.p.kfold.repeats: should be less than or equal to 100000 (found 100000000)",
        ),
        (
            {"task": "kfold: {k: 1000000000}"},
            "tasks.p.kfold.k: should be less than or equal to 100000 (found 1000000000)",
        ),
        (
            {"task": "montecarlo: {rounds: 1000000000}"},
            "tasks.p.montecarlo.rounds: should be less than or equal to 100000 (found 1000000000)",
        ),
        (
            {"task": "montecarlo: {halvings: 1000000}"},
            "tasks.p.montecarlo.halvings: should be less than or equal to 100000 (found 1000000)",
        ),
        (
            {"task": "bootstrap: {bags: 1000000000}"},
            "tasks.p.bootstrap.bags: should be less than or equal to 100000 (found 1000000000)",
        ),
        (
            {"task": "select: {maximum: 1000000000}"},
            "tasks.p.select.maximum: should be less than or equal to 100000 (found 1000000000)",
        ),
        (
            {"task": "audit: {replicates: 1000000000}"},
            "tasks.p.audit.replicates: should be less than or equal to 1000000 (found 1000000000)",
        ),
        (
            {"task": "audit: {replicates: 1000000, batch: 1}"},
            "tasks: asks for 3000013 jobs (tasks × batches, batches of audits); the limit is 10000",
        ),
        (
            {"task": "audit: {m: [1000000000]}"},
            "tasks.p.audit.m.0: should be less than or equal to 1000000 (found 1000000000)",
        ),
        (
            {"task": "data: 'oracle:noise', oracle: {rows: 1000000000}"},
            "tasks.p.oracle.rows: asks for 1000000000 rows; the limit is 1000000",
        ),
        (
            {"task": "data: 'oracle:noise', weights: w"},
            "tasks.p.weights: oracle:noise has no weights",
        ),
        (
            {"task": "data: 'oracle:noise', oracle: {features: 1000000}"},
            "tasks.p.oracle: asks for 200000000 numbers (rows × features); the limit is 100000000",
        ),
        (
            {"task": "data: 'oracle:noise', oracle: {features: 1000}, audit: {m: [1000000]}"},
            "tasks.p.audit: asks for 1000000000 numbers (rows × features); the limit is 100000000",
        ),
        (
            {"top": "batches: 1000000"},
            "batches: should be less than or equal to 10000 (found 1000000)",
        ),
        (
            {"task": "kfold: {k: 400}", "top": "batch_cells: 1"},
            "jobs (tasks × batches, batches of audits); the limit is 10000",
        ),
        (
            {"task": "kfold: {k: 1000, repeats: 1000}, estimators: [kfold]"},
            "tasks.p: asks for 1000000 held-out sets (1000000 folds); the limit is 100000",
        ),
        (
            {"task": "kfold: {k: 1000}, estimators: [nested_cv]"},
            "(1000 folds + 499500 pairs); the limit is 100000",
        ),
        (
            {
                "task": "estimators: [kfold, training], kfold: {k: 10}",
                "learners": "knn: {estimator: knn, grid: {n_neighbors: {range: [0, 100000]}}}",
            },
            "tasks.p: asks for 1100000 cells (100000 values of θ × 11 held-out sets); the limit is",
        ),
        (
            {"learners": "knn: {estimator: knn, params: {when: 2020-01-01}}"},
            "learners.knn.params.when: found a date, 2020-01-01; put it in quotes",
        ),
        (
            {"learners": "knn: {estimator: knn, params: {class_weight: {1: 2, b: 3}}}"},
            "learners.knn.params.class_weight: some keys are texts and some are numbers",
        ),
        ({"top": f"seed: 0x{'f' * 5000}"}, "seed: about 10^6020 is too large a number"),
        (
            {"task": "kfold: {k: 2}, estimators: [nested_cv]"},
            "tasks.p.kfold.k: nested CV leaves out pairs of folds and needs k ≥ 3, found 2",
        ),
        (
            {"task": "select: {by: loo}, estimators: [kfold, nested_dev, nested_cv, test]"},
            "tasks.p.select.by: θ is chosen by loo, but in the outer folds of nested_cv and nested_dev by "
            "K-fold over the inner folds, so that another procedure would be rated than the one that is "
            "used; set tasks.p.select.by: kfold, or leave out nested_cv and nested_dev: estimators: "
            "[kfold, test]",
        ),
        (
            {"task": "select: {by: holdout}"},
            "leave out nested_cv, which is there by default: estimators: "
            "[training, holdout, kfold, min_cv, test]",
        ),
        (
            {"task": "select: {by: montecarlo}, estimators: [nested_dev]"},
            "or leave out nested_dev: estimators: [montecarlo]",
        ),
    ],
)
def test_messages(additions, message):
    assert message in message_of(config(**additions))


@pytest.mark.parametrize("by", [name for name in selector_names() if name != "rolling"])
def test_any_estimate_may_choose_where_nothing_is_nested(by):
    assert Study(config(f"select: {{by: {by}}}, estimators: [kfold, min_cv, test]"))


@pytest.mark.parametrize("rule", ["min", "one_se", "first_local_min"])
def test_nested_estimators_go_with_every_rule_by_kfold(rule):
    assert Study(config(f"select: {{rule: {rule}}}, estimators: [nested_cv, nested_dev]"))


def test_a_config_without_tasks_or_learners_says_so():
    assert "tasks: is missing" in message_of({})
    assert "tasks.p.learners: is missing" in message_of(
        {"tasks": {"p": {"data": "d.csv", "target": "y"}}}
    )


@pytest.mark.parametrize("name", ["a" * 20, "ab" * 20, "x" + "1" * 30])
def test_task_names_that_repeat_themselves_are_refused(name):
    """Snakemake would raise a PeriodicWildcardError."""
    task = {"data": "d.csv", "target": "y", "learners": ["knn"]}
    assert f"tasks.{name}: the name ends in the same characters 20" in message_of(
        {"tasks": {name: task}}
    )
    assert Study({"tasks": {name[1:20] + "_" * 19: task}})


def test_the_name_of_the_index_is_no_tasks():
    task = {"data": "d.csv", "target": "y", "learners": ["knn"]}
    assert "tasks.index.html: the name 'index.html' is kept" in message_of(
        {"tasks": {"index.html": task}}
    )


def test_aliases_of_aliases_are_refused_before_they_are_walked():
    laughs = ["ha"]
    for _ in range(9):
        laughs = [laughs] * 10
    for raw in (config() | {"learners": laughs}, config() | {"tasks": {"p": laughs}}):
        assert "values with all aliases written out; the limit is 200000" in message_of(raw)


def test_a_long_value_is_cut_off_in_the_message():
    message = message_of(config() | {"seed": ["x" * 1000]})
    assert "seed: should be a valid integer (found ['xxx" in message
    assert len(message) < 400


def test_all_mistakes_are_listed_each_once():
    lines = message_of(config("tset: 1, test: 7, kfold: {k: 1}", top="sede: 1")).splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "sede",
        "tasks.p.kfold.k",
        "tasks.p.test",
        "tasks.p.tset",
    ]


def test_exponents_are_numbers_although_yaml_reads_them_as_text():
    raw = config("test: 1e-1", "knn: {estimator: sklearn.svm.SVC, grid: {C: [1e-3, 1.E+2, 5]}}")
    assert raw["learners"]["knn"]["grid"]["C"][0] == "1e-3"
    config_ = validate(raw)
    assert config_.learners["knn"].grid == {"C": [0.001, 100.0, 5]}
    assert config_.tasks["p"].test == 0.1


def test_other_texts_stay_texts():
    texts = ["e", "1e", "rbf", "1-3", "0x1e-3", "1e-3 "]
    raw = config() | {"learners": {"knn": {"estimator": "knn", "params": {"p": texts}}}}
    assert validate(raw).learners["knn"].params == {"p": texts}


def test_a_test_set_may_be_a_path():
    assert validate(config("test: data/new.csv")).tasks["p"].test == "data/new.csv"


def test_the_config_does_not_change_after_validation():
    from pydantic import ValidationError

    with pytest.raises(ValidationError, match="frozen"):
        validate(config()).seed = 3


def test_classes_in_costs_are_texts_whatever_yaml_makes_of_them():
    raw = yaml.safe_load(
        "{tasks: {t: {data: d.csv, target: y, learners: [knn], loss: {costs: {yes: {no: 5}, no: {yes: 1}}}}}}"
    )
    assert validate(raw).tasks["t"].loss == {"costs": {"yes": {"no": 5}, "no": {"yes": 1}}}
    raw["tasks"]["t"]["loss"] = {"costs": {1: {2: 0.5}}}
    assert validate(raw).tasks["t"].loss == {"costs": {"1": {"2": 0.5}}}
