"""Reading config files: a key that stands twice is an error, and so is what would fill memory."""

import json
from pathlib import Path

import pytest

from heldout.config.files import check_files, read_config
from heldout.errors import HeldoutError


def refusal(folder: Path, text: str, name: str = "config.yaml") -> str:
    path = folder / name
    path.write_text(text)
    with pytest.raises(HeldoutError) as error:
        read_config(path)
    with pytest.raises(HeldoutError):
        check_files([path])
    return str(error.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 1\nlevel: 0.9\nseed: 2", "line 3: the key 'seed' stands in line 1 too"),
        ("tasks:\n  a: {k: 1}\n  b: {}\n  a: {k: 2}", "line 4: the key 'a' stands in line 2 too"),
        ("a: {b: [{c: 1, d: 2, c: 3}]}", "line 1: the key 'c' stands in line 1 too"),
        ("a: 1\n'a': 2", "line 2: the key 'a' stands in line 1 too"),
        ("16: a\n0x10: b", "line 2: the key '0x10' stands in line 1 too"),
        ("yes: a\n1: b", "line 2: the key '1' stands in line 1 too"),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x", "line 4: the key '<<' stands in line 3 too"),
        ("{a: 1, b: 2, a: 3}", "line 1: the key 'a' stands in line 1 too"),
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str, message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, text) == f"'config.yaml', {message}; remove one of them"


def test_a_key_that_stands_twice_in_json_is_refused(tmp_path: Path) -> None:
    shown = refusal(tmp_path, '{"a": {"b": 1,\n\t"b": 2}}', "config.json")
    assert shown == "'config.json': the key 'b' stands twice; remove one of them"


def test_equal_keys_of_different_mappings_are_fine(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\nc: {x: 4}\n1: a\n'1': b"
    )
    assert read_config(tmp_path / "c.yaml") == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 3, "y": 2},
        "c": {"x": 4},
        1: "a",
        "1": "b",
    }


def test_json_is_read_as_json(tmp_path: Path) -> None:
    given = {"a": ["\t", 1.5, None, "ä"]}
    (tmp_path / "c.json").write_text("\ufeff" + json.dumps(given, indent="\t"), encoding="utf-8")
    assert read_config(tmp_path / "c.json") == given


def laughs(first: str, again: str) -> str:
    lines = [f"x0: &x0 {first}"]
    for i in range(1, 10):
        lines.append(f"x{i}: &x{i} {again.replace('*x', f'*x{i - 1}')}")
    return "\n".join(lines)


BOMBS = {
    "lists": laughs("[1]", f"[{', '.join(['*x'] * 10)}]"),
    "mappings": laughs("{a: 1}", f"{{{', '.join(f'k{i}: *x' for i in range(10))}}}"),
    "merged mappings": laughs("{a: 1}", f"{{<<: [{', '.join(['*x'] * 10)}]}}"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_aliases_of_aliases_are_counted_and_refused(bomb: str, tmp_path: Path) -> None:
    shown = refusal(tmp_path, BOMBS[bomb])
    assert shown.startswith("'config.yaml' holds ")
    assert shown.endswith(" values with all aliases written out; the limit is 200000")
    assert int(shown.split()[2]) > 10**9


@pytest.mark.parametrize("start", ["", "a: "])
@pytest.mark.parametrize("depth", [51, 2000, 100_000])
def test_what_is_deep_is_refused(depth: int, start: str, tmp_path: Path) -> None:
    """As JSON, and as YAML."""
    text = '{"a": ' * depth + "1" + "}" * depth
    assert "more than 50 deep inside each other" in refusal(tmp_path, f"{start}{text}")


def test_what_contains_itself_is_refused(tmp_path: Path) -> None:
    assert "contains itself" in refusal(tmp_path, "a: &a [1, *a]")


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    shown = refusal(tmp_path, "a: " + "x" * 10_000_000)
    assert shown == "'config.yaml' has 10000003 bytes; the limit is 10000000"


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "? [a]\n: 1", "\x00", "a: 1" + "0" * 5000])
def test_what_is_no_yaml_is_said_to_be_none(text: str, tmp_path: Path) -> None:
    assert "'config.yaml' is not YAML: " in refusal(tmp_path, text)


def test_a_file_without_keys_is_refused_when_it_is_read(tmp_path: Path) -> None:
    for text in ("", "[1]", "text"):
        (tmp_path / "c.yaml").write_text(text)
        with pytest.raises(HeldoutError, match="should hold keys at its top level"):
            read_config(tmp_path / "c.yaml")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    check_files([tmp_path / "c.yaml"])
    with pytest.raises(HeldoutError, match="no config at"):
        read_config(tmp_path / "c.yaml")
