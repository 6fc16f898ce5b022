"""Jumps that were published of real robots, beside what leapcheck says of the nearest jump that it knows."""
