"""Every coded check, in each of its states, on small tables made for it."""

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task

from heldout.checks import procedure
from heldout.checks.registry import CHECKS, RETIRED
from heldout.errors import HeldoutError
from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import bounds_of, refusals
from heldout.execution.study import Study
from heldout.measures.registry import LOSSES

REPO = Path(__file__).parents[2]


def table(rows: int = 60, seed: int = 1) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=rows)
    label = np.where(x + generator.normal(size=rows) > 0, "b", "a")
    return {"x": x, "z": generator.normal(size=rows), "y": label}


def run(
    tmp_path: Path,
    columns: dict[str, Any],
    learner: str = "knn",
    block: dict[str, Any] | None = None,
    **task: Any,
) -> Run:
    names = list(columns)
    lines = zip(*(np.asarray(columns[name]).tolist() for name in names), strict=True)
    text = "\n".join(",".join(map(str, line)) for line in lines)
    (tmp_path / "table.csv").write_text(",".join(names) + "\n" + text + "\n")
    given = {
        "data": str(tmp_path / "table.csv"),
        "target": "y",
        "test": 0.2,
        "kfold": {"k": 4},
        "estimators": ["training", "kfold", "test"],
        "learners": [learner],
    }
    grids = {"knn": {"n_neighbors": [3, 5, 7]}, "majority": {}, "tree": {"max_depth": [1, 2, 3]}}
    learners = block or {learner: {"estimator": learner, "grid": grids[learner]}}
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    return run_task({"tasks": {"t": {**given, **task}}, "learners": learners}, folder)


def test_every_check_is_documented_and_listed(tmp_path: Path) -> None:
    page = (REPO / "docs" / "checks.md").read_text(encoding="utf-8")
    found = run(tmp_path, table())
    assert [row.code for row in found.checks] == list(CHECKS)
    for row in found.checks:
        assert f"## {row.code}" in page
        assert row.docs == f"docs/checks.md#{row.code.lower()}"
        assert row.message


def test_h001_leave_one_out_of_a_majority_rule(tmp_path: Path) -> None:
    columns = table(40)
    columns["y"] = np.tile(["a", "b"], 20)
    found = run(tmp_path, columns, "majority", test=0, estimators=["training", "loo", "kfold"])
    assert found.risk("majority", {}, "loo") == 1.0
    assert found.check("H001").status == "fail"
    columns["y"] = np.repeat(["a", "b"], [30, 10])
    unbalanced = run(tmp_path, columns, "majority", test=0, estimators=["training", "loo", "kfold"])
    assert unbalanced.check("H001").status == "pass"


@pytest.mark.parametrize(("errors", "status"), [(32, "pass"), (38, "pass"), (60, "fail")])
def test_h001_rings_beyond_chance_only(errors: int, status: str) -> None:
    target = np.repeat([0, 1], 30)
    data = SimpleNamespace(
        classification=True, weighted=False, target=target, n=60, rows={"unit": np.arange(60)}
    )
    loss_table = SimpleNamespace(table=data, splits={"loo": {}}, loss=LOSSES["zero_one"])
    rows = [SimpleNamespace(learner="m", estimator="loo", risk=errors / 60)]
    context: Any = SimpleNamespace(loss_table=loss_table, estimates=rows)
    assert procedure.loo_of_a_majority_rule(context).status == status


def test_h002_h003_a_class_is_missing(tmp_path: Path) -> None:
    columns = table(40)
    columns["y"] = np.array(["a"] * 19 + ["b"] * 19 + ["c"] * 2)
    columns["fold"] = np.array([0, 1] * 19 + [0, 0])
    found = run(
        tmp_path,
        columns,
        loss="cross_entropy",
        test=0,
        kfold={"column": "fold"},
        estimators=["training", "kfold"],
    )
    assert found.check("H002").status == "fail"
    assert "clipping" in found.check("H002").message
    assert found.check("H003").status == "fail"
    assert all(np.isfinite(row.risk) for row in found.risks)
    assert run(tmp_path, table()).check("H002").status == "pass"


