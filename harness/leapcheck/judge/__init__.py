"""The judge: who is wrong where engines disagree, and why, in words."""
