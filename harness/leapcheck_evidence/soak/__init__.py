"""The soak: leapcheck's own commands on robots, engines, damage and kills drawn by seed, for as long as one likes."""
