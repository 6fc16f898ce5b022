// A user's quadruped code with Eigen: composite rigid body algorithm and recursive Newton-Euler for the Mini Cheetah by armature.
//
// Conventions of its own, as legged-robot code has them: quaternion x, y, z, w; linear velocity first; legs FL, FR, HL, HR.
// With PLANTED_FAULT the right legs are made of the left ones without turning the sign of the hips' product of inertia Ixy.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "leapcheck_engine.h"

#ifndef PLANTED_FAULT
#define PLANTED_FAULT 0
#endif

namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector = Eigen::Matrix<double, 18, 1>;
using Matrix = Eigen::Matrix<double, 18, 18>;

constexpr int NQ = 19, NV = 18, LINKS = 13;

struct Link {
    int parent;
    int axis;         // 0 for x, 1 for y, in the link's own axes; -1 for the trunk
    Vector3 position; // in the parent
    bool half_turn;   // about z: the hips look backwards
    Matrix6 inertia;  // spatial, angular first, about the link's origin
    double armature;
};

Matrix3 cross(const Vector3 &a)
{
    Matrix3 m;
    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return m;
}

Matrix6 spatial_inertia(double mass, const Vector3 &com, const std::array<double, 6> &about_com)
{
    const auto &[xx, xy, xz, yy, yz, zz] = about_com;
    Matrix3 inertia;
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Matrix3 c = cross(com);
    Matrix6 m;
    m << inertia + mass * c * c.transpose(), mass * c, mass * c.transpose(), mass * Matrix3::Identity();
    return m;
}

