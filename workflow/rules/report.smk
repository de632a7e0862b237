# Everything → report.html for each task, and an index.


rule render_report:
    input:
        risks="results/{task}/risks.csv",
        estimates="results/{task}/estimates.csv",
        folds="results/{task}/folds.csv",
        comparisons="results/{task}/comparisons.csv",
        checks="results/{task}/checks.csv",
        selection="results/{task}/selection.json",
        card="results/{task}/final/card.json",
        metrics=lambda wildcards: (
            f"results/{wildcards.task}/metrics.csv"
            if study.has_metrics(wildcards.task)
            else []
        ),
    output:
        "results/{task}/report.html",
    log:
        "results/{task}/logs/render_report.log",
    params:
        spec=lambda wildcards: study.spec("render_report", wildcards.task),
    shell:
        STEP


rule render_index:
    input:
        estimates=expand("results/{task}/estimates.csv", task=study.tasks),
        selections=expand("results/{task}/selection.json", task=study.tasks),
        checks=expand("results/{task}/checks.csv", task=study.tasks),
    output:
        "results/index.html",
    log:
        "results/logs/render_index.log",
    params:
        spec=lambda _: study.spec("render_index"),
    shell:
        STEP.replace("results/{wildcards.task}", "results")
