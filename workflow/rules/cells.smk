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
    benchmark:
        "results/{task}/logs/fit_cells.{part}-of-{parts}.tsv"
    params:
        spec=lambda wildcards: study.spec(
            "fit_cells", wildcards.task, part=wildcards.part, parts=wildcards.parts
        ),
    shell:
        STEP
