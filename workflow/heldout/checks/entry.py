"""An entry of the registry of checks. Standard library only."""

from dataclasses import dataclass

from heldout.registries import refuse_empty

SEVERITIES = ("error", "warning", "note")
"""The most severe first."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check of a finished run.

    code: H and three digits; never used again for another check.
    title: what is true where it passes.
    severity: one of SEVERITIES: how much a failure affects the numbers.
    function: the dotted path of (Context) → Outcome.
    text: its section in docs/checks.md: why it matters and what to do.
    """

    code: str
    title: str
    severity: str
    function: str
    text: str

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "function", "text")
        if self.severity not in SEVERITIES:
            raise ValueError(f"Check '{self.code}': unknown severity '{self.severity}'")
