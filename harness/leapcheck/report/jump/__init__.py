"""Reports of a jump: page, plots, 3D scene, JSON and terminal."""
