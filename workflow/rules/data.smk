# Table → sealed rows in the vault, unsealed rows as arrays → split files.


rule prepare_data:
    input:
        plan.reads(
            "prepare_data",
            tables=lambda wildcards: study.sources(wildcards.task),
        ),
    output:
        table="results/{task}/data/table.json",
        features="results/{task}/data/X.npy",
        strings="results/{task}/data/strings.parquet",
        unused="results/{task}/data/unused.parquet",
        target="results/{task}/data/y.npy",
        rows="results/{task}/data/rows.npy",
        sealed="results/{task}/vault/sealed.parquet",
        facts="results/{task}/vault/facts.json",
    log:
        "results/{task}/logs/prepare_data.log",
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    shell:
        STEP


rule draw_splits:
    input:
        plan.reads(
            "draw_splits",
            table=TABLE,
        ),
    output:
        split="results/{task}/splits/{split}.csv",
    log:
        "results/{task}/logs/draw_splits.{split}.log",
    shell:
        STEP
