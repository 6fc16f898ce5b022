"""Robots in motion: contact with the ground, actuators, integrators. All in house; the engines stand beside it in `leapcheck`."""
