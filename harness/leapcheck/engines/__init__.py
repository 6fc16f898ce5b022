"""Engines behind one protocol: the reference, MuJoCo, Pinocchio and the user's own."""
