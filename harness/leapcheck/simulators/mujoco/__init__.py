"""MuJoCo as a simulator of jumps."""
