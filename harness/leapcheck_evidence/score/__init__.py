"""Whether the judge finds and names what is planted: defects by seed, comparisons over them, and the count."""
