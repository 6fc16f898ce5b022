"""What a robot is: frozen specs, the robots, writers of MJCF and URDF, and the model checker."""
