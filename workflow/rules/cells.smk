# Split files → batches of cells. Each job declares a manifest; the cells are in the store.


rule fit_cells:
    input:
        plan.reads(
            "fit_cells",
            table=WHOLE_TABLE,
            splits=study.split_files,
        ),
    output:
        manifest="results/{task}/cells/manifests/{batch}-of-{batches}.json",
    log:
        "results/{task}/logs/fit_cells.{batch}-of-{batches}.log",
    threads: lambda wildcards: study.threads(wildcards.task)
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.fitting_minutes(
            wildcards.task, wildcards.batches, attempt
        ),
    shell:
        STEP
