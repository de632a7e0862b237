"""The audit: same estimates as the workflow, correct true risks, and known theorems.

Monte Carlo tolerances are four standard errors; seeds are fixed.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from audit_run import auditor_of, run_audit
from inprocess import run_task

from heldout.audit import findings
from heldout.audit.batch import read_batch
from heldout.audit.replicate import Auditor
from heldout.audit.source import PopulationSource
from heldout.audit.summary import controlled_mean
from heldout.data.prepared import ROWS, Prepared, open_prepared
from heldout.errors import HeldoutError
from heldout.execution.study import Study
from heldout.names import seed_for
from heldout.resampling.draw import draw_bootstrap
from heldout.resampling.rows import Rows


def config_of(data: str, learners: dict[str, Any], level: float = 0.9, **task: Any) -> Any:
    task = {"data": data, "target": "y", "test": 0, "learners": list(learners), **task}
    return {"seed": 11, "level": level, "tasks": {"t": task}, "learners": learners}


def audit_of(replicates: int, m: int, batch: int | None = None, truth: int = 500) -> Any:
    return {"replicates": replicates, "m": [m], "batch": batch or replicates, "truth": truth}


# --- the numbers audited are the numbers reported ---------------------------------------------

REGRESSION = config_of(
    "oracle:gaussian_linear",
    {
        "linear": {"estimator": "linear"},
        "ridge": {"estimator": "ridge", "grid": {"alpha": [0.1, 1, 10, 100]}},
    },
    loss="squared",
    test=0.25,
    estimators=[
        *("training", "holdout", "kfold", "kfold_adjusted", "loo", "montecarlo", "bootstrap"),
        *("min_cv", "nested_cv", "nested_dev", "test"),
    ],
    kfold={"k": 5},
    montecarlo={"rounds": 4, "halvings": 2},
    bootstrap={"bags": 6},
    select={"by": "kfold", "rule": "one_se"},
    audit=audit_of(2, 33),
)
CLASSIFICATION = config_of(
    "oracle:mixture",
    {
        "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 3, 7]}},
        "forest": {"estimator": "forest", "grid": {"n_estimators": [3, 6]}},
    },
    loss="zero_one",
    test=0.25,
    estimators=["training", "holdout", "kfold", "loo", "bootstrap", "min_cv", "nested_cv", "test"],
    kfold={"k": 3},
    bootstrap={"bags": 5},
    select={"by": "kfold", "rule": "first_local_min", "patience": 1},
    audit=audit_of(2, 30),
)
BY_LOO = CLASSIFICATION | {
    "tasks": {
        "t": CLASSIFICATION["tasks"]["t"]
        | {"estimators": ["training", "kfold", "loo", "min_cv", "test"], "select": {"by": "loo"}}
    }
}


GROUPED = config_of(
    "oracle:grouped_classes",
    {"knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 3]}}, "tree": {"estimator": "tree"}},
    groups="group",
    test=0.25,
    estimators=["training", "kfold", "nested_cv", "test"],
    kfold={"k": 4, "repeats": 2},
    audit=audit_of(2, 60),
)
CATEGORIES = config_of(
    "oracle:categories",
    {
        "logistic": {"estimator": "logistic", "grid": {"C": [0.01, 1]}},
        "tree": {"estimator": "tree"},
    },
    loss="cross_entropy",
    test=0.25,
    estimators=["training", "kfold", "nested_cv", "test"],
    kfold={"k": 3},
    audit=audit_of(2, 60),
)


def write_csv(path: Path, table: Prepared) -> None:
    columns = table.facts["schema"]["columns"]
    spelled = [spell(table.features[:, i], one["levels"]) for i, one in enumerate(columns)]
    names = [*table.names, "group", "y"] if table.grouped else [*table.names, "y"]
    groups = [table.rows["unit"].tolist()] if table.grouped else []
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        labels = spell(table.target, table.classes or [])
        writer.writerows(zip(*spelled, *groups, labels, strict=True))


def spell(values: np.ndarray, levels: Sequence[str]) -> list[Any]:
    return [levels[int(code)] for code in values] if levels else values.tolist()


@pytest.mark.parametrize(
    "config",
    [REGRESSION, CLASSIFICATION, BY_LOO, GROUPED, CATEGORIES],
    ids=["numbers", "classes", "by loo", "groups", "categories"],
)
def test_audited_estimates_are_those_of_the_workflow(config: Any, tmp_path: Path) -> None:
    m = config["tasks"]["t"]["audit"]["m"][0]
    auditor = auditor_of(config, tmp_path, m)
    seed = seed_for(11, "t", "audit", f"m{m}", "1")
    draw = auditor.setup.source.draw(m, auditor.setup.test_rows(m), seed)
    write_csv(tmp_path / "table.csv", draw.table)
    write_csv(tmp_path / "test.csv", draw.test)
    task = {**config["tasks"]["t"], "data": str(tmp_path / "table.csv")}
    task |= {"test": str(tmp_path / "test.csv")}
    task.pop("audit")
    run = run_task({**config, "seed": seed, "tasks": {"t": task}}, tmp_path / "run")
    audited = auditor.replicate(m, 1).rows
    reported = {
        (row.learner, row.estimator, row.interval or ""): row
        for row in run.estimates
        if row.estimator != "test" or row.learner == "all"
    }
    assert set(audited) == set(reported)
    for name, value in audited.items():
        row = reported[name]
        assert value.risk == pytest.approx(row.risk, rel=1e-9), name
        assert auditor.setup.pairs[int(value.pair)][0] == row.chosen
        if row.interval:
            assert (value.low, value.high) == pytest.approx((row.ci_low, row.ci_high), rel=1e-9)


# --- the theorems ------------------------------------------------------------------------------


def ols_risk(m: int, p: int) -> float:
    """σ² = 1: (1 + 1/m)(m − 2)/(m − p − 2) for p Gaussian features and an intercept."""
    return (1 + 1 / m) * (m - 2) / (m - p - 2)


def linear(m: int, replicates: int, **task: Any) -> Any:
    return config_of(
        "oracle:gaussian_linear",
        {"linear": {"estimator": "linear"}},
        oracle={"features": 3},
        loss="squared",
        audit=audit_of(replicates, m),
        **task,
    )


def test_leave_one_out_is_unbiased_for_one_example_less(tmp_path: Path) -> None:
    audit = run_audit(linear(21, 600, estimators=["loo"], select={"by": "loo"}), tmp_path)
    own, wanted = audit.row("loo", "algorithm_own_size"), audit.row("loo", "algorithm")
    assert abs(own.bias) <= 4 * own.bias_se
    assert abs(own.truth - ols_risk(20, 3)) <= 4 * own.truth_se
    assert abs(wanted.truth - ols_risk(21, 3)) <= 4 * wanted.truth_se
    assert own.bias_se < 0.02, "the test has power"


def test_fewer_folds_are_more_pessimistic(tmp_path: Path) -> None:
    biases = []
    for k in (2, 10):
        config = linear(40, 300, estimators=["kfold"], kfold={"k": k})
        row = run_audit(config, tmp_path / str(k)).row("kfold", "algorithm")
        expected = ols_risk(40 - 40 // k, 3) - ols_risk(40, 3)
        assert abs(row.bias - expected) <= 4 * row.bias_se
        biases.append(row)
    assert biases[0].bias > 4 * biases[0].bias_se, "two folds are pessimistic, visibly"
    assert biases[0].bias > biases[1].bias + 4 * biases[1].bias_se


def test_on_noise_min_cv_is_optimistic_and_nested_cv_is_not(tmp_path: Path) -> None:
    features = 8
    config = config_of(
        "oracle:noise",
        {
            "one": {
                "estimator": "ridge",
                "params": {"alpha": 1.0},
                "grid": {"features": [[f"x{i + 1}"] for i in range(features)]},
            }
        },
        oracle={"features": features},
        estimators=["min_cv", "nested_cv"],
        kfold={"k": 4, "stratify": False},
        audit=audit_of(80, 40, truth=100),
    )
    audit = run_audit(config, tmp_path)
    smallest, nested = audit.row("min_cv", "tuned"), audit.row("nested_cv", "tuned")
    assert smallest.truth == nested.truth == 0.5
    assert smallest.bias < -4 * smallest.bias_se
    assert abs(nested.bias) <= 4 * nested.bias_se
    assert abs(nested.bias) < abs(smallest.bias) / 2
    assert audit.selections[0].best_selected == 1, "all are equally good"


def test_a_bag_leaves_out_about_37_percent() -> None:
    n, bags = 24, 2000
    split = draw_bootstrap(Rows(np.arange(n)), list(range(bags)))
    out = 1 - np.bincount(split["bag"], minlength=bags + 1)[1:] / n
    assert abs(out.mean() - (1 - 1 / n) ** n) <= 4 * out.std() / np.sqrt(bags)
    assert (1 - 1 / n) ** n == pytest.approx(0.36, abs=0.001)


def test_bootstrap_is_pessimistic(tmp_path: Path) -> None:
    """A bag of 20 holds some 13 different rows, too few for four coefficients."""
    config = linear(20, 100, estimators=["kfold", "bootstrap"], bootstrap={"bags": 10})
    row = run_audit(config, tmp_path).row("bootstrap", "algorithm")
    assert row.bias > 4 * row.bias_se
    assert row.relative_bias > 0.1


def test_632_of_nearest_neighbours_is_optimistic(tmp_path: Path) -> None:
    """Their training risk is 0, and .632 gives it the weight .368."""
    config = config_of(
        "oracle:two_gaussians",
        {"nearest": {"estimator": "knn", "params": {"n_neighbors": 1}}},
        oracle={"features": 5},
        estimators=["kfold", "bootstrap"],
        kfold={"k": 3},
        bootstrap={"bags": 20},
        audit=audit_of(40, 30),
    )
    audit = run_audit(config, tmp_path)
    row = audit.row("bootstrap_632", "algorithm")
    assert row.bias < -4 * row.bias_se
    assert audit.row("training", "predictor").estimate == 0


def test_exact_intervals_keep_their_level_on_development_and_test_sets(tmp_path: Path) -> None:
    """The union bound holds although θ was chosen on the development set."""
    config = config_of(
        "oracle:two_gaussians",
        {"ridge": {"estimator": "ridge", "grid": {"alpha": [0.1, 10, 1000]}}},
        test=0.4,
        estimators=["holdout", "kfold", "test"],
        holdout={"fraction": 0.4},
        kfold={"k": 2},
        audit=audit_of(300, 40),
    )
    audit = run_audit(config, tmp_path)
    error = np.sqrt(0.9 * 0.1 / 300)
    exact = audit.row("test", "predictor", "clopper_pearson")
    union = audit.row("holdout", "fitted_models", "hoeffding_union")
    assert exact.derived == union.derived == 1
    assert exact.coverage is not None
    assert exact.coverage >= 0.9 - 4 * error
    assert union.coverage == 1, "distribution-free and for three θ at once: wide"
    assert abs(exact.bias) <= 4 * exact.bias_se, "a sealed test is unbiased for this model"
    training = audit.row("training", "predictor")
    assert training.bias < -4 * training.bias_se


def test_intervals_aim_at_what_they_were_derived_for(tmp_path: Path) -> None:
    config = linear(60, 150, estimators=["kfold", "nested_cv"], kfold={"k": 5})
    audit = run_audit(config, tmp_path)
    aims: dict[tuple[str, str], set[str]] = {}
    for row in audit.rows:
        if row.derived:
            aims.setdefault((row.estimator, row.interval), set()).add(row.target)
    assert aims == {
        ("kfold", "tuned_jackknife"): {"predictor", "algorithm"},
        ("kfold", "bayle_all_pairs"): {"fitted_models"},
        ("kfold", "bayle_within_fold"): {"fitted_models"},
        ("kfold", "nadeau_bengio"): {"algorithm_own_size"},
        ("kfold", "bates"): {"predictor"},
        ("nested_cv", "tuned_jackknife"): {"predictor", "tuned"},
        ("nested_cv", "bayle_all_pairs"): {"fitted_models"},
        ("nested_cv", "bayle_within_fold"): {"fitted_models"},
        ("nested_cv", "nadeau_bengio"): {"tuned_own_size"},
    }
    row = audit.row("kfold", "algorithm_own_size", "nadeau_bengio")
    assert row.coverage is not None
    assert row.coverage >= 0.9 - 4 * np.sqrt(0.09 / 150)
    assert audit.row("kfold", "algorithm").fits == 5
    assert audit.row("nested_cv", "tuned").fits == 15, "folds, and pairs of folds"


def test_fits_of_the_dev_set_variant_are_those_that_nested_cv_made_too(tmp_path: Path) -> None:
    config = linear(12, 2, estimators=["nested_cv", "nested_dev"], kfold={"k": 4})
    audit = run_audit(config, tmp_path)
    assert {audit.row(name, "tuned").fits for name in ("nested_cv", "nested_dev")} == {4 + 6}


# --- batches -----------------------------------------------------------------------------------


def small(replicates: int, batch: int, m: int = 12) -> Any:
    config = linear(m, replicates, estimators=["kfold"], kfold={"k": 3})
    config["tasks"]["t"]["audit"]["batch"] = batch
    return config


def test_more_replicates_only_add_batches(tmp_path: Path) -> None:
    few, many = Study(small(4, 2)), Study(small(7, 2))
    assert many.audit_batches("t")[:2] == few.audit_batches("t")
    assert len(many.audit_batches("t")) == 4, "whole batches only"
    first = {"m": "12", "batch": "0001"}
    assert few.request("audit_batch", "t", **first) == many.request("audit_batch", "t", **first)
    run_audit(small(4, 2), tmp_path)
    old = (tmp_path / "audit" / "m12" / "batch-0002.npz").stat().st_mtime_ns
    audit = run_audit(small(7, 2), tmp_path)
    assert (tmp_path / "audit" / "m12" / "batch-0002.npz").stat().st_mtime_ns == old
    assert audit.rows[0].replicates == 8


def test_replicates_do_not_depend_on_batches(tmp_path: Path) -> None:
    one = run_audit(small(6, 6), tmp_path / "one")
    three = run_audit(small(6, 2), tmp_path / "three")
    assert one.rows == three.rows
    assert one.selections == three.selections


def test_a_damaged_batch_is_named(tmp_path: Path) -> None:
    (tmp_path / "batch-0001.npz").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(HeldoutError, match=r"batch-0001\.npz' is damaged"):
        read_batch(tmp_path / "batch-0001.npz")


# --- a table as the population -----------------------------------------------------------------


def population(groups: bool) -> Prepared:
    rows = np.zeros(120, ROWS)
    rows["unit"] = np.arange(120) // 4 if groups else np.arange(120)
    rows["fold"] = -1
    facts = {"groups": "g" if groups else None}
    return Prepared(facts, np.arange(120.0)[:, None], np.arange(120.0), rows)


@pytest.mark.parametrize("groups", [False, True])
def test_draws_from_a_table_are_disjoint_and_keep_groups_whole(groups: bool) -> None:
    source = PopulationSource(population(groups), truth_rows=1000)
    draw = source.draw(40, 20, seed=3)
    parts = [draw.table.target, draw.test.target, draw.truth.target]  # type: ignore[attr-defined]
    assert [len(part) for part in parts] == [40, 20, 60]
    assert len(np.unique(np.concatenate(parts))) == 120
    if groups:
        units = [set((part // 4).astype(int)) for part in parts]
        assert not units[0] & units[1]
        assert not units[0] & units[2]
        assert len(np.unique(draw.table.rows["unit"])) == 10
    again = source.draw(40, 20, seed=3)
    assert np.array_equal(again.table.target, draw.table.target)


def test_a_population_must_be_larger_than_a_draw() -> None:
    with pytest.raises(HeldoutError, match="leaves nothing of the 120"):
        PopulationSource(population(False), 1000).draw(100, 20, seed=1)


def test_audit_of_a_table_renders(tmp_path: Path) -> None:
    config = config_of(
        "sklearn:iris",
        {"knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}}},
        target="target",
        estimators=["kfold", "nested_cv"],
        kfold={"k": 3},
        audit=audit_of(3, 40),
    )
    audit = run_audit(config, tmp_path, steps=["render_audit"])
    row = audit.row("kfold", "algorithm")
    assert 0 <= row.truth < 0.2
    page = (tmp_path / "audit.html").read_text()
    assert "At m = 40" in page
    assert "What to trust" in page
    assert "http://" not in page.split("<script")[0]


# --- oracles with groups and with categories ---------------------------------------------------


def test_an_oracles_groups_are_units_of_the_audit(tmp_path: Path) -> None:
    config = config_of(
        "oracle:grouped_linear",
        {"ridge": {"estimator": "ridge", "grid": {"alpha": [1, 10]}}},
        oracle={"group_size": 4},
        groups="group",
        estimators=["kfold", "nested_cv"],
        kfold={"k": 5},
        audit=audit_of(3, 40),
    )
    auditor = auditor_of(config, tmp_path, 40)
    draw = auditor.setup.source.draw(40, 0, seed=1)
    assert draw.table.grouped
    folds = auditor._splits(draw, 1)["kfold"]["fold"].reshape(-1, 4)
    assert (folds == folds[:, :1]).all(), "no group lies in two folds"
    audit = run_audit(config, tmp_path, steps=["render_audit"])
    assert audit.row("nested_cv", "predictor").truth > 2, "the variance of noise and of effects"


def test_an_ordinary_task_of_an_oracle_with_groups_keeps_them_whole(tmp_path: Path) -> None:
    config = config_of(
        "oracle:grouped_classes",
        {"knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 3]}}},
        oracle={"rows": 80, "group_size": 4},
        groups="group",
        test=0.25,
        estimators=["kfold", "test"],
        kfold={"k": 4},
    )
    run = run_task(config, tmp_path)
    table = open_prepared(run.folder / "data")
    assert table.grouped
    assert table.names == ["x1", "x2", "x3", "x4", "x5"]
    assert np.bincount(table.rows["unit"]).tolist() == [4] * 15


def test_categories_of_an_oracle_are_encoded_in_the_pipeline(tmp_path: Path) -> None:
    config = config_of(
        "oracle:categories",
        {"logistic": {"estimator": "logistic", "grid": {"C": [1.0]}}},
        oracle={"rows": 300, "features": 2, "levels": 5},
        estimators=["kfold"],
        kfold={"k": 3},
    )
    run = run_task(config, tmp_path)
    columns = open_prepared(run.folder / "data").facts["schema"]["columns"]
    assert [one["kind"] for one in columns] == ["category"] * 2
    model = joblib.load(run.folder / "final" / "model.joblib").pipeline
    assert model[-1].coef_.shape == (1, 10), "a column for each level"


@pytest.mark.parametrize(
    ("data", "task", "words"),
    [
        ("oracle:grouped_linear", {}, "set groups: group"),
        ("oracle:grouped_linear", {"groups": "g"}, "set groups: group"),
        ("oracle:noise", {"groups": "group"}, "has no groups"),
        ("oracle:noise", {"kfold": {"column": "fold"}}, "no column of folds"),
    ],
)
def test_the_groups_of_an_oracle_are_its_own(data: str, task: Any, words: str) -> None:
    with pytest.raises(HeldoutError, match=words):
        Study(config_of(data, {"ridge": {"estimator": "ridge"}}, **task))


# --- small parts -------------------------------------------------------------------------------


def test_control_variate_keeps_the_mean_and_shrinks_the_error() -> None:
    generator = np.random.default_rng(1)
    control = generator.normal(size=(400, 60))
    values = 2.0 + control + 0.1 * generator.normal(size=(400, 60))
    found = [controlled_mean(v, c) for v, c in zip(values, control, strict=True)]
    means = np.array([one.mean for one in found])
    assert abs(means.mean() - 2.0) <= 4 * means.std() / np.sqrt(400)
    assert means.std() == pytest.approx(np.mean([one.error for one in found]), rel=0.15)
    assert means.std() < 0.2 * values.mean(axis=1).std()


def test_sentences_of_findings(tmp_path: Path) -> None:
    audit = run_audit(linear(40, 60, estimators=["kfold"], kfold={"k": 2}), tmp_path)
    row = audit.row("training", "predictor")
    text = findings.bias_finding(row).text
    assert "% optimistic (± " in text
    assert findings.headline(audit.rows) == "linear"
    short = next(r for r in audit.rows if r.coverage is not None)
    values = vars(short) | {"coverage": 0.79, "coverage_se": 0.013}
    words = findings.coverage_finding(type(short)(**values)).text
    assert "covers 79\u00a0% (± 1.3) instead of 90\u00a0%." in words
    assert findings.recommendations(audit.rows)[-1].point.estimator == "kfold"


def test_endless_grids_and_misplaced_oracles_are_refused() -> None:
    config = linear(20, 10, select={"rule": "first_local_min"})
    config["tasks"]["t"]["learners"] = ["knn"]
    config["learners"] = {"knn": {"estimator": "knn", "grid": {"n_neighbors": {"from": 1}}}}
    with pytest.raises(HeldoutError, match="endless grid"):
        Study(config)
    with pytest.raises(HeldoutError, match="goes with data: oracle:NAME"):
        Study(config_of("table.csv", {"knn": {"estimator": "knn"}}, oracle={"rows": 3}))
    with pytest.raises(HeldoutError, match="oracles predict 'y'"):
        Study(config_of("oracle:noise", {"knn": {"estimator": "knn"}}, target="z"))


def test_draws_that_the_workflow_refuses_are_drawn_again(tmp_path: Path) -> None:
    config = config_of(
        "oracle:noise",
        {"majority": {"estimator": "majority"}},
        oracle={"features": 1, "share": 0.15},
        estimators=["kfold"],
        kfold={"k": 3},
        audit=audit_of(20, 16, truth=100),
    )
    audit = run_audit(config, tmp_path)
    assert audit.selections[0].refused > 0
    auditor: Auditor = auditor_of(config, tmp_path, 16)
    assert any(auditor.replicate(16, i).refused for i in range(1, 21))
