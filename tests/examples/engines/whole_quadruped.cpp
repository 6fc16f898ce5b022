// A user's quadruped code with Eigen that answers every quantity of leapcheck_engine.h, for the Mini Cheetah by armature:
//
//     headers="-I$(python -m leapcheck.engines.outside) -I/usr/include/eigen3"
//     g++ -std=c++17 -O1 -shared -fPIC $headers whole_quadruped.cpp -o libwhole.so
//     leapcheck compare mini_cheetah_armature --engine ./libwhole.so --quantities all
//
// All of it follows from the rows of Jacobians in world axes. Derivatives are imaginary parts behind an imaginary step (Squire and
// Trapp 1998), exact to rounding: hence templates of the scalar, and no dot() and cross() of Eigen, which conjugate. With
// PLANTED_FAULT inverse dynamics leaves the armature out, as MuJoCo's mj_rne does.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "leapcheck_engine.h"

#ifndef PLANTED_FAULT
#define PLANTED_FAULT 0
#endif

namespace {

constexpr int NQ = 19, NV = 18, LINKS = 13, POINTS = 16, FRAMES = LINKS + POINTS, PARAMETERS = 10 * LINKS;
constexpr double DAMPING = 0.01, FRICTION = 0.2, STEP = 1e-30;

using Complex = std::complex<double>;
template <class S> using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S> using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S> using Vector6 = Eigen::Matrix<S, 6, 1>;
template <class S> using Configuration = Eigen::Matrix<S, NQ, 1>;
template <class S> using Vector = Eigen::Matrix<S, NV, 1>;
template <class S> using Jacobian = Eigen::Matrix<S, 6, NV>;
using Forces = Eigen::Matrix<double, 3 * POINTS, 1>; // at each contact point in turn, world axes
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix = Eigen::Matrix<double, NV, NV>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const Vector3<double> GRAVITY(0, 0, -9.81);

struct Link {
    int parent, axis;         // axis: 0 for x, 1 for y
    Vector3<double> position; // in the parent
    bool half_turn;           // about z: the hips look backwards
    double mass;
    Vector3<double> com;
    Matrix3<double> inertia; // about the com
    double armature;
};

struct Frame {
    int link;
    Vector3<double> offset;
};

Link link(int parent, int axis, Vector3<double> position, bool half_turn, double mass, Vector3<double> com,
          const std::array<double, 6> &about_com, double armature)
{
    const auto &[xx, xy, xz, yy, yz, zz] = about_com;
    Matrix3<double> inertia;
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return {parent, axis, position, half_turn, mass, com, inertia, armature};
}

// Trunk, then FR, FL, HR, HL with abad, hip and knee each.
std::vector<Link> robot()
{
    std::vector<Link> links{link(-1, 0, {0, 0, 0}, false, 3.5200000000000005, {0, 0, 0},
                                 {0.012033219999999999, 0, 0, 0.0397725, 0, 0.04677072}, 0)};
    for (const auto &[x, side] : {std::pair{1, -1}, {1, 1}, {-1, -1}, {-1, 1}}) { // side: left is 1
        const int abad = static_cast<int>(links.size());
        links.push_back(link(0, 0, {x * 0.19, side * 0.049, 0}, false, 0.5950000000000001, {0, side * 0.03636974789915966, 0},
                             {0.0004147986554621849, side * 5.8e-05, 4.5e-07, 0.000623, side * 9.5e-07, 0.0004777986554621849},
                             0.002268));
        links.push_back(link(abad, 1, {0, side * 0.062, 0}, true, 0.6890000000000001,
                             {0, side * 0.014722786647314948, -0.018403483309143685},
                             {0.002049199883889695, side * 0.000245, 1.3e-05, 0.002186243831640058,
                              side * 1.7695065312046447e-05, 0.0004539560522496371},
                             0.002268));
        links.push_back(link(abad + 1, 1, {0, 0, -0.209}, false, 0.064, {0, 0, -0.061}, {0.000245, 0, 0, 0.000248, 0, 6e-06},
                             0.0054840807));
    }
    return links;
}

const std::vector<Link> links = robot();

// The links, then corners of the trunk, then knee and foot of each leg.
std::vector<Frame> all_frames()
{
    std::vector<Frame> frames;
    for (int i = 0; i < LINKS; i++) frames.push_back({i, {0, 0, 0}});
    for (double z : {0.05, -0.05})
        for (double y : {0.049, -0.049})
            for (double x : {0.19, -0.19}) frames.push_back({0, {x, y, z}});
    for (int leg = 0; leg < 4; leg++) {
        frames.push_back({3 * leg + 2, {0, 0, -0.209}});
        frames.push_back({3 * leg + 3, {0, leg % 2 ? -0.004 : 0.004, -0.195}});
    }
    return frames;
}

const std::vector<Frame> frames = all_frames();

template <class S> Matrix3<S> cross(const Vector3<S> &a)
{
    Matrix3<S> m;
    m << S(0), -a[2], a[1], a[2], S(0), -a[0], -a[1], a[0], S(0);
    return m;
}

template <class S> Matrix3<S> rotation(const S &w, const Vector3<S> &xyz)
{
    const Matrix3<S> K = cross(xyz);
    return Matrix3<S>::Identity() + S(2) * w * K + S(2) * K * K;
}

template <class S> Matrix3<S> rotation(int axis, const S &angle)
{
    const Matrix3<S> K = cross<S>(Vector3<S>::Unit(axis));
    return Matrix3<S>::Identity() + std::sin(angle) * K + (S(1) - std::cos(angle)) * K * K;
}

// Poses and velocities of all links: R, p, w, the velocity u of the origin, and the joint's axis, in world axes.
template <class S> struct Motion {
    std::array<Matrix3<S>, LINKS> R;
    std::array<Vector3<S>, LINKS> p, w, u, axis;
};

template <class S> Motion<S> motion(const Configuration<S> &q, const Vector<S> &v)
{
    Motion<S> m;
    m.R[0] = rotation<S>(q[3], q.template segment<3>(4));
    m.p[0] = q.template head<3>();
    m.w[0] = m.R[0] * v.template head<3>();
    m.u[0] = m.R[0] * v.template segment<3>(3);
    for (int i = 1; i < LINKS; i++) {
        const Link &l = links[i];
        const Vector3<S> arm = m.R[l.parent] * l.position.cast<S>();
        Matrix3<S> R = m.R[l.parent];
        if (l.half_turn) R.template leftCols<2>() *= S(-1);
        m.R[i] = R * rotation<S>(l.axis, q[6 + i]);
        m.p[i] = m.p[l.parent] + arm;
        m.axis[i] = m.R[i].col(l.axis);
        m.w[i] = m.w[l.parent] + m.axis[i] * v[5 + i];
        m.u[i] = m.u[l.parent] + cross(m.w[l.parent]) * arm;
    }
    return m;
}

// A point of a link: [angular; linear] rows J, and Jdot, in world axes.
template <class S> struct Rows {
    Vector3<S> p, velocity;
    Jacobian<S> J, rate;
};

template <class S> Rows<S> rows(const Motion<S> &m, const Frame &frame)
{
    const int i = frame.link;
    const Vector3<S> arm = m.R[i] * frame.offset.cast<S>();
    Rows<S> r{m.p[i] + arm, m.u[i] + cross(m.w[i]) * arm, Jacobian<S>::Zero(), Jacobian<S>::Zero()};
    const auto turning = [&](int column, const Vector3<S> &axis, const Vector3<S> &rate, int link) {
        const Vector3<S> from = r.p - m.p[link], speed = r.velocity - m.u[link];
        r.J.col(column) << axis, cross(axis) * from;
        r.rate.col(column) << rate, cross(rate) * from + cross(axis) * speed;
    };
    for (int k = 0; k < 3; k++) {
        const Vector3<S> axis = m.R[0].col(k), rate = cross(m.w[0]) * axis;
        turning(k, axis, rate, 0);
        r.J.col(3 + k) << Vector3<S>::Zero(), axis;
        r.rate.col(3 + k) << Vector3<S>::Zero(), rate;
    }
    for (int j = i; j > 0; j = links[j].parent) turning(5 + j, m.axis[j], cross(m.w[j]) * m.axis[j], j);
    return r;
}

template <class S> Matrix3<S> inertia_in_world(const Motion<S> &m, int i)
{
    return m.R[i] * links[i].inertia.cast<S>() * m.R[i].transpose();
}

template <class S>
Vector<S> inverse_dynamics(const Configuration<S> &q, const Vector<S> &v, const Vector<S> &vdot, double weight = 1)
{
    const Motion<S> m = motion<S>(q, v);
    Vector<S> tau = Vector<S>::Zero();
    for (int i = 0; i < LINKS; i++) {
        const Rows<S> com = rows<S>(m, {i, links[i].com});
        const Matrix3<S> I = inertia_in_world(m, i);
        const Vector6<S> acceleration = com.J * vdot + com.rate * v;
        const Vector3<S> momentum = I * m.w[i];
        Vector6<S> force;
        force << I * acceleration.template head<3>() + cross(m.w[i]) * momentum,
            S(links[i].mass) * (acceleration.template tail<3>() - S(weight) * GRAVITY.cast<S>());
        tau += com.J.transpose() * force;
        if (i && !PLANTED_FAULT) tau[5 + i] += links[i].armature * vdot[5 + i];
    }
    return tau;
}

Matrix mass_matrix(const Configuration<double> &q)
{
    const Motion<double> m = motion<double>(q, Vector<double>::Zero());
    Matrix M = Matrix::Zero();
    for (int i = 0; i < LINKS; i++) {
        const Jacobian<double> J = rows<double>(m, {i, links[i].com}).J;
        M += J.topRows<3>().transpose() * inertia_in_world(m, i) * J.topRows<3>();
        M += links[i].mass * J.bottomRows<3>().transpose() * J.bottomRows<3>();
        if (i) M(5 + i, 5 + i) += links[i].armature;
    }
    return M;
}

// C of Christoffel's symbols: sum of J^T (I Jdot + B J) in the links' axes (Echeandia and Wensing 2021).
Matrix christoffel_matrix(const Configuration<double> &q, const Vector<double> &v)
{
    const Motion<double> m = motion<double>(q, v);
    Matrix C = Matrix::Zero();
    for (int i = 0; i < LINKS; i++) {
        const Rows<double> r = rows<double>(m, {i, {0, 0, 0}});
        Matrix6 I, R = Matrix6::Zero(), W = Matrix6::Zero(), V = Matrix6::Zero(), H = Matrix6::Zero();
        const Matrix3<double> mc = links[i].mass * cross(links[i].com);
        I << links[i].inertia - mc * cross(links[i].com), mc, -mc, links[i].mass * Matrix3<double>::Identity();
        R.topLeftCorner<3, 3>() = R.bottomRightCorner<3, 3>() = m.R[i].transpose();
        W.topLeftCorner<3, 3>() = W.bottomRightCorner<3, 3>() = cross(m.w[i]);
        const Jacobian<double> J = R * r.J, rate = R * (r.rate - W * r.J);
        const Vector6<double> velocity = J * v, momentum = I * velocity;
        V.topLeftCorner<3, 3>() = V.bottomRightCorner<3, 3>() = cross<double>(velocity.head<3>());
        V.topRightCorner<3, 3>() = cross<double>(velocity.tail<3>()); // V x*
        H.topLeftCorner<3, 3>() = -cross<double>(momentum.head<3>());
        H.topRightCorner<3, 3>() = H.bottomLeftCorner<3, 3>() = -cross<double>(momentum.tail<3>());
        const Matrix6 carried = V * I;
        C += J.transpose() * (I * rate + 0.5 * (carried - carried.transpose() + H) * J);
    }
    return C;
}

// Placements, velocities, Jacobians and their like of all frames, one under the other.
template <class S, class Function> auto of_frames(const Configuration<S> &q, const Vector<S> &v, int first, Function function)
{
    const Motion<S> m = motion<S>(q, v);
    const auto sample = function(m, rows<S>(m, frames[0]), 0).eval();
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> all((FRAMES - first) * sample.rows(), sample.cols());
    for (int k = first; k < FRAMES; k++)
        all.middleRows((k - first) * sample.rows(), sample.rows()) = function(m, rows<S>(m, frames[k]), frames[k].link);
    return all;
}

template <class S>
Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> frame_accelerations(const Configuration<S> &q, const Vector<S> &v,
                                                                     const Vector<S> &vdot)
{
    return of_frames<S>(q, v, 0, [&](auto &, const Rows<S> &r, int) { return (r.J * vdot + r.rate * v).eval(); });
}

// The configuration a step along a unit velocity away.
Configuration<Complex> moved(const Configuration<double> &q, int k)
{
    Configuration<Complex> at = q.cast<Complex>();
    const Complex step(0, STEP);
    const Vector3<double> xyz = q.segment<3>(4), unit = Vector3<double>::Unit(k % 3);
    if (k < 3) {
        at[3] -= 0.5 * step * xyz.dot(unit);
        at.segment<3>(4) += 0.5 * step * (q[3] * unit + cross(xyz) * unit).cast<Complex>();
    } else if (k < 6) {
        at.head<3>() += step * rotation<double>(q[3], xyz).col(k % 3).cast<Complex>();
    } else {
        at[k + 1] += step;
    }
    return at;
}

// Derivative of a function (rows, 1) by each of the dofs: that of q by `moved`, that of v as it is.
template <class Function> RowMajor by_each(Function at_step)
{
    RowMajor columns;
    for (int k = 0; k < NV; k++) {
        const auto value = at_step(k).eval();
        if (k == 0) columns.resize(value.rows(), NV);
        columns.col(k) = value.imag() / STEP;
    }
    return columns;
}

template <class Function> RowMajor by_q(const Configuration<double> &q, Function function)
{
    return by_each([&](int k) { return function(moved(q, k)); });
}

template <class Function> RowMajor by_v(const Vector<double> &v, Function function)
{
    return by_each([&](int k) {
        Vector<Complex> at = v.cast<Complex>();
        at[k] += Complex(0, STEP);
        return function(at);
    });
}

struct State {
    Configuration<double> q;
    Vector<double> v, tau, vdot;
    Forces contact_forces;

