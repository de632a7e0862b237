# Numbers from other people's programs: pROC's DeLong interval, and boot's BCa interval on given draws.
# Debian: apt-get install r-base-core r-cran-proc r-cran-boot r-cran-jsonlite
# Run:    Rscript scores.R      (in this folder; writes scores.json)
library(pROC)
library(boot)

set.seed(3)
draw <- function(positives, negatives, shift, digits) {
  label <- c(rep(1, positives), rep(0, negatives))
  list(label = label, score = round(rnorm(positives + negatives) + shift * label, digits))
}
samples <- list(
  continuous = draw(25, 40, 1.2, 6),
  ties = draw(30, 30, 0.8, 0),
  few_positives = draw(6, 50, 1.5, 1)
)
of_auc <- lapply(samples, function(one) {
  curve <- roc(one$label, one$score, direction = "<", quiet = TRUE)
  list(label = one$label, score = one$score, auc = as.numeric(auc(curve)),
    variance = var(curve, method = "delong"),
    ci90 = as.numeric(ci.auc(curve, conf.level = 0.9, method = "delong"))[c(1, 3)],
    ci95 = as.numeric(ci.auc(curve, conf.level = 0.95, method = "delong"))[c(1, 3)])
})

# BCa of R² and of the root of the mean squared error, with the influence of each row given by its
# derivative. The values of boot's draws are written, so that others can take the same.
set.seed(4)
n <- 30
y <- round(rexp(n), 6)
said <- round(y + rnorm(n, sd = 0.5), 6)
errors <- (y - said)^2
spread <- (y - mean(y))^2
statistics <- list(
  r2 = function(rows) 1 - sum(errors[rows]) / sum((y[rows] - mean(y[rows]))^2),
  neg_root_mean_squared_error = function(rows) sqrt(mean(errors[rows]))
)
influences <- list(
  r2 = -(errors - sum(errors) / sum(spread) * spread) / mean(spread),
  neg_root_mean_squared_error = (errors - mean(errors)) / (2 * sqrt(mean(errors)))
)
of_bca <- lapply(names(statistics), function(name) {
  set.seed(5)
  found <- boot(seq_len(n), function(data, rows) statistics[[name]](rows), R = 999)
  list(value = found$t0, draws = found$t[, 1],
    ends = boot.ci(found, conf = 0.9, type = "bca", L = influences[[name]])$bca[4:5])
})
names(of_bca) <- names(statistics)

numbers <- list(
  versions = list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC")),
    boot = as.character(packageVersion("boot"))),
  auc = of_auc,
  bca = list(target = y, value = said, of = of_bca)
)
writeLines(jsonlite::toJSON(numbers, auto_unbox = TRUE, digits = 15), "scores.json")
