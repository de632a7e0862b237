# Cells → risks → choice → final model → test → selection and estimates.


rule estimate_risks:
    input:
        plan.reads(
            "estimate_risks",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
        ),
    output:
        risks=report(
            "results/{task}/risks.csv",
            caption="../report/risks.rst",
            category="Tables",
            subcategory="{task}",
            labels={"content": "risks"},
        ),
        confidence="results/{task}/confidence_set.csv",
    log:
        "results/{task}/logs/estimate_risks.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    shell:
        STEP


rule select_model:
    input:
        plan.reads(
            "select_model",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
            risks="results/{task}/risks.csv",
            confidence="results/{task}/confidence_set.csv",
        ),
    output:
        choice="results/{task}/selection/choice.json",
    log:
        "results/{task}/logs/select_model.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    shell:
        STEP


rule estimate_procedures:
    input:
        plan.reads(
            "estimate_procedures",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
            choice="results/{task}/selection/choice.json",
        ),
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
    shell:
        STEP


rule compute_metrics:
    input:
        plan.reads(
            "compute_metrics",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
            choice="results/{task}/selection/choice.json",
            sealed=lambda wildcards: (
                [
                    f"results/{wildcards.task}/vault/opening.json",
                    f"results/{wildcards.task}/vault/predictions.parquet",
                ]
                if study.has_test(wildcards.task)
                else []
            ),
        ),
    output:
        metrics="results/{task}/metrics.csv",
    log:
        "results/{task}/logs/compute_metrics.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    shell:
        STEP


rule train_final:
    input:
        plan.reads(
            "train_final",
            table=WHOLE_TABLE,
            splits=study.final_splits,
            choice="results/{task}/selection/choice.json",
        ),
    output:
        model="results/{task}/final/model.joblib",
        training="results/{task}/final/training.json",
    log:
        "results/{task}/logs/train_final.log",
    threads: lambda wildcards: study.threads(wildcards.task)
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    shell:
        STEP


# The only rule that reads the sealed rows before they have spoken. It also adds to the ledger (.heldout/ledger) and to
# vault/witness.json, which are no outputs because Snakemake deletes these before a job runs.
rule open_test:
    input:
        plan.reads(
            "open_test",
            sealed="results/{task}/vault/sealed.parquet",
            model="results/{task}/final/model.joblib",
            training="results/{task}/final/training.json",
        ),
    output:
        opening="results/{task}/vault/opening.json",
        predictions="results/{task}/vault/predictions.parquet",
    log:
        "results/{task}/logs/open_test.log",
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    shell:
        STEP


# Only if the config says `refit: all`. It reads the sealed rows when they have judged the final model,
# and not at all if they may not.
rule train_all:
    input:
        plan.reads(
            "train_all",
            table=WHOLE_TABLE,
            training="results/{task}/final/training.json",
            opening="results/{task}/vault/opening.json",
            sealed="results/{task}/vault/sealed.parquet",
        ),
    output:
        model="results/{task}/final/model_all.joblib",
        card="results/{task}/final/card_all.json",
    log:
        "results/{task}/logs/train_all.log",
    resources:
        mem_mb=lambda _, input, attempt: study.fitting_memory(input.size_mb, attempt),
    shell:
        STEP


rule score_test:
    input:
        plan.reads(
            "score_test",
            table=TABLE,
            choice="results/{task}/selection/choice.json",
            opening="results/{task}/vault/opening.json",
            predictions="results/{task}/vault/predictions.parquet",
        ),
    output:
        test="results/{task}/vault/test.csv",
    log:
        "results/{task}/logs/score_test.log",
    shell:
        STEP


rule write_card:
    input:
        plan.reads(
            "write_card",
            choice="results/{task}/selection/choice.json",
            training="results/{task}/final/training.json",
            opening=lambda wildcards: (
                f"results/{wildcards.task}/vault/opening.json"
                if study.has_test(wildcards.task)
                else []
            ),
            refit=lambda wildcards: (
                f"results/{wildcards.task}/final/card_all.json"
                if study.refits(wildcards.task)
                else []
            ),
        ),
    output:
        selection="results/{task}/selection.json",
        card="results/{task}/final/card.json",
    log:
        "results/{task}/logs/write_card.log",
    shell:
        STEP


# The selection is among its inputs so that whoever asks for the estimates gets both, of the same run.
rule tabulate_estimates:
    input:
        plan.reads(
            "tabulate_estimates",
            unsealed="results/{task}/estimates/unsealed.csv",
            selection="results/{task}/selection.json",
            test=lambda wildcards: (
                f"results/{wildcards.task}/vault/test.csv"
                if study.has_test(wildcards.task)
                else []
            ),
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
    shell:
        STEP


rule run_checks:
    input:
        plan.reads(
            "run_checks",
            table=WHOLE_TABLE,
            unused="results/{task}/data/unused.parquet",
            splits=study.split_files,
            manifests=plan.manifests,
            estimates="results/{task}/estimates.csv",
            folds="results/{task}/folds.csv",
            comparisons="results/{task}/comparisons.csv",
            confidence="results/{task}/confidence_set.csv",
            selection="results/{task}/selection.json",
            sealed=lambda wildcards: (
                f"results/{wildcards.task}/vault/facts.json"
                if study.has_test(wildcards.task)
                else []
            ),
        ),
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
    shell:
        STEP
