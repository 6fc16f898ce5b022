"""Simulators of jumps behind one protocol: MuJoCo, Pinocchio and in-house."""