def clear(rows: int) -> dict[str, Any]:
    """A table in which x tells the classes apart."""
    columns = table(rows)
    return columns | {"y": np.where(columns["x"] > 0, "a", "b")}


BY_HOLDOUT: dict[str, Any] = {
    "estimators": ["holdout", "kfold"],
    "test": 0,
    "select": {"by": "holdout"},
}


def test_h004_a_guarantee_that_says_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, clear(30), **BY_HOLDOUT).check("H004")
    assert (found.status, found.severity) == ("fail", "note")
    assert "conservative" in found.message
    assert "the best constant prediction is worse" in found.message
    assert run(tmp_path, clear(400), **BY_HOLDOUT).check("H004").status == "pass"
    weak = run(tmp_path, table(400, seed=4), **BY_HOLDOUT).check("H004")
    assert weak.status == "fail", (
        "the bound is smaller than 1, and larger than what the model gains"
    )
    assert "at most 0.34" in weak.message


def test_h004_does_not_apply(tmp_path: Path) -> None:
    by_kfold = run(tmp_path, table(30), estimators=["holdout", "kfold"], test=0)
    assert by_kfold.check("H004").status == "na"
    assert "not chosen on a development set" in by_kfold.check("H004").message
    scores = run(tmp_path, table(30), **BY_HOLDOUT | {"loss": "roc_auc"})
    assert scores.check("H004").status == "na"


def test_h005_edge_of_the_grid(tmp_path: Path) -> None:
    columns = table(80)
    flipped = np.arange(80) % 7 == 0
    columns["y"] = np.where((columns["x"] > 0) != flipped, "a", "b")
    found = run(tmp_path, columns, "tree")
    assert found.selection["theta"] == {"max_depth": 1}
    assert found.check("H005").status == "pass", "no tree is smaller"
    assert "none beyond makes sense" in found.check("H005").message
    assert found.selection["learners"]["tree"]["edges"] == []
    assert run(tmp_path, columns, "majority").check("H005").status == "pass"


@pytest.mark.parametrize(
    ("depths", "status"), [([1, 2, 3], "fail"), ([2, 3, 4, 5, 6], "pass"), ([5, 6, 7], "pass")]
)
def test_h005_and_the_selection_agree(tmp_path: Path, depths: list[int], status: str) -> None:
    """Five stripes: a tree gains at every depth up to 4."""
    x = np.random.default_rng(3).uniform(size=300)
    stripe = np.searchsorted([0.1, 0.25, 0.45, 0.7], x)
    columns = {"x": x, "y": np.where(stripe % 2 == 1, "a", "b")}
    learners = {"tree": {"estimator": "tree", "grid": {"max_depth": depths}}}
    found = run(tmp_path, columns, "tree", learners)
    row = found.check("H005")
    assert row.status == status
    assert bool(found.selection["learners"]["tree"]["edges"]) == (status == "fail")
    named = any("max_depth" in text for text in found.selection["warnings"])
    assert named == (status == "fail")
    if status == "fail":
        text = "max_depth = 3 is the largest value of the grid, and better than max_depth = 2 by"
        assert text in row.message


def h006(choices: list[str], kept: list[str], p: float = 0.5) -> Any:
    """The outcome for outer folds that choose these θ, if these cannot be told from the best."""
    folds = [
        SimpleNamespace(learner="all", estimator="nested_cv", chosen="a", theta=t) for t in choices
    ]
    rows = [SimpleNamespace(learner="a", theta=t, p_all=p, kept_all=t in kept) for t in "1234567"]
    return procedure.stable_choice(SimpleNamespace(folds=folds, kept=rows))  # type: ignore[arg-type]


