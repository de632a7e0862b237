"""The checks of the sealed rows. Standard library only."""

from heldout.checks.entry import Check

CHECKS = (
    Check(
        code="H012",
        title="The test set has judged no other selection",
        severity="error",
        function="heldout.checks.procedure:test_opened_once",
        text="The smallest of several results on the same test set is optimistic. So sealed rows that have "
        "judged a selection judge another one only if you ask for it (`snakemake --config "
        "open_again=true`); selection number t ≥ 2 gets intervals at δ/(t(t+1)) instead of δ. Fails where "
        "the opening was refused or counted, and where the ledger of openings is not as it was written. "
        "See [sealed rows](sealed.md).",
    ),
    Check(
        code="H020",
        title="No sealed row is a copy of an unsealed one",
        severity="warning",
        function="heldout.checks.copies:no_sealed_copies",
        text="A model that was trained on a copy of a sealed row knows its answer, and the test risk is too small. Fails where at "
        "least 1 % of the sealed rows, and two of them, are copies of unsealed rows, exact or near ones as in [H007](#h007); with "
        "`groups`, also of rows in another group. A test table of its own (`test: table.csv`) may share rows with the other one. Remove "
        "the copies, or keep them together with `groups`. The copies are counted when the rows are sealed; nothing "
        "else of them leaves the vault. With `time` it does not apply.",
    ),
    Check(
        code="H021",
        title="The test set is large enough to say something",
        severity="warning",
        function="heldout.checks.sealed:test_set_large_enough",
        text="Fails where fewer than 10 rows are sealed (with `groups`: fewer than 5 groups), or rows of one class only. After 10 rows "
        "without an error, the 95 % interval for the error still reaches 0.31; with fewer, a good model can hardly be told from a useless "
        "one. Seal more rows (`test`), or set `test: 0` and rely on nested CV.",
    ),
)
