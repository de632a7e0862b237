"""Renders a template into one self-contained page."""

import os
import sys
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

from heldout.report import assets, display


def environment() -> Environment:
    """Templates with escaping on; a missing value is an error."""
    templates = Environment(
        loader=FileSystemLoader(assets.HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    templates.filters["significant"] = display.significant
    templates.filters["theta"] = display.theta_text
    templates.filters["score"] = display.score
    templates.filters["formula"] = display.formula
    return templates


def _compiled() -> FileSystemBytecodeCache | None:
    """Compiled templates beside Python's own bytecode: compiling them takes longer than filling them."""
    folder = assets.HERE / "__pycache__"
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return None
    return FileSystemBytecodeCache(str(folder), f"%s.{sys.implementation.cache_tag}.jinja")


def render(template: str, payload: dict[str, Any] | None, **context: Any) -> str:
    """A page with its styles, its scripts and its data; without data no chart library."""
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
