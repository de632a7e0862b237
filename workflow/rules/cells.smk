# Split files → batches of cells. Each job declares a manifest; the cells are in the store.


rule fit_cells:
    input:
        table="results/{task}/data/table.json",
        features="results/{task}/data/X.npy",
        splits=lambda wildcards: expand(
            "results/{task}/splits/{split}.csv",
            task=wildcards.task,
            split=study.splits(wildcards.task),
        ),
    output:
        manifest="results/{task}/cells/manifests/{batch}-of-{batches}.json",
    log:
        "results/{task}/logs/fit_cells.{batch}-of-{batches}.log",
    threads: 1
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.fitting_minutes(
            wildcards.task, wildcards.batches, attempt
        ),
    params:
        spec=lambda wildcards: study.spec(
            "fit_cells",
            wildcards.task,
            batch=wildcards.batch,
            batches=wildcards.batches,
        ),
    shell:
        STEP