    Vector<double> rest() const { return Vector<double>::Zero(); }
    Vector<double> forward() const { return mass_matrix(q).ldlt().solve(tau - inverse_dynamics<double>(q, v, rest())); }

    RowMajor force_by_q(const Vector<double> &at) const
    {
        return by_q(q, [&](const auto &x) { return inverse_dynamics<Complex>(x, v.cast<Complex>(), at.cast<Complex>()); });
    }
    RowMajor force_by_v() const
    {
        return by_v(v, [&](const auto &x) {
            return inverse_dynamics<Complex>(q.cast<Complex>(), x, Vector<Complex>::Zero());
        });
    }
    RowMajor solved(const RowMajor &right) const { return mass_matrix(q).ldlt().solve(right); }
    template <class Function> RowMajor each_frame(int first, Function f) const { return of_frames<double>(q, v, first, f); }
};

// The i-th of the states; what is left out is zero.
State state_at(const leapcheck_states *states, size_t i)
{
    const auto part = [&](const double *rows) { return Vector<double>(Eigen::Map<const Vector<double>>(rows + NV * i)); };
    return {Eigen::Map<const Configuration<double>>(states->q + NQ * i), part(states->v), part(states->tau),
            states->vdot ? part(states->vdot) : Vector<double>::Zero(),
            states->contact_forces ? Forces(Eigen::Map<const Forces>(states->contact_forces + 3 * POINTS * i))
                                   : Forces(Forces::Zero())};
}

// What is summed over the links: mass, com, its J and rate, A, Adot v, and the inertia about the com.
struct Whole {
    double mass = 0;
    Vector3<double> com = Vector3<double>::Zero();
    Eigen::Matrix<double, 3, NV> J = Eigen::Matrix<double, 3, NV>::Zero(), rate = J;
    Jacobian<double> A = Jacobian<double>::Zero();
    Vector6<double> A_rate = Vector6<double>::Zero();
    Matrix6 inertia = Matrix6::Zero();

