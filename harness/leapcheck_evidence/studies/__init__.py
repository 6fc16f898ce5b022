"""Studies behind the figures of jumps: each module measures rows of reports/jump_accuracy.md."""
