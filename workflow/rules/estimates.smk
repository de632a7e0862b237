# Cells → risks → choice → final model → test → selection and estimates.


rule estimate_risks:
    input:
        manifests=lambda wildcards: study.manifests(wildcards.task),
    output:
        risks=report(
            "results/{task}/risks.csv",
            caption="../report/risks.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "risks"},
        ),
    log:
        "results/{task}/logs/estimate_risks.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    params:
        spec=lambda wildcards: study.spec("estimate_risks", wildcards.task),
        batches=lambda wildcards, input: len(input.manifests),
    shell:
        STEP_ON_CELLS


rule select_model:
    input:
        risks="results/{task}/risks.csv",
    output:
        choice="results/{task}/selection/choice.json",
    log:
        "results/{task}/logs/select_model.log",
    params:
        spec=lambda wildcards: study.spec("select_model", wildcards.task),
    shell:
        STEP


rule estimate_procedures:
    input:
        manifests=lambda wildcards: study.manifests(wildcards.task),
        choice="results/{task}/selection/choice.json",
    output:
        unsealed="results/{task}/estimates/unsealed.csv",
        folds=report(
            "results/{task}/folds.csv",
            caption="../report/folds.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "folds"},
        ),
        comparisons=report(
            "results/{task}/comparisons.csv",
            caption="../report/comparisons.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "comparisons"},
        ),
    log:
        "results/{task}/logs/estimate_procedures.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    params:
        spec=lambda wildcards: study.spec("estimate_procedures", wildcards.task),
        batches=lambda wildcards, input: len(input.manifests),
    shell:
        STEP_ON_CELLS


rule compute_metrics:
    input:
        manifests=lambda wildcards: study.manifests(wildcards.task),
    output:
        metrics="results/{task}/metrics.csv",
    log:
        "results/{task}/logs/compute_metrics.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    params:
        spec=lambda wildcards: study.spec("compute_metrics", wildcards.task),
        batches=lambda wildcards, input: len(input.manifests),
    shell:
        STEP_ON_CELLS


rule train_final:
    input:
        table="results/{task}/data/table.json",
        features="results/{task}/data/X.npy",
        choice="results/{task}/selection/choice.json",
    output:
        model="results/{task}/final/model.joblib",
        training="results/{task}/final/training.json",
    log:
        "results/{task}/logs/train_final.log",
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    params:
        spec=lambda wildcards: study.spec("train_final", wildcards.task),
    shell:
        STEP


# The only rule that reads the sealed rows. It also adds to the ledger (.heldout/ledger) and to
# vault/witness.json, which are no outputs because Snakemake deletes these before a job runs.
rule open_test:
    input:
        sealed="results/{task}/vault/sealed.parquet",
        model="results/{task}/final/model.joblib",
        training="results/{task}/final/training.json",
    output:
        opening="results/{task}/vault/opening.json",
        predictions="results/{task}/vault/predictions.parquet",
    log:
        "results/{task}/logs/open_test.log",
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    params:
        spec=lambda wildcards: study.spec("open_test", wildcards.task),
    shell:
        STEP


rule score_test:
    input:
        choice="results/{task}/selection/choice.json",
        opening="results/{task}/vault/opening.json",
        predictions="results/{task}/vault/predictions.parquet",
    output:
        test="results/{task}/vault/test.csv",
    log:
        "results/{task}/logs/score_test.log",
    params:
        spec=lambda wildcards: study.spec("score_test", wildcards.task),
    shell:
        STEP


rule write_card:
    input:
        choice="results/{task}/selection/choice.json",
        training="results/{task}/final/training.json",
        opening=lambda wildcards: (
            f"results/{wildcards.task}/vault/opening.json"
            if study.has_test(wildcards.task)
            else []
        ),
    output:
        selection="results/{task}/selection.json",
        card="results/{task}/final/card.json",
    log:
        "results/{task}/logs/write_card.log",
    params:
        spec=lambda wildcards: study.spec("write_card", wildcards.task),
    shell:
        STEP


# The selection is among its inputs so that whoever asks for the estimates gets both, of the same run.
rule tabulate_estimates:
    input:
        unsealed="results/{task}/estimates/unsealed.csv",
        selection="results/{task}/selection.json",
        test=lambda wildcards: (
            f"results/{wildcards.task}/vault/test.csv"
            if study.has_test(wildcards.task)
            else []
        ),
    output:
        estimates=report(
            "results/{task}/estimates.csv",
            caption="../report/estimates.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "estimates"},
        ),
    log:
        "results/{task}/logs/tabulate_estimates.log",
    params:
        spec=lambda wildcards: study.spec("tabulate_estimates", wildcards.task),
    shell:
        STEP


rule run_checks:
    input:
        manifests=lambda wildcards: study.manifests(wildcards.task),
        estimates="results/{task}/estimates.csv",
        folds="results/{task}/folds.csv",
        selection="results/{task}/selection.json",
    output:
        checks=report(
            "results/{task}/checks.csv",
            caption="../report/checks.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "checks"},
        ),
    log:
        "results/{task}/logs/run_checks.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    params:
        spec=lambda wildcards: study.spec("run_checks", wildcards.task),
        batches=lambda wildcards, input: len(input.manifests),
    shell:
        STEP_ON_CELLS
