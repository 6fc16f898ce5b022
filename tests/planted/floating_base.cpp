// Legged-robot dynamics of the Mini Cheetah with its rotors, as such code is written: composite rigid body algorithm and
// recursive Newton-Euler over an array of links, each with a rotor on its parent; one loop builds the four legs.
//
// Right as it stands. tests/planted/programmers_faults.py says which lines are mistaken, one at a time.
#include <Eigen/Dense>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "leapcheck_engine.h"

namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector = Eigen::Matrix<double, 18, 1>;
using Matrix = Eigen::Matrix<double, 18, 18>;
using Jacobian = Eigen::Matrix<double, 3, 18>;

constexpr int NQ = 19, NV = 18, LINKS = 13, POINTS = 16;

struct Link {
    int parent;
    int axis;         // 0 for x, 1 for y
    Matrix6 tree;     // from the parent to the link at angle 0
    Matrix6 inertia;  // spatial, angular first, about the link's origin
    Matrix6 rotor_tree, rotor_inertia;
    double gear;
};

struct Point {
    int link;
    Vector3 position;
};

Matrix3 cross(const Vector3 &a)
{
    Matrix3 m;
    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return m;
}

Matrix6 motion_cross(const Vector6 &v)
{
    Matrix6 m;
    m << cross(v.head<3>()), Matrix3::Zero(), cross(v.tail<3>()), cross(v.head<3>());
    return m;
}

Matrix6 force_cross(const Vector6 &v) { return -motion_cross(v).transpose(); }

Matrix3 symmetric(double xx, double xy, double xz, double yy, double yz, double zz)
{
    Matrix3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
}

Matrix6 spatial_inertia(double mass, const Vector3 &com, const Matrix3 &about_com)
{
    const Matrix3 c = cross(com);
    Matrix6 m;
    m << about_com + mass * c * c.transpose(), mass * c, mass * c.transpose(), mass * Matrix3::Identity();
    return m;
}

// Takes motions to a frame at p, turned by E (from the old axes to the new ones).
Matrix6 transform(const Matrix3 &E, const Vector3 &p)
{
    Matrix6 X;
    X << E, Matrix3::Zero(), -E * cross(p), E;
    return X;
}

Matrix6 joint_transform(int axis, double angle)
{
    const Matrix3 R = Eigen::AngleAxisd(angle, Vector3::Unit(axis)).toRotationMatrix();
    return transform(R.transpose(), Vector3::Zero());
}

std::vector<Link> links;
std::vector<Point> points;

void build()
{
    const Vector3 zero = Vector3::Zero();
    const Matrix3 one = Matrix3::Identity();
    const Matrix3 half_turn = Vector3(-1, -1, 1).asDiagonal();
    const double across = 33e-6, along = 63e-6;
    const Matrix6 rotor_x = spatial_inertia(0.055, zero, symmetric(along, 0, 0, across, 0, across));
    const Matrix6 rotor_y = spatial_inertia(0.055, zero, symmetric(across, 0, 0, along, 0, across));
    const Matrix6 trunk = spatial_inertia(3.3, zero, symmetric(0.011253, 0, 0, 0.036203, 0, 0.042673));
    links.push_back({-1, -1, Matrix6::Identity(), trunk, Matrix6::Identity(), Matrix6::Zero(), 0});
    for (double z : {0.05, -0.05})
        for (double y : {0.049, -0.049})
            for (double x : {0.19, -0.19}) points.push_back({0, Vector3(x, y, z)});
    for (const auto &[front, side] : {std::pair{1, -1}, {1, 1}, {-1, -1}, {-1, 1}}) { // FR FL HR HL; left is 1
        const int abad = static_cast<int>(links.size()), hip = abad + 1, knee = abad + 2;
        const Matrix3 abad_inertia = symmetric(381e-6, side * 58e-6, 0.45e-6, 560e-6, side * 0.95e-6, 444e-6);
        const Matrix3 hip_inertia = symmetric(1983e-6, side * 245e-6, 13e-6, 2103e-6, side * 1.5e-6, 408e-6);
        const Matrix3 knee_inertia = symmetric(245e-6, 0, 0, 248e-6, 0, 6e-6);
        links.push_back({0, 0, transform(one, Vector3(front * 0.19, side * 0.049, 0)),
                         spatial_inertia(0.54, Vector3(0, side * 0.036, 0), abad_inertia),
                         transform(one, Vector3(front * 0.125, side * 0.049, 0)), rotor_x, 6.0});
        links.push_back({abad, 1, transform(half_turn, Vector3(0, side * 0.062, 0)),
                         spatial_inertia(0.634, Vector3(0, side * 0.016, -0.02), hip_inertia),
                         transform(half_turn, Vector3(0, side * 0.04, 0)), rotor_y, 6.0});
        links.push_back({hip, 1, transform(one, Vector3(0, 0, -0.209)),
                         spatial_inertia(0.064, Vector3(0, 0, -0.061), knee_inertia),
                         transform(one, zero), rotor_y, 9.33});
        points.push_back({hip, Vector3(0, 0, -0.209)});
        points.push_back({knee, Vector3(0, -side * 0.004, -0.195)});
    }
}

