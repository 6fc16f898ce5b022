"""Two robots compared part by part: matched by name or shape, each difference with its size and what it does to M and h."""
