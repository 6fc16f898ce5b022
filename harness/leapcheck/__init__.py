"""Cross-validation of robot dynamics."""
