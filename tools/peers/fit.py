"""Fits a conditional logit with ConditionalLogit of statsmodels.

Prints the median time of the estimate with standard errors in milliseconds, the log-likelihood, and the version.

usage: python3 fit.py FILE REPETITIONS FEATURE...
"""

import statistics
import sys
import time

import pandas
import statsmodels
from statsmodels.discrete.conditional_models import ConditionalLogit

file, repetitions, *features = sys.argv[1:]
data = pandas.read_csv(file)
times = []
for _ in range(int(repetitions)):
    began = time.perf_counter()
    fit = ConditionalLogit(data["chosen"], data[features], groups=data["task"]).fit(disp=False)
    fit.bse
    times.append(time.perf_counter() - began)
print(f"{1000 * statistics.median(times):.1f} {fit.llf:.9f} {statsmodels.__version__}")
