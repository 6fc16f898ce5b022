"""A jump planned: crouch, push, flight and landing of a legged robot, checked against its limits."""
