"""A spec as text: what Snakemake compares, and what a job is given.

The text is canonical JSON with the step's name, the digest of its code and its spec. A step runs
again if and only if this text changed.
"""

import json
from dataclasses import asdict
from typing import Any, NamedTuple

from heldout.names import canonical
from heldout.provenance import code_digest


class Given(NamedTuple):
    """What a job is given: the step's name, and its spec as JSON."""

    step: str
    spec: Any


def spec_text(step: str, spec: Any) -> str:
    """The text of a step's spec."""
    code = code_digest(f"heldout.execution.steps.{step}")
    return canonical({"step": step, "code": code, "spec": asdict(spec)})


def read_text(text: str) -> Given:
    """The step and the spec of a text."""
    found = json.loads(text)
    return Given(found["step"], found["spec"])