def test_h006_unstable_choice(tmp_path: Path) -> None:
    assert h006(["1", "1", "2", "3"], []).status == "pass", "half of them agree"
    assert h006(["1", "2", "3", "4"], []).status == "fail"
    assert h006(["1", "2", "3", "4"], ["1", "3"]).status == "pass", "half are like the best"
    found = h006(["1", "2", "3", "4"], ["1"])
    assert found.status == "fail"
    assert "1 choose one of the 1 θ that cannot be told from the best" in found.message
    told_nothing = h006(["1", "2", "3", "4"], list("1234567"), p=1.0)
    assert told_nothing.status == "fail", "too few groups to tell anything is no agreement"
    assert "cannot be told" not in told_nothing.message
    assert h006([], []).status == "na"
    clear = table(90)
    clear["y"] = np.where(clear["x"] > 0, "a", "b")
    stable = run(tmp_path, clear, "tree", estimators=["kfold", "nested_cv"], test=0)
    assert stable.check("H006").status == "pass"


def test_h017_heavy_tails(tmp_path: Path) -> None:
    columns = table(80)
    noise = np.random.default_rng(3).normal(size=80)
    for outliers, status in ((0, "pass"), (2, "fail")):
        columns["y"] = columns["x"] + noise
        columns["y"][:outliers] += 40
        found = run(tmp_path, columns, "tree", estimators=["kfold", "nested_cv", "test"])
        assert found.check("H017").status == status
        row = found.estimate("tree", "nested_cv")
        assert row.recommended == (status == "pass")
        if status == "fail":
            assert "of 64 held-out losses" in found.check("H017").message
            assert "heavy tails" in row.note
            assert not found.estimate("all", "test").recommended
    assert run(tmp_path, table()).check("H017").status == "na"


@pytest.mark.parametrize("loss", ["r2", "neg_root_mean_squared_error"])
def test_h017_looks_at_the_squares_that_scores_are_made_of(tmp_path: Path, loss: str) -> None:
    columns = table(80)
    noise = np.random.default_rng(3).normal(size=80)
    for outliers, status in ((0, "pass"), (2, "fail")):
        columns["y"] = columns["x"] + noise
        columns["y"][:outliers] += 40
        plain, found = (
            run(tmp_path, columns, "tree", estimators=["kfold"], test=0, loss=one).check("H017")
            for one in ("squared", loss)
        )
        assert found.status == plain.status == status
        assert found.message == plain.message


@pytest.mark.parametrize(("loss", "of_rare", "status"), [
    ("roc_auc", 8, "pass"),
    ("roc_auc", 6, "fail"),
    ("f1", 6, "fail"),
    ("zero_one", 6, "na"),
    ("f1_macro", 6, "na"),
])  # fmt: skip
def test_h018_rows_of_the_class_in_each_fold(
    tmp_path: Path, loss: str, of_rare: int, status: str
) -> None:
    columns = table(60)
    columns["y"] = np.repeat(["a", "b"], [60 - of_rare, of_rare])
    found = run(tmp_path, columns, estimators=["kfold"], test=0, loss=loss).check("H018")
    assert found.status == status
    if status == "fail":
        assert "has 1 row of class 'b'" in found.message


def test_h018_counts_the_positive_class_that_the_config_names(tmp_path: Path) -> None:
    columns = table(60)
    columns["y"] = np.repeat(["a", "b"], [54, 6])
    found = run(tmp_path, columns, estimators=["kfold"], test=0, loss="f1", positive="a")
    assert found.check("H018").status == "pass"


@pytest.mark.parametrize(("rare", "status"), [([*range(0, 60, 5)], "pass"), ([5, 20, 30], "fail")])
def test_h018_rows_of_the_class_in_each_block_of_time(
    tmp_path: Path, rare: list[int], status: str
) -> None:
    columns = table(60) | {"when": np.arange(60), "y": np.repeat("a", 60)}
    columns["y"][rare] = "b"
    more: dict[str, Any] = {"time": "when", "rolling": {"blocks": 5}, "estimators": ["rolling"]}
    found = run(tmp_path, columns, "tree", test=0, loss="f1", **more).check("H018")
    assert found.status == status
    if status == "fail":
        assert found.message.startswith("block 4 has 0 rows of class 'b'")
        assert "rolling.blocks" in found.message