std::vector<Link> robot()
{
    std::vector<Link> links;
    const Vector3 origin = Vector3::Zero();
    links.push_back({-1, -1, origin, false,
                     spatial_inertia(3.5200000000000005, origin, {0.012033219999999999, 0, 0, 0.0397725, 0, 0.04677072}), 0});
    for (const auto &[x, side] : {std::pair{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}) { // side: left is 1
        const double hip_xy = (PLANTED_FAULT ? 1 : side) * 0.000245;
        const int abad = static_cast<int>(links.size());
        links.push_back({0, 0, {x * 0.19, side * 0.049, 0}, false,
                         spatial_inertia(0.5950000000000001, {0, side * 0.03636974789915966, 0},
                                         {0.0004147986554621849, side * 5.8e-05, 4.5e-07, 0.000623, side * 9.5e-07,
                                          0.0004777986554621849}),
                         0.002268});
        links.push_back({abad, 1, {0, side * 0.062, 0}, true,
                         spatial_inertia(0.6890000000000001, {0, side * 0.014722786647314948, -0.018403483309143685},
                                         {0.002049199883889695, hip_xy, 1.3e-05, 0.002186243831640058,
                                          side * 1.7695065312046447e-05, 0.0004539560522496371}),
                         0.002268});
        links.push_back({abad + 1, 1, {0, 0, -0.209}, false,
                         spatial_inertia(0.064, {0, 0, -0.061}, {0.000245, 0, 0, 0.000248, 0, 6e-06}), 0.0054840807});
    }
    return links;
}

const std::vector<Link> links = robot();

// What takes motions from the parent of a link to the link, angular part first.
Matrix6 transform(const Link &link, double angle)
{
    Matrix3 R = Eigen::AngleAxisd(angle, Vector3::Unit(link.axis)).toRotationMatrix();
    if (link.half_turn) R = Eigen::DiagonalMatrix<double, 3>(-1, -1, 1) * R;
    Matrix6 X;
    X << R.transpose(), Matrix3::Zero(), -R.transpose() * cross(link.position), R.transpose();
    return X;
}

// Transforms of all links at a configuration in the user's order: position, quaternion x y z w, joints.
std::array<Matrix6, LINKS> transforms(const double *q)
{
    std::array<Matrix6, LINKS> X;
    for (int i = 1; i < LINKS; i++) X[i] = transform(links[i], q[6 + i]);
    return X;
}

Matrix mass_matrix(const double *q)
{
    const auto X = transforms(q);
    std::array<Matrix6, LINKS> composite;
    for (int i = 0; i < LINKS; i++) composite[i] = links[i].inertia;
    Matrix M = Matrix::Zero();
    for (int i = LINKS - 1; i > 0; i--) {
        composite[links[i].parent] += X[i].transpose() * composite[i] * X[i];
        Vector6 force = composite[i].col(links[i].axis);
        M(5 + i, 5 + i) = force(links[i].axis) + links[i].armature;
        for (int j = i; j > 0; j = links[j].parent) {
            force = X[j].transpose() * force;
            const int parent = links[j].parent;
            if (parent > 0) M(5 + i, 5 + parent) = M(5 + parent, 5 + i) = force(links[parent].axis);
        }
        M.block<6, 1>(0, 5 + i) = force;
        M.block<1, 6>(5 + i, 0) = force.transpose();
    }
    M.block<6, 6>(0, 0) = composite[0];
    return M;
}

Vector bias_force(const double *q, const double *v)
{
    const auto X = transforms(q);
    const Matrix3 R = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).normalized().toRotationMatrix();
    std::array<Vector6, LINKS> velocity, acceleration, force;
    for (int i = 0; i < LINKS; i++) {
        if (i == 0) {
            velocity[0] << v[3], v[4], v[5], v[0], v[1], v[2];
            acceleration[0] << Vector3::Zero(), R.transpose() * Vector3(0, 0, 9.81);
        } else {
            const Vector6 rate = Vector6::Unit(links[i].axis) * v[5 + i];
            velocity[i] = X[i] * velocity[links[i].parent] + rate;
            acceleration[i] = X[i] * acceleration[links[i].parent];
            acceleration[i].head<3>() += velocity[i].head<3>().cross(rate.head<3>());
            acceleration[i].tail<3>() += velocity[i].tail<3>().cross(rate.head<3>());
        }
        const Vector6 momentum = links[i].inertia * velocity[i];
        const Vector3 w = velocity[i].head<3>(), u = velocity[i].tail<3>();
        force[i] = links[i].inertia * acceleration[i];
        force[i].head<3>() += w.cross(momentum.head<3>()) + u.cross(momentum.tail<3>());
        force[i].tail<3>() += w.cross(momentum.tail<3>());
    }
    Vector h;
    for (int i = LINKS - 1; i > 0; i--) {
        h(5 + i) = force[i](links[i].axis);
        force[links[i].parent] += X[i].transpose() * force[i];
    }
    h.head<6>() = force[0];
    return h;
}

// The base's linear part first: swaps the first two triples of rows.
const Eigen::PermutationMatrix<18> linear_first = [] {
    Eigen::PermutationMatrix<18> p;
    p.setIdentity();
    for (int k = 0; k < 3; k++) {
        p.indices()(k) = k + 3;
        p.indices()(k + 3) = k;
    }
    return p;
}();

} // namespace

int leapcheck_abi(void) { return LEAPCHECK_ABI; }

const char *leapcheck_describe(void)
{
    return LEAPCHECK_PRECISION
        "name = quadruped with Eigen; version = 0.3; nq = 19; nv = 18; quantities = mass_matrix bias_force; "
        "quaternion = xyzw; base_velocity = body; order = linear first; "
        "joints = FL_abad_joint FL_hip_joint FL_knee_joint FR_abad_joint FR_hip_joint FR_knee_joint "
        "HL_abad_joint HL_hip_joint HL_knee_joint HR_abad_joint HR_hip_joint HR_knee_joint";
}

int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *, double *out)
{
    const bool is_matrix = std::strcmp(quantity, "mass_matrix") == 0;
    for (size_t i = 0; i < n; i++, q += NQ, v += NV) {
        if (is_matrix) {
            Eigen::Map<Matrix>(out + i * NV * NV) = linear_first * mass_matrix(q) * linear_first.transpose();
        } else {
            Eigen::Map<Vector>(out + i * NV) = linear_first * bias_force(q, v);
        }
    }
    return 0;
}
