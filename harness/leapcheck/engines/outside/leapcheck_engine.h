/* The C ABI of an engine for leapcheck, version 2. C99 and C++.
 *
 * Define leapcheck_abi, leapcheck_describe and leapcheck_evaluate_states (two more may be left out), build a shared library, and compare:
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

#define LEAPCHECK_ABI 2

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
 * quantities     what leapcheck_evaluate_states answers, of the list below
 * name, version  as they are to stand in the report
 * nq, nv, points sizes: leapcheck refuses a robot of others; points are contact points
 * quaternion     wxyz (default) or xyzw
 * base_velocity  axes of the floating base's velocity: body (default), world, or mixed (linear part world, angular body)
 * order          "angular first" (default) or "linear first", of the floating base's velocity
 * joints         names of the joints in the engine's order, with blanks between; default: the robot's order
 *
 * and of frames' six rows, where they are other than below:
 *
 * reference_frame     local_world_aligned (default), local or world, as Pinocchio names axes and point
 * frame_order         angular first (default) or linear first
 * frame_point         origin (default), com (of the link) or robot com
 * frame_acceleration  Jdot v (default), classical or spatial
 */
LEAPCHECK_EXPORT const char *leapcheck_describe(void);

/* States, row by row: all arrays are dense (the last index runs fastest), and belong to leapcheck. SI units.
 *
 * vdot are accelerations, as v component by component; they have nothing to do with tau. contact_forces act on the robot at its
 * contact points, in newtons, in world axes. Either may be NULL where the quantity asked for takes none. A later version may
 * append members.
 */
typedef struct {
    size_t n;
    const leapcheck_real *q;    /* (n, nq) */
    const leapcheck_real *v;    /* (n, nv) */
    const leapcheck_real *tau;  /* (n, nv) */
    const leapcheck_real *vdot; /* (n, nv) */
    const leapcheck_real *contact_forces; /* (n, points, 3) */
} leapcheck_states;

/* Needed: one quantity at some states. Returns 0, or any other number where it fails.
 *
 * out is written, n times the shape below, dense, row by row. points are the robot's computed contact points, in its order;
 * frames its links, then its points, which have the axes of their links; bodies its links, then their rotors. What is about
 * frames and the centre of mass is in world axes, [angular; linear]. The quantity is named as on the command line:
 *
 *     mass_matrix                      M                                       (nv, nv)
 *     bias_force                       h of M vdot + h = tau                   (nv)
 *     gravity_force                    h at v = 0                              (nv)
 *     coriolis_force                   h without gravity                       (nv)
 *     forward_dynamics                 vdot, of tau                            (nv)
 *     contact_positions                in the world, m                         (points, 3)
 *     contact_velocities               in world axes, m/s                      (points, 3)
 *     contact_jacobians                J: velocity = J v                       (points, 3, nv)
 *     contact_bias_accelerations       Jdot v, without gravity, m/s^2          (points, 3)
 *     contact_inertia                  J M^-1 J^T                              (3 points, 3 points)
 *     kinetic_energy                   J                                       1
 *     potential_energy                 J                                       1
 *
 *     inverse_dynamics                 M vdot + h, of vdot                     (nv)
 *     inverse_dynamics_with_contacts   M vdot + h - sum J^T f, of vdot and     (nv)
 *                                      contact_forces f
 *     minverse                         M^-1                                    (nv, nv)
 *     coriolis_matrix                  any C: C v the Coriolis force,          (nv, nv)
 *                                      Mdot - 2 C skew-symmetric
 *     christoffel_matrix               the C of Christoffel's symbols          (nv, nv)
 *     operational_inertia_inverse      J M^-1 J^T of each point's six rows     (points, 6, 6)
 *     inverse_dynamics_derivative_q    of M vdot + h by q, along the unit      (nv, nv)
 *                                      velocities of the dofs; of vdot
 *     inverse_dynamics_derivative_v    of M vdot + h by v                      (nv, nv)
 *     forward_dynamics_derivative_q    of vdot by q, likewise; of tau          (nv, nv)
 *     forward_dynamics_derivative_v    of vdot by v                            (nv, nv)
 *     forward_dynamics_derivative_tau  of vdot by tau                          (nv, nv)
 *     joint_torque_regressor           Y of Y pi = M vdot + h, of vdot,        (nv, 10 bodies)
 *                                      armature left out; pi of each body:
 *                                      m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
 *                                      about its origin
 *     kinetic_energy_regressor         y of y pi, armature left out            (10 bodies)
 *     potential_energy_regressor       y of y pi                               (10 bodies)
 *     frame_placements                 [R, p]                                  (frames, 3, 4)
 *     frame_velocities                 at the frame's origin                   (frames, 6)
 *     frame_jacobians                  J: that velocity = J v                  (frames, 6, nv)
 *     frame_jacobian_rates             Jdot                                    (frames, 6, nv)
 *     frame_bias_accelerations         Jdot v, classical, without gravity      (frames, 6)
 *     com_position                     of the centre of mass, m                (3)
 *     com_velocity                     m/s                                     (3)
 *     com_jacobian                     J: its velocity = J v                   (3, nv)
 *     com_bias_acceleration            its Jdot v                              (3)
 *     centroidal_momentum              A v, N m s and N s                      (6)
 *     centroidal_momentum_matrix       A                                       (6, nv)
 *     centroidal_momentum_rate         Adot v, N m and N                       (6)
 *     centroidal_inertia               with the joints locked                  (6, 6)
 *     frame_velocity_derivative_q      of frame_velocities by q, likewise      (frames, 6, nv)
 *     frame_acceleration_derivative_q  of the frames' classical accelerations  (frames, 6, nv)
 *                                      at vdot by q, likewise; of vdot
 *     frame_acceleration_derivative_v  of the same by v                        (frames, 6, nv)
 *     passive_forces                   of springs and dampers                  (nv)
 *     actuator_torques                 of commands, the entries of tau at the  (nv)
 *                                      joints as they stand
 *     dry_friction                     -friction sign(v), not smoothed         (nv)
 *
 * and of robots with closed loops or coupled joints, rows loop by loop, then coupling by coupling:
 *
 *     constraint_jacobian              J: velocity of the rows = J v           (rows, nv)
 *     constraint_bias                  Jdot v                                  (rows)
 *     constrained_forward_dynamics     vdot of M vdot + h = tau + J^T l,       (nv)
 *                                      J vdot = -Jdot v
 */
LEAPCHECK_EXPORT int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, leapcheck_real *out);

/* Version 1 of the same, which hands over no vdot: an engine that has it in place of leapcheck_evaluate_states is still taken, and
 * not asked for what takes vdot. n, q, v, tau and out as above. */
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