def test_h007_duplicates(tmp_path: Path) -> None:
    columns = {name: np.concatenate([values, values[:5]]) for name, values in table().items()}
    found = run(tmp_path, columns, test=0)
    assert found.check("H007").status == "fail"
    assert found.check("H007").message.startswith("10 of 65 rows (15.4%; 10 equal in all columns")
    columns["who"] = [f"p{i}" for i in range(60)] + [f"p{i}" for i in range(5)]
    assert run(tmp_path, columns, test=0, groups="who").check("H007").status == "pass"


def test_h008_a_feature_is_the_target(tmp_path: Path) -> None:
    columns = table()
    columns["leak"] = np.where(columns["y"] == "a", 17, 4)
    found = run(tmp_path, columns)
    assert found.check("H008").status == "fail"
    assert "'leak'" in found.check("H008").message
    assert run(tmp_path, columns, drop=["leak"]).check("H008").status == "pass"


def test_h009_groups_ignored(tmp_path: Path) -> None:
    columns = table()
    columns["patient_id"] = np.repeat(np.arange(12), 5)
    assert run(tmp_path, columns).check("H009").status == "fail"
    assert run(tmp_path, columns, groups="patient_id").check("H009").status == "na"
    assert run(tmp_path, table()).check("H009").status == "pass"


def test_h010_h011_bags(tmp_path: Path) -> None:
    few = {"estimators": ["kfold", "bootstrap"], "test": 0, "kfold": {"k": 2}}
    found = run(tmp_path, table(40), bootstrap={"bags": 2}, **few)
    assert found.check("H010").status == "fail"
    assert found.check("H011").status == "pass"
    many = run(tmp_path, table(40), bootstrap={"bags": 40}, **few)
    assert many.check("H010").status == "pass"


def test_an_empty_out_of_bag_set_is_counted_and_not_averaged(tmp_path: Path) -> None:
    """Five groups: about one bag in 26 leaves none of them out."""
    columns = table(40)
    columns["who"] = np.tile(np.arange(5), 8)
    found = run(
        tmp_path,
        columns,
        groups="who",
        bootstrap={"bags": 150},
        estimators=["kfold", "bootstrap"],
        test=0,
        kfold={"k": 3, "stratify": False},
    )
    assert found.check("H011").status == "fail"
    assert np.isfinite(found.estimate("knn", "bootstrap").risk)


def test_h012_opened_once(tmp_path: Path) -> None:
    assert run(tmp_path, table()).check("H012").status == "pass"
    assert run(tmp_path, table(), test=0).check("H012").status == "na"


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({}, "pass", ["the message"]),
        ({"state": "opened again", "count": 2}, "fail", ["the message"]),
        ({"state": "refused", "count": 2}, "fail", ["the message"]),
        ({"state": "refused", "count": 1}, "fail", ["the message"]),
        ({"ledger": ["opening 3 is missing"]}, "fail", ["opening 3 is missing", "the message"]),
    ],
)
def test_h012_in_every_state(changes: dict[str, Any], status: str, words: list[str]) -> None:
    test = {"state": "opened", "count": 1, "rows": 9, "message": "the message", "ledger": []}
    context: Any = SimpleNamespace(selection={"test": test | changes})
    found = procedure.test_opened_once(context)
    assert found.status == status
    assert all(word in found.message for word in words)


def h014(low: float, high: float, other: float, se: float | None) -> str:
    """The outcome for min-CV, Tibshirani², nested CV and the standard error of the last one."""
    values = {"min_cv": low, "min_cv_tt": high, "min_cv_bbc": other, "nested_cv": other}
    rows = [
        SimpleNamespace(
            learner="all", estimator=name, risk=risk, se=se if name == "nested_cv" else None
        )
        for name, risk in values.items()
    ]
    loss_table = SimpleNamespace(loss=LOSSES["zero_one"])
    context: Any = SimpleNamespace(estimators=["min_cv"], estimates=rows, loss_table=loss_table)
    return procedure.corrections_hold(context).status


