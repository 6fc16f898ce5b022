/* An engine in C behind leapcheck_engine.h: the functions that `leapcheck generate mini_cheetah --c QUANTITY` writes, one each. */
#include <string.h>

#include "leapcheck_engine.h"
#include "mini_cheetah_bias_force.h"
#include "mini_cheetah_contact_jacobians.h"
#include "mini_cheetah_mass_matrix.h"

enum { NQ = 19, NV = 18, POINTS = 16, LARGEST = 3 * POINTS * NV };

static const char *what_failed = "";

int leapcheck_abi(void) { return LEAPCHECK_ABI; }

const char *leapcheck_describe(void)
{
    return LEAPCHECK_PRECISION "name = generated C; version = 1.0; nq = 19; nv = 18; points = 16; "
                               "quantities = mass_matrix bias_force contact_jacobians";
}

const char *leapcheck_error(void) { return what_failed; }

/* One state; the length of the answer, or 0 for a quantity that there is not. */
static size_t evaluate_one(const char *quantity, const double *q, const double *v, double *out)
{
    if (strcmp(quantity, "mass_matrix") == 0) {
        mini_cheetah_mass_matrix(q, (double (*)[NV])out);
        return NV * NV;
    }
    if (strcmp(quantity, "bias_force") == 0) {
        mini_cheetah_bias_force(q, v, out);
        return NV;
    }
    if (strcmp(quantity, "contact_jacobians") == 0) {
        mini_cheetah_contact_jacobians(q, (double (*)[3][NV])out);
        return 3 * POINTS * NV;
    }
    return 0;
}

int leapcheck_evaluate(const char *quantity, size_t n, const leapcheck_real *q, const leapcheck_real *v,
                       const leapcheck_real *tau, leapcheck_real *out)
{
    (void)tau;
    for (size_t i = 0; i < n; i++, q += NQ, v += NV) {
#ifdef LEAPCHECK_FLOAT32
        double q_i[NQ], v_i[NV], answer[LARGEST];
        for (int k = 0; k < NQ; k++) q_i[k] = q[k];
        for (int k = 0; k < NV; k++) v_i[k] = v[k];
        size_t length = evaluate_one(quantity, q_i, v_i, answer);
        for (size_t k = 0; k < length; k++) out[k] = (float)answer[k];
#else
        size_t length = evaluate_one(quantity, q, v, out);
#endif
        if (length == 0) {
            what_failed = "there is no such quantity";
            return 1;
        }
        out += length;
    }
    return 0;
}
