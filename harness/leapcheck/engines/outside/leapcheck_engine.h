/* The C ABI of an engine for leapcheck, version 1. C99 and C++.
 *
 * Define the three functions below (two more may be left out), build a shared library, and compare:
 *
 *     gcc -O2 -shared -fPIC -I"$(python -m leapcheck.engines.outside)" my_dynamics.c -o libmy_dynamics.so
 *     leapcheck compare mini_cheetah --engine ./libmy_dynamics.so
 *
 * The library is loaded in a process of its own: a crash, a hang or a leak there is a finding of the report.
 * Define LEAPCHECK_FLOAT32 before this file is included for an engine in single precision.
 */
#ifndef LEAPCHECK_ENGINE_H
#define LEAPCHECK_ENGINE_H

#include <stddef.h>

#define LEAPCHECK_ABI 1

#ifdef LEAPCHECK_FLOAT32
typedef float leapcheck_real;
#define LEAPCHECK_PRECISION "precision = float32; "
#else
typedef double leapcheck_real;
#define LEAPCHECK_PRECISION "precision = float64; "
#endif

#if defined(_WIN32)
#define LEAPCHECK_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define LEAPCHECK_EXPORT __attribute__((visibility("default")))
#else
#define LEAPCHECK_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Needed: return LEAPCHECK_ABI. */
LEAPCHECK_EXPORT int leapcheck_abi(void);

/* Needed: the engine in words, entries "key = value" with ';' between them. Begin with LEAPCHECK_PRECISION:
 *
 *     return LEAPCHECK_PRECISION "name = my_dynamics; version = 1.0; nq = 19; nv = 18; quantities = mass_matrix bias_force";
 *
 * precision      float64 or float32: what leapcheck_real is
 * quantities     what leapcheck_evaluate answers, of the list below
 * name, version  as they are to stand in the report
 * nq, nv, points sizes: leapcheck refuses a robot of others; points are contact points
 * quaternion     wxyz (default) or xyzw
 * base_velocity  axes of the floating base's velocity: body (default), world, or mixed (linear part world, angular body)
 * order          "angular first" (default) or "linear first", of the floating base's velocity
 * joints         names of the joints in the engine's order, with blanks between; default: the robot's order
 */
LEAPCHECK_EXPORT const char *leapcheck_describe(void);

/* Needed: one quantity at n states. Returns 0, or any other number where it fails.
 *
 * q (n, nq), v (n, nv) and tau (n, nv) are read; out is written, n times the shape below. All are dense, row by row (the last
 * index runs fastest), and belong to leapcheck. Units are SI; points are the robot's computed contact points, in its order.
 *
 *     mass_matrix                  M                                 (nv, nv)
 *     bias_force                   h of M vdot + h = tau             (nv)
 *     gravity_force                h at v = 0                        (nv)
 *     coriolis_force               h without gravity                 (nv)
 *     forward_dynamics             vdot                              (nv)
 *     contact_positions            in the world, m                   (points, 3)
 *     contact_velocities           in world axes, m/s                (points, 3)
 *     contact_jacobians            J: velocity = J v                 (points, 3, nv)
 *     contact_bias_accelerations   Jdot v, without gravity, m/s^2    (points, 3)
 *     contact_inertia              J M^-1 J^T                        (3 points, 3 points)
 *     kinetic_energy               J                                 1
 *     potential_energy             J                                 1
 */
LEAPCHECK_EXPORT int leapcheck_evaluate(const char *quantity, size_t n, const leapcheck_real *q, const leapcheck_real *v,
                                        const leapcheck_real *tau, leapcheck_real *out);

/* May be left out: one line that says why the last call failed. */
LEAPCHECK_EXPORT const char *leapcheck_error(void);

/* May be left out: takes the robot in the JSON of `leapcheck_models.spec.as_json` and answers for it from then on; returns 0.
 * An engine that has it can also be asked for smaller robots, which makes the smallest case that shows a fault smaller. */
LEAPCHECK_EXPORT int leapcheck_robot(const char *json);

#ifdef __cplusplus
}
#endif

#endif
