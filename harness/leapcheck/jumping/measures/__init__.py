"""What a simulated jump measures: its figures with their error bars, and its books."""
