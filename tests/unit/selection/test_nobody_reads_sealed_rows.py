"""Everything but the test works without the sealed rows."""

import json
from pathlib import Path

import pytest
import small_study

from heldout.execution.study import Study


def test_only_the_opening_reads_the_sealed_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is replaced by nonsense as soon as it is written: who reads it fails."""
    monkeypatch.chdir(tmp_path)
    Path("small.csv").write_text(
        "\n".join(
            [
                ",".join(small_study.small_table()),
                *(
                    ",".join(map(str, row))
                    for row in zip(*small_study.small_table().values(), strict=True)
                ),
            ]
        )
    )
    study, folder = Study(small_study.CONFIG), Path("results/small")
    readers = ("open_test", "score_test", "write_card", "tabulate_estimates")
    for step in (one for one in small_study.STEPS if one not in readers):
        small_study.run_step(study, folder, step)
        (folder / "vault" / "sealed.parquet").write_bytes(b"nobody reads this")
    assert json.loads((folder / "selection" / "choice.json").read_text())["learner"]
    with pytest.raises(Exception, match="Parquet"):
        small_study.run_step(study, folder, "open_test")
