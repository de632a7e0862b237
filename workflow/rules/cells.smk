# Split files → batches of cells. Each job declares a manifest; the cells lie in the store.


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
        "results/{task}/cells/manifests/{part}-of-{parts}.json",
    log:
        "results/{task}/logs/fit_cells.{part}-of-{parts}.log",
    threads: 1
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.fitting_minutes(
            wildcards.task, wildcards.parts, attempt
        ),
    params:
        spec=lambda wildcards: study.spec(
            "fit_cells", wildcards.task, part=wildcards.part, parts=wildcards.parts
        ),
    shell:
        STEP
