"""Reading config files: JSON or YAML, as Snakemake reads them, but a key that stands twice is an error.

A later one would win in silence. The size is checked before anything is made of it, aliases
included, so a file that would fill memory is refused at once.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from heldout import limits
from heldout.errors import HeldoutError


def read_config(path: Path) -> dict[str, Any]:
    """Read a config file.

    Parameters
    ----------
    path
        A YAML or JSON file.

    Returns
    -------
    dict
        Its content, not yet validated.

    Raises
    ------
    HeldoutError
        If the file is missing, too large, is not YAML, has a key twice, or has no keys.

    Examples
    --------
    >>> _ = (folder / "config.yaml").write_text("seed: 3")
    >>> read_config(folder / "config.yaml")
    {'seed': 3}
    >>> _ = (folder / "config.yaml").write_text("seed: 3\\nlevel: 0.9\\nseed: 4")
    >>> read_config(folder / "config.yaml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heldout.errors.HeldoutError: '...config.yaml', line 3: the key 'seed' stands in line 1 too; remove one of them
    """
    if not path.is_file():
        raise HeldoutError(
            f"no config at '{path}'; `heldout init TABLE --target COLUMN` writes one"
        )
    raw = _read(path)
    if not isinstance(raw, dict):
        raise HeldoutError(f"'{path}' should hold keys at its top level, such as `tasks:`")
    return raw


def check_files(paths: Iterable[str | Path]) -> None:
    """Refuse config files with a key that stands twice, or that are too large.

    For files that Snakemake reads: what stands twice is not in the config any more.

    Parameters
    ----------
    paths
        YAML or JSON files; one that is not there is left to Snakemake.
    """
    for path in map(Path, paths):
        if path.is_file():
            _read(path)


def _read(path: Path) -> Any:
    if path.stat().st_size > limits.CONFIG_BYTES:
        size, limit = path.stat().st_size, limits.CONFIG_BYTES
        raise HeldoutError(f"'{path}' has {size} bytes; the limit is {limit}")
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _from_json(text, path) if text.lstrip()[:1] in ("{", "[") else _from_yaml(text, path)
    except limits.TooMuchError as error:
        raise HeldoutError(f"'{path}' {error}") from None
    except RecursionError:
        raise HeldoutError(f"'{path}' {limits.TOO_DEEP}") from None
    except ValueError as error:  # not UTF-8, or a number of thousands of digits
        raise HeldoutError(f"'{path}' is not YAML: {error}") from None


def _from_json(text: str, path: Path) -> Any:
    """The content of a JSON file; of YAML that only looks like it, as YAML."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise HeldoutError(f"'{path}': the key '{twice}' stands twice; remove one of them")
        return found

    try:
        found = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError:
        return _from_yaml(text, path)
    limits.check_size(found)
    return found


def _from_yaml(text: str, path: Path) -> Any:
    import yaml

    fast: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_events(yaml.parse(text, Loader=fast))
        loader = fast(text)
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            limits.check_size(root, _parts)
            _check_keys(root, loader, path)
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise HeldoutError(f"'{path}' is not YAML: {error}") from None


def _check_events(events: Iterable[Any]) -> None:
    """Refuse what is too deep before it is composed: a deep file would end the process."""
    import yaml

    depth = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > limits.CONFIG_DEPTH:
            raise limits.TooMuchError(limits.TOO_DEEP)


def _parts(node: Any) -> list[Any]:
    """The nodes inside a node: values of a list, or keys and values of a mapping."""
    if isinstance(node.value, str):
        return []
    return [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]


def _check_keys(root: Any, loader: Any, path: Path) -> None:
    """Refuse a mapping that has a key twice."""
    import yaml

    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting += _parts(node)
            if isinstance(node, yaml.MappingNode):
                _check_mapping(node, loader, path)


def _check_mapping(node: Any, loader: Any, path: Path) -> None:
    lines: dict[Any, int] = {}
    for key_node, _ in node.value:
        if not isinstance(key_node.value, str):
            continue  # a list or a mapping as a key is refused when it is made
        merged = key_node.tag.endswith(
            ":merge"
        )  # the key <<, which holds what others are taken from
        key = key_node.tag if merged else loader.construct_object(key_node)
        line = key_node.start_mark.line + 1
        if key in lines:
            raise HeldoutError(
                f"'{path}', line {line}: the key '{key_node.value}' stands in line {lines[key]} too; "
                "remove one of them"
            )
        lines[key] = line