// All that follows from a state: transforms, velocities and velocity products of links and rotors, poses in the world.
struct Motion {
    std::array<Matrix6, LINKS> X, X_rotor;
    std::array<Vector6, LINKS> S, S_rotor, v, v_rotor, c, c_rotor;
    std::array<Matrix3, LINKS> R;
    std::array<Vector3, LINKS> p;
};

Motion motion_of(const double *q, const double *qd)
{
    if (links.empty()) build();
    Motion m;
    m.R[0] = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized().toRotationMatrix();
    m.p[0] = Vector3(q[0], q[1], q[2]);
    m.v[0] = Eigen::Map<const Vector6>(qd);
    m.c[0].setZero();
    for (int i = 1; i < LINKS; i++) {
        const Link &link = links[i];
        const double angle = q[6 + i], rate = qd[5 + i];
        m.X[i] = joint_transform(link.axis, angle) * link.tree;
        m.X_rotor[i] = joint_transform(link.axis, link.gear * angle) * link.rotor_tree;
        m.S[i] = Vector6::Unit(link.axis);
        m.S_rotor[i] = link.gear * Vector6::Unit(link.axis);
        m.v[i] = m.X[i] * m.v[link.parent] + m.S[i] * rate;
        m.v_rotor[i] = m.X_rotor[i] * m.v[link.parent] + m.S_rotor[i] * rate;
        m.c[i] = motion_cross(m.v[i]) * m.S[i] * rate;
        m.c_rotor[i] = motion_cross(m.v_rotor[i]) * m.S_rotor[i] * rate;
        const Matrix3 E = m.X[i].topLeftCorner<3, 3>();
        const Matrix3 arm = -E.transpose() * m.X[i].bottomLeftCorner<3, 3>(); // cross(p), the link's place in the parent
        m.R[i] = m.R[link.parent] * E.transpose();
        m.p[i] = m.p[link.parent] + m.R[link.parent] * Vector3(arm(2, 1), arm(0, 2), arm(1, 0));
    }
    return m;
}

Matrix mass_matrix(const Motion &m)
{
    std::array<Matrix6, LINKS> composite;
    for (int i = 0; i < LINKS; i++) composite[i] = links[i].inertia;
    Matrix H = Matrix::Zero();
    for (int i = LINKS - 1; i > 0; i--) {
        const int parent = links[i].parent;
        composite[parent] += m.X[i].transpose() * composite[i] * m.X[i];
        composite[parent] += m.X_rotor[i].transpose() * links[i].rotor_inertia * m.X_rotor[i];
        const Vector6 own = composite[i] * m.S[i];
        const Vector6 spun = links[i].rotor_inertia * m.S_rotor[i];
        H(5 + i, 5 + i) = m.S[i].dot(own) + m.S_rotor[i].dot(spun);
        Vector6 force = m.X[i].transpose() * own + m.X_rotor[i].transpose() * spun;
        for (int j = parent; j > 0; j = links[j].parent) {
            H(5 + i, 5 + j) = H(5 + j, 5 + i) = m.S[j].dot(force);
            force = m.X[j].transpose() * force;
        }
        H.block<6, 1>(0, 5 + i) = force;
        H.block<1, 6>(5 + i, 0) = force.transpose();
    }
    H.topLeftCorner<6, 6>() = composite[0];
    return H;
}

