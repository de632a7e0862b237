"""Render a template as one self-contained page."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from heldout.names import digest
from heldout.report import assets
from heldout.results import display


def environment() -> Environment:
    """Make the environment that renders templates.

    Returns
    -------
    jinja2.Environment
        Escapes HTML, treats a missing value as an error, and has the filters of `display`.

    Examples
    --------
    >>> environment().from_string("{{ name }}").render(name="<b>")
    '&lt;b&gt;'
    """
    templates = Environment(
        loader=FileSystemLoader(assets.HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_Compiled(),
    )
    templates.filters["significant"] = display.significant
    templates.filters["theta"] = display.theta_text
    templates.filters["formula"] = display.formula
    return templates


class _Compiled(FileSystemBytecodeCache):
    """Keeps compiled templates in `__pycache__`, because compiling takes longer than rendering."""

    def __init__(self) -> None:
        compiler = digest(jinja2.__version__, Path(__file__).read_bytes())[:8]
        ending = f"{sys.implementation.cache_tag}.{compiler}.jinja"
        super().__init__(str(assets.HERE / "__pycache__"), f"%s.{ending}")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the file, unless the folder cannot be written."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


def render(template: str, payload: dict[str, Any] | None, **context: Any) -> str:
    """Render a page with its styles, scripts and data; without data it has no chart library."""
    libraries = assets.libraries() if payload is not None else []
    scripts = [*libraries, assets.script()]
    return (
        environment()
        .get_template(template)
        .render(
            style=assets.style(),
            scripts=scripts,
            policy=assets.policy(scripts),
            payload=assets.json_text(payload),
            **context,
        )
    )