    explicit Whole(const State &s)
    {
        const Motion<double> m = motion<double>(s.q, s.v);
        std::vector<Rows<double>> of_links;
        for (int i = 0; i < LINKS; i++) {
            of_links.push_back(rows<double>(m, {i, links[i].com}));
            mass += links[i].mass;
            com += links[i].mass * of_links[i].p;
            J += links[i].mass * of_links[i].J.bottomRows<3>();
            rate += links[i].mass * of_links[i].rate.bottomRows<3>();
        }
        com /= mass, J /= mass, rate /= mass;
        for (int i = 0; i < LINKS; i++) {
            const Rows<double> &r = of_links[i];
            const Matrix3<double> I = inertia_in_world(m, i), arm = cross<double>(r.p - com);
            const Vector6<double> a = r.rate * s.v;
            const Vector3<double> force = links[i].mass * a.tail<3>(), momentum = I * m.w[i];
            A.topRows<3>() += I * r.J.topRows<3>() + links[i].mass * arm * r.J.bottomRows<3>();
            A.bottomRows<3>() += links[i].mass * r.J.bottomRows<3>();
            A_rate.head<3>() += I * a.head<3>() + cross(m.w[i]) * momentum + arm * force;
            A_rate.tail<3>() += force;
            inertia.topLeftCorner<3, 3>() += I - links[i].mass * arm * arm;
        }
        inertia.bottomRightCorner<3, 3>() = mass * Matrix3<double>::Identity();
    }
};

// The inertia of which one entry is 1, in the order xx, xy, yy, xz, yz, zz.
Matrix3<double> unit_inertia(int k)
{
    const std::array<std::array<int, 2>, 6> places{{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}}};
    Matrix3<double> E = Matrix3<double>::Zero();
    const auto [i, j] = places[k];
    E(i, j) = E(j, i) = 1;
    return E;
}

