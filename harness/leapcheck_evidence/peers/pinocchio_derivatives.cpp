// Pinocchio's derivatives, torque regressor and Coriolis matrix at many states; what they leave in its data is not copied out.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/serialization/model.hpp>

#include <exception>

namespace {

using Eigen::Map;
using Eigen::VectorXd;

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
};

template <typename Function>
void at_each(Robot* robot, long n, const double* q, const double* v, const double* third, Function function) {
  const long nq = robot->model.nq, nv = robot->model.nv;
  for (long i = 0; i < n; ++i)
    function(robot->model, robot->data, Map<const VectorXd>(q + i * nq, nq), Map<const VectorXd>(v + i * nv, nv),
             Map<const VectorXd>(third + i * nv, nv));
}

}  // namespace

extern "C" {

void* robot_from_text(const char* text) {
  try {
    auto* robot = new Robot();
    robot->model.loadFromString(text);
    robot->data = pinocchio::Data(robot->model);
    return robot;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void delete_robot(Robot* robot) { delete robot; }

void run_inverse_dynamics_derivatives(Robot* robot, long n, const double* q, const double* v, const double* vdot) {
  at_each(robot, n, q, v, vdot, [](auto& model, auto& data, const auto& q, const auto& v, const auto& vdot) {
    pinocchio::computeRNEADerivatives(model, data, q, v, vdot);
  });
}

void run_forward_dynamics_derivatives(Robot* robot, long n, const double* q, const double* v, const double* tau) {
  at_each(robot, n, q, v, tau, [](auto& model, auto& data, const auto& q, const auto& v, const auto& tau) {
    pinocchio::computeABADerivatives(model, data, q, v, tau);
  });
}

void run_joint_torque_regressor(Robot* robot, long n, const double* q, const double* v, const double* vdot) {
  at_each(robot, n, q, v, vdot, [](auto& model, auto& data, const auto& q, const auto& v, const auto& vdot) {
    pinocchio::computeJointTorqueRegressor(model, data, q, v, vdot);
  });
}

void run_coriolis_matrix(Robot* robot, long n, const double* q, const double* v, const double* unused) {
  at_each(robot, n, q, v, unused, [](auto& model, auto& data, const auto& q, const auto& v, const auto&) {
    pinocchio::computeCoriolisMatrix(model, data, q, v);
  });
}
}
