# Fits a conditional logit with survival::clogit. Prints the median time of the estimate with standard errors in
# milliseconds, the log-likelihood, and the version.
#
# usage: Rscript fit.R FILE REPETITIONS FEATURE...
suppressMessages(library(survival))
args <- commandArgs(trailingOnly = TRUE)
data <- read.csv(args[1])
model <- reformulate(c(args[-(1:2)], "strata(task)"), "chosen")
times <- replicate(as.integer(args[2]), {
  began <- proc.time()[["elapsed"]]
  fit <<- clogit(model, data, method = "efron") # one choice in each task: all methods are the same
  sqrt(diag(vcov(fit)))
  proc.time()[["elapsed"]] - began
})
cat(sprintf("%.1f %.9f %s\n", 1000 * median(times), fit$loglik[2], packageVersion("survival")))