RowMajor torque_regressor(const State &s)
{
    const Motion<double> m = motion<double>(s.q, s.v);
    RowMajor Y(NV, PARAMETERS);
    for (int i = 0; i < LINKS; i++) {
        const Rows<double> r = rows<double>(m, {i, {0, 0, 0}});
        const Vector6<double> a = r.J * s.vdot + r.rate * s.v;
        const Matrix3<double> R = m.R[i].transpose();
        const Vector3<double> w = R * m.w[i], turning = R * a.head<3>(), moving = R * (a.tail<3>() - GRAVITY);
        const Eigen::Matrix<double, 3, NV> angular = R * r.J.topRows<3>(), linear = R * r.J.bottomRows<3>();
        Y.col(10 * i) = linear.transpose() * moving;
        for (int k = 0; k < 3; k++) {
            const Vector3<double> c = Vector3<double>::Unit(k), force = turning.cross(c) + w.cross(w.cross(c));
            Y.col(10 * i + 1 + k) = angular.transpose() * c.cross(moving) + linear.transpose() * force;
        }
        for (int k = 0; k < 6; k++) {
            const Matrix3<double> E = unit_inertia(k);
            const Vector3<double> momentum = E * w;
            Y.col(10 * i + 4 + k) = angular.transpose() * (E * turning + w.cross(momentum));
        }
    }
    return Y;
}

