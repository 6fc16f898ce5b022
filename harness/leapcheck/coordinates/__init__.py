"""How coordinates of engines follow from the canonical ones: conventions and joint forms."""
