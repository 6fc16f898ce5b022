"""MuJoCo or Pinocchio of another version, in an environment of its own."""
