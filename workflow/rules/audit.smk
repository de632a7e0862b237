# Oracle, or unsealed rows → batches of replicates → audit.csv → audit.html.


rule audit_batch:
    input:
        plan.reads(
            "audit_batch",
            table=lambda wildcards: (
                [] if study.is_oracle(wildcards.task) else WHOLE_TABLE
            ),
        ),
    output:
        replicates="results/{task}/audit/m{m}/batch-{batch}.npz",
    log:
        "results/{task}/logs/audit_batch.m{m}.{batch}.log",
    wildcard_constraints:
        m=r"\d{1,9}",
    threads: 1
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.audit_minutes(wildcards.task, attempt),
    shell:
        STEP


rule summarise_audit:
    input:
        plan.reads(
            "summarise_audit",
            batches=lambda wildcards: study.audit_batches(wildcards.task),
        ),
    output:
        audit="results/{task}/audit.csv",
        selection="results/{task}/audit/selection.csv",
    log:
        "results/{task}/logs/summarise_audit.log",
    shell:
        STEP


rule render_audit:
    input:
        plan.reads(
            "render_audit",
            audit="results/{task}/audit.csv",
            selection="results/{task}/audit/selection.csv",
        ),
    output:
        page="results/{task}/audit.html",
    log:
        "results/{task}/logs/render_audit.log",
    shell:
        STEP
