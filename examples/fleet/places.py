"""The function that `fleet.alog` declares, on columns of NumPy."""

import numpy as np
from numpy.typing import NDArray

KM = 111.2  # of a degree of latitude

Degrees = NDArray[np.float64]


def near(lat1: Degrees, lon1: Degrees, lat2: Degrees, lon2: Degrees) -> NDArray[np.bool_]:
    """Whether two places are within half a kilometre: as on a flat map, which is near enough there."""
    north, east = lat1 - lat2, (lon1 - lon2) * np.cos(np.radians(lat1))
    return np.hypot(north, east) * KM < 0.5
