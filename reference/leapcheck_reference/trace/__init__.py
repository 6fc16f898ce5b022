"""Records of the readable algorithms, and what is generated from them: SIMD kernels, double-double, NumPy, C99, balls."""
