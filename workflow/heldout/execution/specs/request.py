"""The request of a step: its name, the digest of its code, and its spec as JSON.

A step runs again if its request changed.
"""

import json
from dataclasses import asdict
from typing import Any

from heldout.names import canonical
from heldout.provenance import code_digest


def request_of(step: str, spec: Any) -> dict[str, Any]:
    """The request of a step with a spec, as JSON gives it back."""
    spec_as_json = json.loads(canonical(asdict(spec)))
    return {
        "step": step,
        "code": code_digest(f"heldout.execution.steps.{step}"),
        "spec": spec_as_json,
    }
