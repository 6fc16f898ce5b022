"""The singular value decomposition, of every matrix of finite numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats


class SingularValues(NamedTuple):
    """A = U diag(sigma) V: `U` (m, k), `sigma` (k,) from the largest on, `V` (k, n), k = min(m, n); (m, m) and (n, n) if full."""

    U: Floats
    sigma: Floats
    V: Floats


def singular_values(A: Floats, *, full: bool = False) -> SingularValues:
    """The decomposition of A (m, n). Raises numpy.linalg.LinAlgError where an entry is not finite.

    LAPACK's fast routine, which divides and conquers (gesdd), gives up on some matrices of low rank, and on which depends on the
    CPU that OpenBLAS runs on; its older one (gesvd) iterates and does not.
    """
    try:
        return SingularValues(*np.linalg.svd(A, full_matrices=full))
    except np.linalg.LinAlgError:
        if not np.isfinite(A).all():
            raise
    from scipy.linalg import svd  # a tenth of a second to import, and seldom needed

    return SingularValues(*svd(A, full_matrices=full, lapack_driver="gesvd"))
