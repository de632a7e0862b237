"""The keys that say how a table is read, and what `heldout check` says of it."""

import pytest
import yaml

from heldout.cli import main
from heldout.errors import HeldoutError
from heldout.execution.specs import build
from heldout.execution.study import Study

LEARNERS = {"knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 3]}}}


def study(**keys):
    task = {"data": "t.csv", "target": "y", "learners": ["knn"]} | keys
    return {"tasks": {"t": task}, "learners": LEARNERS}


def test_they_reach_the_step_that_reads():
    keys = {"delimiter": "\t", "decimal": ",", "thousands": "", "encoding": "cp1250", "sheet": "s"}
    given = study(**keys, missing=["?"], missing_target="refuse")
    request = build.prepare_data(Study(given).task("t"))
    assert request.reading.fixed() == keys
    assert (list(request.missing), request.missing_target) == (["?"], "refuse")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"delimiter": ";;"}, "tasks.t.delimiter: should be one character"),
        ({"delimiter": '"'}, "tasks.t.delimiter: should be one character"),
        ({"decimal": ";"}, "tasks.t.decimal"),
        ({"thousands": "_"}, "tasks.t.thousands"),
        ({"encoding": "utf-9"}, "tasks.t.encoding: should be an encoding that Python knows"),
        ({"missing_target": "keep"}, "tasks.t.missing_target"),
        ({"decimal": ",", "thousands": ","}, "tasks.t.thousands: ',' is the decimal mark too"),
    ],
)
def test_what_cannot_be_is_refused(keys, message):
    with pytest.raises(HeldoutError) as error:
        Study(study(**keys)).task("t")
    assert message in str(error.value)


def test_check_says_how_the_table_was_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},5;{i % 3};{'é' if i % 2 else 'b'}" for i in range(60)] + ["1,5;2;"] * 3
    (tmp_path / "t.csv").write_text("\n".join(["x;z;y", *rows]), encoding="latin-1")
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(study()))
    assert main(["check", "--config", "c.yaml"]) == 0
    line = "  t.csv: csv, delimiter ';', decimal comma, latin-1, 63 rows × 3 columns; 3 rows without a target left out\n"
    assert line in capsys.readouterr().out
