"""The codes: plain NumPy over blocks of n states. They take from the spec the robot's numbers, and nothing else from anywhere."""