def test_h014_rings_where_the_correction_is_too_large_by_more_than_noise(tmp_path: Path) -> None:
    assert h014(0.2, 0.4, 0.22, 0.05) == "fail"
    assert h014(0.2, 0.25, 0.21, 0.05) == "pass", "less than a standard error"
    assert h014(0.2, 0.4, 0.31, 0.05) == "pass", "less than twice the correction"
    assert h014(1.007, 1.0074, 1.0071, 0.1) == "pass", "all the same"
    assert h014(0.2, 0.4, 0.1, None) == "fail"
    assert run(tmp_path, table()).check("H014").status == "na"


def test_rows_of_bates_say_on_how_many_partitions_they_rest(tmp_path: Path) -> None:
    for repeats, note in ((2, "rests on 2 partitions; its authors average over 20"), (20, None)):
        found = run(
            tmp_path,
            table(30),
            estimators=["kfold", "nested_cv"],
            test=0,
            kfold={"k": 3, "repeats": repeats},
        )
        rows = [row for row in found.estimates if row.interval == "bates"]
        assert rows
        assert not any(row.recommended for row in rows)
        assert all(
            (row.note or "").startswith(note or "") and bool(row.note) == bool(note) for row in rows
        )


def test_retired_codes_are_not_used_again() -> None:
    page = (REPO / "docs" / "checks.md").read_text(encoding="utf-8")
    assert not RETIRED.keys() & CHECKS.keys()
    assert all(f"**{code}.**" in page for code in RETIRED)


def test_h014_shows_scores(tmp_path: Path) -> None:
    found = run(tmp_path, table(), estimators=["kfold", "min_cv"], test=0, loss="roc_auc")
    risk = found.estimate("all", "min_cv").risk
    assert f"min-CV {1 - risk:.4g}," in found.check("H014").message


# --- intervals refuse what they are not for ---------------------------------------------------


def evidence(estimator: str, sets: int = 4, size: int = 5, **more: Any) -> Evidence:
    losses = [np.linspace(0, 1, size) + i for i in range(sets)]
    units = [np.arange(size) + size * i for i in range(sets)]
    return Evidence(estimator, losses, units, ratio=0.25, **more)


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("bayle_within_fold", evidence("loo", size=1), "held-out set of one"),
        ("hoeffding", evidence("test", sets=1), "unbounded"),
        ("hoeffding_union", evidence("holdout", sets=1), "unbounded"),
        ("clopper_pearson", evidence("test", sets=1), "zero-one"),
        ("bayle_all_pairs", evidence("kfold", repeats=2), "one partition"),
        ("bayle_all_pairs", evidence("montecarlo"), "not derived for montecarlo"),
        ("nadeau_bengio", evidence("test"), "not derived for test"),
        ("conservative_z", evidence("montecarlo"), "halvings"),
        ("t", evidence("test", sets=1, size=1), "equal"),
        ("bates", evidence("kfold"), "fold pairs that nested_cv fits"),
        ("bates", evidence("nested_cv"), "not derived for nested_cv"),
        ("bbc", evidence("min_cv_bbc"), "no bootstrap"),
        ("bbc", evidence("kfold"), "not derived for kfold"),
    ],
)
def test_refusals(name: str, given: Evidence, reason: str) -> None:
    assert reason in refusals(given)[name]
    with pytest.raises(ValueError, match=reason):
        bounds_of(name, given, 0.95)


def test_nested_with_two_folds_is_refused() -> None:
    task = {"data": "x.csv", "target": "y", "learners": ["knn"], "kfold": {"k": 2}}
    with pytest.raises(HeldoutError, match="needs k ≥ 3"):
        Study({"tasks": {"t": {**task, "estimators": ["nested_cv"]}}})


def test_nested_with_two_user_folds_is_refused(tmp_path: Path) -> None:
    columns = table(40)
    columns["fold"] = np.tile([0, 1], 20)
    with pytest.raises(HeldoutError, match="needs k ≥ 3, found 2"):
        run(tmp_path, columns, kfold={"column": "fold"}, estimators=["nested_cv"], test=0)
