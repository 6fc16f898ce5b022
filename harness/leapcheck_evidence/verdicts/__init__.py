"""How well verdicts predict: jumps judged by some simulators, then simulated in one that was left out."""
