"""Every coded check, in each of its states, on small tables made for it."""

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task

from heldout.checks import procedure
from heldout.checks.registry import CHECKS
from heldout.errors import HeldoutError
from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import bounds_of, refusals
from heldout.execution.study import Study

REPO = Path(__file__).parents[2]


def table(rows: int = 60, seed: int = 1) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=rows)
    label = np.where(x + generator.normal(size=rows) > 0, "b", "a")
    return {"x": x, "z": generator.normal(size=rows), "y": label}


def run(tmp_path: Path, columns: dict[str, Any], learner: str = "knn", **task: Any) -> Run:
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
    learners = {learner: {"estimator": learner, "grid": grids[learner]}}
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


def test_h004_dev_set_too_small_for_the_grid(tmp_path: Path) -> None:
    found = run(tmp_path, table(30), estimators=["holdout", "kfold"], test=0)
    assert found.check("H004").status == "fail"
    large = run(tmp_path, table(400), estimators=["holdout", "kfold"], test=0)
    assert large.check("H004").status == "pass"


def test_h004_is_not_for_scores_of_sets(tmp_path: Path) -> None:
    found = run(tmp_path, table(30), estimators=["holdout", "kfold"], test=0, loss="roc_auc")
    assert found.check("H004").status == "na"


def test_h005_edge_of_the_grid(tmp_path: Path) -> None:
    columns = table(80)
    flipped = np.arange(80) % 7 == 0
    columns["y"] = np.where((columns["x"] > 0) != flipped, "a", "b")
    found = run(tmp_path, columns, "tree")
    assert found.selection["theta"] == {"max_depth": 1}
    assert found.check("H005").status == "fail"
    assert "max_depth = 1" in found.check("H005").message
    assert run(tmp_path, columns, "majority").check("H005").status == "pass"
    columns["y"] = np.where(columns["x"] > 0, "a", "b")
    found = run(tmp_path, columns, "tree")
    assert found.selection["theta"] == {"max_depth": 1}, "all depths are right: the first one"
    assert found.check("H005").status == "pass", "the grid's edge says nothing"


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


def test_h014_h015_corrections_and_repeats(tmp_path: Path) -> None:
    nested = ["kfold", "min_cv", "nested_cv"]
    found = run(tmp_path, table(), estimators=nested, test=0, kfold={"k": 4, "repeats": 2})
    assert found.check("H014").status in ("pass", "fail")
    assert found.check("H015").status == "fail"
    assert "2 partition(s)" in found.check("H015").message
    assert run(tmp_path, table()).check("H014").status == "na"


def test_h014_shows_scores(tmp_path: Path) -> None:
    found = run(tmp_path, table(), estimators=["kfold", "min_cv"], test=0, loss="roc_auc")
    risk = found.estimate("all", "min_cv").risk
    assert f"min-CV {1 - risk:.4g}," in found.check("H014").message


@pytest.mark.parametrize(("repeats", "status"), [(19, "fail"), (20, "pass")])
def test_h015_wants_twenty_partitions(tmp_path: Path, repeats: int, status: str) -> None:
    folds = {"k": 3, "repeats": repeats}
    found = run(tmp_path, table(30), estimators=["kfold", "nested_cv"], test=0, kfold=folds)
    assert found.check("H015").status == status


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
