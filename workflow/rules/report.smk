# Everything → report.html for each task, and an index; figures if asked for.


report: "../report/workflow.rst"


rule render_report:
    input:
        plan.reads(
            "render_report",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
            risks="results/{task}/risks.csv",
            confidence="results/{task}/confidence_set.csv",
            estimates="results/{task}/estimates.csv",
            folds="results/{task}/folds.csv",
            comparisons="results/{task}/comparisons.csv",
            checks="results/{task}/checks.csv",
            selection="results/{task}/selection.json",
            card="results/{task}/final/card.json",
            opening=lambda wildcards: (
                f"results/{wildcards.task}/vault/opening.json"
                if study.has_test(wildcards.task)
                else []
            ),
            metrics=lambda wildcards: (
                f"results/{wildcards.task}/metrics.csv"
                if study.has_metrics(wildcards.task)
                else []
            ),
        ),
    output:
        page=report(
            "results/{task}/report.html",
            caption="../report/report.rst",
            category="Reports",
            subcategory="{task}",
            labels={"content": "report"},
        ),
    log:
        "results/{task}/logs/render_report.log",
    shell:
        STEP


rule render_index:
    input:
        plan.reads(
            "render_index",
            tables=expand("results/{task}/data/table.json", task=study.tasks),
            estimates=expand("results/{task}/estimates.csv", task=study.tasks),
            selections=expand("results/{task}/selection.json", task=study.tasks),
            checks=expand("results/{task}/checks.csv", task=study.tasks),
        ),
    output:
        page=report(
            "results/index.html",
            caption="../report/index.rst",
            category="Reports",
            labels={"content": "all tasks"},
        ),
    log:
        "results/logs/render_index.log",
    localrule: True  # a page of the size of the config: not worth waiting in a queue
    shell:
        STEP


# Only if the config says `figures: true`: matplotlib takes a second to start.
rule draw_figures:
    input:
        plan.reads(
            "draw_figures",
            table=TABLE,
            splits=study.split_files,
            manifests=plan.manifests,
            risks="results/{task}/risks.csv",
            estimates="results/{task}/estimates.csv",
            folds="results/{task}/folds.csv",
            selection="results/{task}/selection.json",
        ),
    output:
        estimates=report(
            "results/{task}/figures/estimates.png",
            caption="../report/figure_estimates.rst",
            category="Figures",
            subcategory="{task}",
            labels={"content": "estimates"},
        ),
        tuning=report(
            "results/{task}/figures/tuning.png",
            caption="../report/figure_tuning.rst",
            category="Figures",
            subcategory="{task}",
            labels={"content": "risk versus θ"},
        ),
        predictions=report(
            "results/{task}/figures/predictions.png",
            caption="../report/figure_predictions.rst",
            category="Figures",
            subcategory="{task}",
            labels={"content": "predictions"},
        ),
        over_time=report(
            "results/{task}/figures/over_time.png",
            caption="../report/figure_over_time.rst",
            category="Figures",
            subcategory="{task}",
            labels={"content": "risk over time"},
        ),
        others=expand(
            "results/{{task}}/figures/{figure}.{kind}",
            figure=["estimates", "tuning", "predictions", "over_time"],
            kind=["svg", "pdf"],
        ),
    log:
        "results/{task}/logs/draw_figures.log",
    resources:
        mem_mb=lambda _, input, attempt: study.reading_memory(input.size_mb, attempt),
        runtime=lambda wildcards, attempt: study.reading_minutes(
            wildcards.task, attempt
        ),
    shell:
        STEP
