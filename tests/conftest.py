"""Before NumPy is loaded: one thread per process, since the matrices are small and the tests run side by side."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