// Of the kinetic energy, or of the potential one.
RowMajor energy_regressor(const State &s, bool kinetic)
{
    const Motion<double> m = motion<double>(s.q, s.v);
    RowMajor y = RowMajor::Zero(PARAMETERS, 1);
    for (int i = 0; i < LINKS; i++) {
        const Vector3<double> w = m.R[i].transpose() * m.w[i], u = m.R[i].transpose() * m.u[i], g = m.R[i].transpose() * GRAVITY;
        y(10 * i) = kinetic ? u.squaredNorm() / 2 : -GRAVITY.dot(m.p[i]);
        for (int k = 0; k < 3; k++) y(10 * i + 1 + k) = kinetic ? u.dot(w.cross(Vector3<double>::Unit(k))) : -g[k];
        for (int k = 0; k < 6; k++) y(10 * i + 4 + k) = kinetic ? w.dot(unit_inertia(k) * w) / 2 : 0;
    }
    return y;
}

double potential_energy(const State &s)
{
    const Whole whole(s);
    return -whole.mass * GRAVITY.dot(whole.com);
}

RowMajor joints_only(const Vector<double> &v, double factor)
{
    RowMajor force = factor * v;
    force.topRows<6>().setZero();
    return force;
}

RowMajor actuator_torques(const State &s)
{
    RowMajor torque = joints_only(s.tau, 1);
    for (int i = 1; i < LINKS; i++) {
        const double largest = i % 3 == 0 ? 27.990000000000002 : 18; // the knees' own gears
        torque(5 + i) = std::clamp(torque(5 + i), -largest, largest);
    }
    return torque;
}

