"""Robots of the user: model files that others wrote, read into specs.

URDF is read here, by its own rules. MJCF is vetted here and compiled by MuJoCo in the harness (`leapcheck.robot_files`).
"""

from __future__ import annotations
