# Nested cross-validation by glmnet: Rscript glmnet.R FOLDER FAMILY MIXING PENALTY
# FOLDER has files of doubles: x (row by row), y, fold (from 0), value. Prints seconds, choices and errors.
suppressMessages(library(glmnet))
given <- commandArgs(TRUE)
read <- function(name) {
  path <- file.path(given[1], name)
  readBin(path, "double", file.size(path) / 8)
}
y <- read("y"); fold <- read("fold"); values <- read("value")
x <- matrix(read("x"), length(y), byrow = TRUE)
family <- given[2]; mixing <- as.numeric(given[3]); penalty <- parse(text = given[4])
glmnet.control(fdev = 0, devmax = 1)  # every penalty is fitted

# The risk of each value on the held-out rows: mean squared error, or mean −log probability.
risks <- function(train, held) {
  spread <- sqrt(mean((y[train] - mean(y[train]))^2))
  lambda <- sapply(values, function(value) eval(penalty, list(value = value, n = sum(train), sd = spread)))
  down <- order(-lambda)
  fit <- glmnet(x[train, ], y[train], family = family, alpha = mixing, lambda = lambda[down])
  said <- predict(fit, x[held, , drop = FALSE])[, order(down), drop = FALSE]
  if (family == "gaussian") colMeans((said - y[held])^2) else colMeans(log1p(exp((1 - 2 * y[held]) * said)))
}

nested <- function(outer) {
  train <- fold != outer
  inner <- sapply(setdiff(unique(fold), outer), function(i) risks(train & fold != i, fold == i))
  best <- which.min(rowMeans(inner))
  c(best, risks(train, !train)[best])
}
seconds <- system.time(found <- sapply(sort(unique(fold)), nested))[["elapsed"]]
list_of <- function(numbers) paste0("[", paste(format(numbers, digits = 17), collapse = ","), "]")
cat(sprintf('{"seconds": %f, "chosen": %s, "errors": %s}', seconds, list_of(found[1, ]), list_of(found[2, ])))