RowMajor number(double value) { return RowMajor::Constant(1, 1, value); }

using Function = std::function<RowMajor(const State &)>;
using Link3 = Rows<double>;

const std::map<std::string, Function> answers{
    {"mass_matrix", [](const State &s) -> RowMajor { return mass_matrix(s.q); }},
    {"bias_force", [](const State &s) -> RowMajor { return inverse_dynamics<double>(s.q, s.v, s.rest()); }},
    {"gravity_force", [](const State &s) -> RowMajor { return inverse_dynamics<double>(s.q, s.rest(), s.rest()); }},
    {"coriolis_force", [](const State &s) -> RowMajor { return inverse_dynamics<double>(s.q, s.v, s.rest(), 0); }},
    {"forward_dynamics", [](const State &s) -> RowMajor { return s.forward(); }},
    {"inverse_dynamics", [](const State &s) -> RowMajor { return inverse_dynamics<double>(s.q, s.v, s.vdot); }},
    {"inverse_dynamics_with_contacts",
     [](const State &s) -> RowMajor {
         const RowMajor J = s.each_frame(LINKS, [](auto &, const Link3 &r, int) { return r.J.bottomRows<3>(); });
         return inverse_dynamics<double>(s.q, s.v, s.vdot) - Vector<double>(J.transpose() * s.contact_forces);
     }},
    {"minverse", [](const State &s) { return s.solved(RowMajor::Identity(NV, NV)); }},
    {"coriolis_matrix", [](const State &s) -> RowMajor { return christoffel_matrix(s.q, s.v); }},
    {"christoffel_matrix", [](const State &s) -> RowMajor { return christoffel_matrix(s.q, s.v); }},
    {"kinetic_energy", [](const State &s) { return number(s.v.dot(mass_matrix(s.q) * s.v) / 2); }},
    {"potential_energy", [](const State &s) { return number(potential_energy(s)); }},
    {"contact_positions",
     [](const State &s) { return s.each_frame(LINKS, [](auto &, const Link3 &r, int) { return r.p; }); }},
    {"contact_velocities",
     [](const State &s) { return s.each_frame(LINKS, [](auto &, const Link3 &r, int) { return r.velocity; }); }},
    {"contact_jacobians",
     [](const State &s) { return s.each_frame(LINKS, [](auto &, const Link3 &r, int) { return r.J.bottomRows<3>(); }); }},
    {"contact_bias_accelerations",
     [](const State &s) {
         return s.each_frame(LINKS, [&](auto &, const Link3 &r, int) { return r.rate.bottomRows<3>() * s.v; });
     }},
    {"contact_inertia",
     [](const State &s) -> RowMajor {
         const RowMajor J = s.each_frame(LINKS, [](auto &, const Link3 &r, int) { return r.J.bottomRows<3>(); });
         return J * s.solved(J.transpose());
     }},
    {"operational_inertia_inverse",
     [](const State &s) {
         const auto M = mass_matrix(s.q).ldlt();
         return s.each_frame(LINKS, [&](auto &, const Link3 &r, int) { return r.J * M.solve(r.J.transpose()); });
     }},
    {"frame_placements",
     [](const State &s) {
         return s.each_frame(0, [](auto &m, const Link3 &r, int link) {
             return (Eigen::Matrix<double, 3, 4>() << m.R[link], r.p).finished();
         });
     }},
    {"frame_velocities", [](const State &s) { return s.each_frame(0, [&](auto &, const Link3 &r, int) { return r.J * s.v; }); }},
    {"frame_jacobians", [](const State &s) { return s.each_frame(0, [](auto &, const Link3 &r, int) { return r.J; }); }},
    {"frame_jacobian_rates", [](const State &s) { return s.each_frame(0, [](auto &, const Link3 &r, int) { return r.rate; }); }},
    {"frame_bias_accelerations",
     [](const State &s) -> RowMajor { return frame_accelerations<double>(s.q, s.v, s.rest()); }},
    {"com_position", [](const State &s) -> RowMajor { return Whole(s).com; }},
    {"com_velocity", [](const State &s) -> RowMajor { return Whole(s).J * s.v; }},
    {"com_jacobian", [](const State &s) -> RowMajor { return Whole(s).J; }},
    {"com_bias_acceleration", [](const State &s) -> RowMajor { return Whole(s).rate * s.v; }},
    {"centroidal_momentum", [](const State &s) -> RowMajor { return Whole(s).A * s.v; }},
    {"centroidal_momentum_matrix", [](const State &s) -> RowMajor { return Whole(s).A; }},
    {"centroidal_momentum_rate", [](const State &s) -> RowMajor { return Whole(s).A_rate; }},
    {"centroidal_inertia", [](const State &s) -> RowMajor { return Whole(s).inertia; }},
    {"inverse_dynamics_derivative_q", [](const State &s) { return s.force_by_q(s.vdot); }},
    {"inverse_dynamics_derivative_v", [](const State &s) { return s.force_by_v(); }},
    {"forward_dynamics_derivative_q", [](const State &s) -> RowMajor { return -s.solved(s.force_by_q(s.forward())); }},
    {"forward_dynamics_derivative_v", [](const State &s) -> RowMajor { return -s.solved(s.force_by_v()); }},
    {"forward_dynamics_derivative_tau", [](const State &s) { return s.solved(RowMajor::Identity(NV, NV)); }},
    {"frame_velocity_derivative_q",
     [](const State &s) {
         const Vector<Complex> v = s.v.cast<Complex>();
         return by_q(s.q, [&](const auto &q) {
             return of_frames<Complex>(q, v, 0, [&](auto &, const Rows<Complex> &r, int) { return (r.J * v).eval(); });
         });
     }},
    {"frame_acceleration_derivative_q",
     [](const State &s) {
         return by_q(s.q, [&](const auto &q) {
             return frame_accelerations<Complex>(q, s.v.cast<Complex>(), s.vdot.cast<Complex>());
         });
     }},
    {"frame_acceleration_derivative_v",
     [](const State &s) {
         return by_v(s.v, [&](const auto &v) {
             return frame_accelerations<Complex>(s.q.cast<Complex>(), v, Vector<Complex>::Zero());
         });
     }},
    {"joint_torque_regressor", torque_regressor},
    {"kinetic_energy_regressor", [](const State &s) { return energy_regressor(s, true); }},
    {"potential_energy_regressor", [](const State &s) { return energy_regressor(s, false); }},
    {"passive_forces", [](const State &s) { return joints_only(s.v, -DAMPING); }},
    {"actuator_torques", actuator_torques},
    {"dry_friction", [](const State &s) { return joints_only(s.v.cwiseSign(), -FRICTION); }},
};

} // namespace

int leapcheck_abi(void) { return LEAPCHECK_ABI; }

const char *leapcheck_describe(void)
{
    static const std::string words = [] {
        std::string text = LEAPCHECK_PRECISION "name = whole quadruped with Eigen; version = 0.1; nq = 19; nv = 18; points = 16; ";
        text += "quantities =";
        for (const auto &[name, function] : answers) text += " " + name;
        return text;
    }();
    return words.c_str();
}

const char *leapcheck_error(void) { return "there is no such quantity"; }

int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, double *out)
{
    const auto found = answers.find(quantity);
    if (found == answers.end()) return 1;
    for (size_t i = 0; i < states->n; i++) {
        const RowMajor answer = found->second(state_at(states, i));
        out = std::copy(answer.data(), answer.data() + answer.size(), out);
    }
    return 0;
}
