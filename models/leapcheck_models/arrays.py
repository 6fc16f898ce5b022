"""Types of arrays, named once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Double-precision numbers."""

Array = NDArray[Any]
"""Numbers of any scalar: floats, symbols, double-doubles or balls."""
