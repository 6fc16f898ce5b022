"""The verdict of a jump: thresholds, rules, reasons, remedies."""
