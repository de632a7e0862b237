"""How cells are divided among jobs, and which divisions are complete."""

from pathlib import Path

from heldout.execution.batches import batches_for_cluster, batches_for_cores, complete_sets


def write_set(folder: Path, batches: int) -> list[Path]:
    """The receipts of one division."""
    (folder / "receipts").mkdir(exist_ok=True)
    names = [f"fit_cells.{batch}-of-{batches}.json" for batch in range(1, batches + 1)]
    paths = [folder / "receipts" / name for name in names]
    for path in paths:
        path.touch()
    return paths


def test_complete_divisions_count(tmp_path: Path) -> None:
    assert complete_sets(tmp_path) == []
    write_set(tmp_path, 3)
    write_set(tmp_path, 1)
    assert sorted(complete_sets(tmp_path)) == [1, 3]


def test_a_division_with_a_missing_receipt_does_not_count(tmp_path: Path) -> None:
    write_set(tmp_path, 3)[1].unlink()
    assert complete_sets(tmp_path) == []


def test_other_receipts_are_no_batches(tmp_path: Path) -> None:
    [only] = write_set(tmp_path, 1)
    for name in ("fit_cells.2-of-1.json", "fit_cells.0-of-1.json", "estimate_risks.json"):
        only.rename(only.with_name(name))
        assert complete_sets(tmp_path) == []
        only = only.with_name(name)


def test_a_batch_is_worth_its_start() -> None:
    assert [batches_for_cores(cells, 4) for cells in (0, 20, 21, 10_000)] == [1, 1, 2, 4]
    assert batches_for_cluster(10_000, units=100, cells_per_job=None) == 20
    assert batches_for_cluster(10_000, units=100, cells_per_job=1) == 100
