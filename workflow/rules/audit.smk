# Oracle, or unsealed rows → batches of replicates → audit.csv → audit.html.


rule audit_batch:
    input:
        data=lambda wildcards: (
            []
            if study.is_oracle(wildcards.task)
            else expand(
                "results/{task}/data/{file}",
                task=wildcards.task,
                file=["table.json", "X.npy", "y.npy", "rows.npy"],
            )
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
    params:
        spec=lambda wildcards: study.spec(
            "audit_batch", wildcards.task, m=wildcards.m, batch=wildcards.batch
        ),
    shell:
        STEP


rule summarise_audit:
    input:
        batches=lambda wildcards: study.audit_batches(wildcards.task),
    output:
        audit="results/{task}/audit.csv",
        selection="results/{task}/audit/selection.csv",
    log:
        "results/{task}/logs/summarise_audit.log",
    params:
        spec=lambda wildcards: study.spec("summarise_audit", wildcards.task),
    shell:
        STEP


rule render_audit:
    input:
        audit="results/{task}/audit.csv",
        selection="results/{task}/audit/selection.csv",
    output:
        page="results/{task}/audit.html",
    log:
        "results/{task}/logs/render_audit.log",
    params:
        spec=lambda wildcards: study.spec("render_audit", wildcards.task),
    shell:
        STEP
