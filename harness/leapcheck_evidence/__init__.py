"""Studies about leapcheck itself: score, benchmarks, accuracy, tables of public robots. Not in the wheel."""