Vector bias_force(const Motion &m, const Vector3 &gravity)
{
    std::array<Vector6, LINKS> a, f;
    std::array<Vector6, LINKS> f_rotor;
    a[0] << Vector3::Zero(), -(m.R[0].transpose() * gravity);
    f[0] = links[0].inertia * a[0] + force_cross(m.v[0]) * links[0].inertia * m.v[0];
    for (int i = 1; i < LINKS; i++) {
        const Link &link = links[i];
        a[i] = m.X[i] * a[link.parent] + m.c[i];
        f[i] = link.inertia * a[i];
        f[i] += force_cross(m.v[i]) * link.inertia * m.v[i];
        const Vector6 a_rotor = m.X_rotor[i] * a[link.parent] + m.c_rotor[i];
        f_rotor[i] = link.rotor_inertia * a_rotor;
        f_rotor[i] += force_cross(m.v_rotor[i]) * link.rotor_inertia * m.v_rotor[i];
    }
    Vector h;
    for (int i = LINKS - 1; i > 0; i--) {
        h(5 + i) = m.S[i].dot(f[i]);
        h(5 + i) += m.S_rotor[i].dot(f_rotor[i]);
        f[links[i].parent] += m.X[i].transpose() * f[i];
        f[links[i].parent] += m.X_rotor[i].transpose() * f_rotor[i];
    }
    h.head<6>() = f[0];
    return h;
}

Vector3 velocity(const Motion &m, const Point &point)
{
    const Vector3 w = m.v[point.link].head<3>(), v = m.v[point.link].tail<3>();
    return m.R[point.link] * (v + w.cross(point.position));
}

Jacobian jacobian(const Motion &m, const Point &point)
{
    Jacobian J = Jacobian::Zero();
    Eigen::Matrix<double, 3, 6> to_point;
    to_point << -m.R[point.link] * cross(point.position), m.R[point.link];
    int i = point.link;
    for (; i > 0; i = links[i].parent) {
        J.col(5 + i) = to_point * m.S[i];
        to_point = to_point * m.X[i];
    }
    J.leftCols<6>() = to_point;
    return J;
}

// Jdot qd: the point's acceleration in the world where all rates of the velocities are zero.
Vector3 bias_acceleration(const Motion &m, const Point &point)
{
    std::array<Vector6, LINKS> a;
    a[0].setZero();
    for (int i = 1; i < LINKS; i++) a[i] = m.X[i] * a[links[i].parent] + m.c[i];
    const Vector6 &motion = m.v[point.link], &rate = a[point.link];
    const Vector3 w = motion.head<3>(), arm = point.position;
    Vector3 acceleration = rate.tail<3>() + rate.head<3>().cross(arm);
    acceleration += w.cross(motion.tail<3>() + w.cross(arm));
    return m.R[point.link] * acceleration;
}

} // namespace

int leapcheck_abi(void) { return LEAPCHECK_ABI; }

const char *leapcheck_describe(void)
{
    return LEAPCHECK_PRECISION
        "name = floating base model; version = 1.0; nq = 19; nv = 18; points = 16; "
        "quantities = mass_matrix bias_force gravity_force coriolis_force forward_dynamics "
        "contact_positions contact_velocities contact_jacobians contact_bias_accelerations";
}

int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *tau, double *out)
{
    const auto is = [&](const char *name) { return std::strcmp(quantity, name) == 0; };
    const Vector3 gravity(0, 0, -9.81);
    const Vector rest = Vector::Zero();
    const bool moves = is("bias_force") || is("coriolis_force") || is("forward_dynamics") || is("contact_velocities") ||
                       is("contact_bias_accelerations");
    for (size_t k = 0; k < n; k++, q += NQ, v += NV, tau += NV) {
        const Motion m = motion_of(q, moves ? v : rest.data());
        if (is("mass_matrix")) {
            Eigen::Map<Matrix>(out + k * NV * NV) = mass_matrix(m);
        } else if (is("bias_force") || is("gravity_force")) {
            Eigen::Map<Vector>(out + k * NV) = bias_force(m, gravity);
        } else if (is("coriolis_force")) {
            Eigen::Map<Vector>(out + k * NV) = bias_force(m, Vector3::Zero());
        } else if (is("forward_dynamics")) {
            const Vector force = Eigen::Map<const Vector>(tau) - bias_force(m, gravity);
            Eigen::Map<Vector>(out + k * NV) = mass_matrix(m).ldlt().solve(force);
        } else {
            for (int j = 0; j < POINTS; j++) {
                const Point &point = points[j];
                const size_t place = k * POINTS + j;
                if (is("contact_jacobians")) {
                    Eigen::Map<Eigen::Matrix<double, 3, 18, Eigen::RowMajor>>(out + place * 3 * NV) = jacobian(m, point);
                } else if (is("contact_positions")) {
                    Eigen::Map<Vector3>(out + place * 3) = m.p[point.link] + m.R[point.link] * point.position;
                } else if (is("contact_velocities")) {
                    Eigen::Map<Vector3>(out + place * 3) = velocity(m, point);
                } else {
                    Eigen::Map<Vector3>(out + place * 3) = bias_acceleration(m, point);
                }
            }
        }
    }
    return 0;
}
