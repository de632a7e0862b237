from snakemake import persistence
from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from heldout.execution import host
from heldout.execution.forkserver import server as warm

min_version("9.0")
host.set_up(persistence)

# With a cluster nodes are given, not cores, and one job does not know what another one has.
given = workflow.resource_settings
on_cluster = workflow.remote_exec or given.nodes is not None

# The libraries are imported beside the planning; local jobs start from the process that has them.
if not on_cluster:
    warm.start()

from heldout.execution.study import Study
from heldout.errors import HeldoutError

# A --configfile replaces the demo instead of being merged into it.
if "tasks" not in config:

    configfile: "config/config.yaml"


STEP = """
python -S "$HELDOUT_STEP" results/{wildcards.task} {log} > {log} 2>&1 <<'SPEC'
{params.spec}
SPEC
"""

try:
    study = Study(config, cores=None if on_cluster else given.cores or 1)
    # When this is a module of another workflow, that one may have a rule for the table.
    if workflow.modifier.is_main_snakefile():
        study.check_sources()
except HeldoutError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    task=study.task_pattern,
    split="[a-z]+",
    part=r"\d+",
    parts=r"\d+",


include: "workflow/rules/data.smk"
include: "workflow/rules/cells.smk"
include: "workflow/rules/estimates.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/audit.smk"


rule all:
    default_target: True
    input:
        "results/index.html",
        expand("results/{task}/report.html", task=study.tasks),
        expand("results/{task}/estimates.csv", task=study.tasks),
        expand("results/{task}/final/model.joblib", task=study.tasks),
        expand("results/{task}/figures/estimates.png", task=study.figures),
        expand("results/{task}/audit.html", task=study.audits),


warm.expect(study.libraries)
host.settle()
