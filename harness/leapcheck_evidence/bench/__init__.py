"""Timings of the generated kernels against the engines' own machine code, of the truth, and of a whole comparison."""
