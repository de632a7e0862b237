# Numbers from other people's programs: boot::cv.glm and ipred::errorest.
# Debian: apt-get install r-base-core r-cran-boot r-cran-ipred r-cran-jsonlite
# Run:    Rscript reference.R      (in this folder; writes cars.csv, points.csv, bags.csv, reference.json)
library(boot)
library(ipred)

# K-fold, adjusted K-fold and leave-one-out of a linear model on mtcars.
cars <- mtcars[, c("mpg", "wt", "hp", "qsec")]
n <- nrow(cars)
k <- 8
set.seed(1)
folds <- sample(rep(1:k, ceiling(n / k)), n)  # as cv.glm draws them
set.seed(1)
model <- glm(mpg ~ wt + hp + qsec, data = cars)
kfold <- cv.glm(cars, model, K = k)$delta
loo <- cv.glm(cars, model)$delta
write.csv(cbind(cars, fold = folds), "cars.csv", row.names = FALSE)

# .632+ and out-of-bag error of logistic regression (no penalty) on given bags.
set.seed(2)
size <- 80
points <- data.frame(a = rnorm(size), b = rnorm(size), c = rnorm(size))
points$y <- factor(ifelse(points$a + 0.8 * points$b + rnorm(size) > 0, "yes", "no"))
bags <- lapply(1:25, function(i) sample(1:size, size, replace = TRUE))
logistic <- function(formula, data, ...) glm(formula, data = data, family = binomial)
estimate <- function(estimator) {
  errorest(y ~ ., data = points, model = logistic, estimator = estimator,
    predict = function(object, newdata) {
      factor(ifelse(predict(object, newdata) > 0, "yes", "no"), levels = levels(points$y))
    },
    est.para = control.errorest(nboot = length(bags), list.tindx = bags))$error
}
write.csv(points, "points.csv", row.names = FALSE, quote = FALSE)
write.csv(data.frame(bag = rep(seq_along(bags), each = size), row = unlist(bags) - 1),
  "bags.csv", row.names = FALSE)

numbers <- list(
  versions = list(R = as.character(getRversion()), boot = as.character(packageVersion("boot")),
    ipred = as.character(packageVersion("ipred"))),
  cars = list(k = k, kfold = kfold[1], kfold_adjusted = kfold[2], loo = loo[1]),
  points = list(bootstrap_per_row = estimate("boot"), bootstrap_632plus = estimate("632plus"))
)
writeLines(jsonlite::toJSON(numbers, auto_unbox = TRUE, digits = NA, pretty = TRUE), "reference.json")
