"""What a run will cost: cells are counted, probes are multiplied, what is stored is not counted again."""

import json
from pathlib import Path

import pytest
import small_study

from heldout.cells.price import LearnerPrice, Missing, Price, Probe, as_json
from heldout.cells.probe import in_mixed_order
from heldout.cli import main
from heldout.cli.price import lines, sentence
from heldout.execution import pricing, probing
from heldout.execution.pricing import price_of
from heldout.execution.probing import Measured
from heldout.execution.study import Study

RESULTS = Path("results")
CSV = "\n".join(
    [
        ",".join(small_study.small_table()),
        *(",".join(map(str, row)) for row in zip(*small_study.small_table().values(), strict=True)),
    ]
)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    Path("small.csv").write_text(CSV)
    return Study(small_study.CONFIG, cores=1)


def test_cells_and_megabytes_are_those_of_the_run(study: Study) -> None:
    """Of a real run; then all of it is in the store, and a new θ is all that is to fit."""
    before = price_of(study, "small", RESULTS, seconds=20)
    assert not RESULTS.exists(), "pricing writes nothing"
    assert not Path(".heldout").exists()
    assert (before.stored, before.rough) == (0, False)
    assert all(one.probe and not one.probe.failure for one in before.learners)
    for step in small_study.STEPS[:3]:
        small_study.run_step(study, RESULTS / "small", step)
    manifest = json.loads((RESULTS / "small/cells/manifests/1-of-1.json").read_text())
    cells = sum(len(entry["sets"]) for entry in manifest["cells"])
    assert before.cells == cells == 15, "3 θ, and all rows, the dev set's and 3 folds"
    files = [path for path in (RESULTS / "small/cells").rglob("*") if path.is_file()]
    true = sum(path.stat().st_size for path in files if "manifests" not in path.parts) / 1e6
    assert true / 3 < before.megabytes < 3 * true

    again = price_of(study, "small", RESULTS)  # without a process: there is nothing to time
    assert (again.cells, again.stored, again.megabytes) == (15, 15, 0)
    assert [one.probe for one in again.learners] == [None, None]
    assert "15 cells, all of them fitted" in sentence(again)

    (RESULTS / "small/cells/knn/n_neighbors=5/full.model").unlink()  # a cell lacks its model
    more = json.loads(json.dumps(small_study.CONFIG))
    more["learners"]["tree"]["grid"]["max_depth"] = [2, 3]
    added = price_of(Study(more, cores=1), "small", RESULTS)
    assert (added.cells, added.stored) == (20, 14)
    knn, tree = added.learners
    assert knn.missing.stored == 9
    assert tree.probe is not None
    assert (tree.missing.stored, tree.missing.to_fit) == (5, 2.5), "half of five sets"


def test_leave_one_out_is_counted_in_chunks_and_timed_by_row(study: Study) -> None:
    config = json.loads(json.dumps(small_study.CONFIG))
    config["tasks"]["small"] |= {"estimators": ["training", "loo"], "select": {"by": "loo"}}
    price = price_of(Study(config, cores=1), "small", RESULTS)
    _, tree = price.learners
    assert tree.missing.cells == 2, "all rows, and a chunk of the 48"
    assert tree.missing.members == 48
    assert tree.probe is not None
    assert tree.probe.member > 0
    assert tree.seconds > 40 * tree.probe.member


def test_a_probe_that_takes_too_long_is_ended_and_guessed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No time at all: nothing is known but that it takes longer."""
    monkeypatch.setattr(probing, "SHARES", (0.5,))
    price = price_of(study, "small", RESULTS, seconds=0.0)
    assert price.rough
    said = "\n".join(lines(price))
    assert "more than" in said
    assert "no fit has ended in time; --seconds gives more" in said


def test_a_fit_that_fails_is_said(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    config = json.loads(json.dumps(small_study.CONFIG))
    config["learners"]["knn"]["grid"] = {"n_neighbors": [100]}
    price = price_of(Study(config, cores=1), "small", RESULTS)
    assert "a fit has failed" in "\n".join(lines(price))


def test_code_of_the_user_is_not_called_unless_asked(study: Study) -> None:
    Path("mine.py").write_text("raise SystemExit('called')")
    config = json.loads(json.dumps(small_study.CONFIG))
    config["learners"]["knn"] = {"estimator": "mine.Model"}
    price = price_of(Study(config, cores=1), "small", RESULTS)
    assert list(price.unpriced) == ["knn"]
    assert any("--learners" in line for line in lines(price))


def test_check_says_the_price(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.yaml").write_text(json.dumps(small_study.CONFIG))
    assert main(["check", "--config", "c.yaml", "--price", "--cores", "1"]) == 0
    said = capsys.readouterr().out
    assert "small: 15 cells, about " in said
    assert " on 1 core, " in said
    assert not RESULTS.exists()


# --- arithmetic ----------------------------------------------------------------------------------


def price(seconds: float, **probe: float) -> Price:
    missing = Missing(cells=340, stored=100, thetas=20, sets=17, to_fit=12, members=30, chunks=1)
    learner = LearnerPrice("forest", missing, Probe(seconds, seconds, 1e6, **probe), jobs=2)
    return Price("t", [learner], cores=2, steps=4.0)


def test_seconds_are_those_of_the_sets_and_rows_that_are_missing() -> None:
    one = price(10.0, member=0.5, fixed=3.0)
    assert one.seconds == (12 * 10 + 30 * 0.5 + 3) / 2 + 4
    assert as_json(one)["megabytes"] == 12
    assert sentence(one) == "340 cells, 100 of them fitted, about 73 s on 2 cores, 12 MB"


def test_a_run_of_an_hour_is_told_what_to_cut() -> None:
    assert not any("to cut" in line for line in lines(price(500.0)))
    [cut] = [line for line in lines(price(700.0)) if "to cut" in line]
    assert "learner 'forest' takes 100% of the time: fewer θ in its grid" in cut


def test_a_part_of_a_grid_stands_for_all() -> None:
    found = probing._probe(Measured(cells=(5, 10.0), left=50.0), thetas=20)
    assert (found.first, found.later, found.size, found.share) == (40.0, 40.0, 200.0, 0.25)
    whole = probing._probe(Measured(sets=[(10.0, 3.0), (30.0, 1.0), (20.0, 2.0)]), thetas=20)
    assert (whole.first, whole.later, whole.size, whole.share) == (3.0, 1.5, 20.0, 1.0)


def test_rows_of_leave_one_out_by_the_difference_of_two_chunks() -> None:
    found = probing._probe(Measured(sets=[(1.0, 1.0)], members=[(2, 1.2), (8, 1.8)]), thetas=1)
    assert (found.fixed, found.member) == pytest.approx((1.0, 0.1))


def test_corners_come_first() -> None:
    grid = [{"a": a, "b": b} for a in range(4) for b in range(5)]
    mixed = in_mixed_order(grid)
    assert mixed[:2] == [grid[0], grid[-1]]
    assert sorted(map(str, mixed)) == sorted(map(str, grid))
    assert in_mixed_order(grid[:1]) == grid[:1]


def test_what_is_not_counted_is_said() -> None:
    config = json.loads(json.dumps(small_study.CONFIG))
    config["learners"]["knn"]["grid"] = {"n_neighbors": {"from": 1}}
    config["tasks"]["small"]["select"] = {"rule": "first_local_min", "maximum": 12}
    config["tasks"]["small"]["learners"] = ["knn"]
    [note] = pricing._notes(Study(config).task("small"))
    assert "endless grid: counted as 12 θ" in note
