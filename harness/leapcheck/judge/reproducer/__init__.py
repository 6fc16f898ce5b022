"""Python files that repeat one error of one engine on their own, with NumPy and the engine alone."""
