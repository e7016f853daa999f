"""Reduces 50,000 vectors of 384 numbers to 16 with NumPy: what BenchmarkPrincipal is compared with.

    python3 tools/pca.py
    go test ./internal/catalogue/encode -run '^$' -bench Principal
"""

import time

import numpy

x = numpy.random.default_rng(1).standard_normal((50_000, 384), dtype=numpy.float32) * numpy.float32(0.97) ** numpy.arange(384, dtype=numpy.float32)
for _ in range(5):
    wall, processor = time.perf_counter(), time.process_time()
    centred = x - x.mean(axis=0)
    values, vectors = numpy.linalg.eigh(centred.T @ centred / len(x))
    scores = centred @ vectors[:, ::-1][:, :16]
    print(f"{time.perf_counter() - wall:.2f} s, {time.process_time() - processor:.2f} s of all cores")
