"""Jumps: planned, simulated in every engine and contact model, judged before the hardware."""
