// Pinocchio's functions called for many states, with every output in NumPy layout: row-major, one state after the other.
//
// The model comes as text, not as an object: what this file is compiled to may lay objects out otherwise than the
// installed library does (wider vectors ask for wider alignment).

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/serialization/model.hpp>

#include <exception>
#include <vector>

namespace {

using Eigen::Dynamic;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::RowMajor;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Points = Eigen::Matrix<double, 3, Dynamic, RowMajor>;
using Frames = Eigen::Matrix<double, 6, Dynamic, RowMajor>;  // row-major: its upper half is copied out as it lies

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<pinocchio::FrameIndex> frames;
  std::vector<Frames> jacobians;  // one per frame: Pinocchio writes the columns of the frame's own joints, the rest stay zero
  VectorXd rest;
};

struct State {
  Map<const VectorXd> q, v;
};

State state(const Robot& robot, const double* q, const double* v, long i) {
  const auto& m = robot.model;
  return {Map<const VectorXd>(q + i * m.nq, m.nq), Map<const VectorXd>(v + i * m.nv, m.nv)};
}

void mass_matrix(Robot& robot, const State& at, double* M) {
  pinocchio::crba(robot.model, robot.data, at.q, pinocchio::Convention::LOCAL);
  Map<MatrixXd>(M, robot.model.nv, robot.model.nv) = robot.data.M.selfadjointView<Eigen::Upper>();
}

void bias_force(Robot& robot, const State& at, double* h) {
  Map<VectorXd>(h, robot.model.nv) = pinocchio::nonLinearEffects(robot.model, robot.data, at.q, at.v);
}

void points(Robot& robot, double* p, double* J) {
  const auto& m = robot.model;
  for (std::size_t k = 0; k < robot.frames.size(); ++k) {
    const auto& frame = m.frames[robot.frames[k]];
    Map<Vector3d>(p + 3 * k) = robot.data.oMi[frame.parentJoint].act(frame.placement.translation());
    pinocchio::getFrameJacobian(m, robot.data, robot.frames[k], pinocchio::LOCAL_WORLD_ALIGNED, robot.jacobians[k]);
    Map<Points>(J + 3 * m.nv * k, 3, m.nv) = robot.jacobians[k].topRows<3>();
  }
}

void accelerations(Robot& robot, double* a) {
  for (std::size_t k = 0; k < robot.frames.size(); ++k)
    Map<Vector3d>(a + 3 * k) =
        pinocchio::getFrameClassicalAcceleration(robot.model, robot.data, robot.frames[k], pinocchio::LOCAL_WORLD_ALIGNED)
            .linear();
}

}  // namespace

extern "C" {

// A robot out of Pinocchio's own text archive, with the frames of its contact points; null where it cannot be read.
void* robot_from_text(const char* text, const long* frames, long count) {
  try {
    auto* robot = new Robot();
    robot->model.loadFromString(text);
    robot->data = pinocchio::Data(robot->model);
    robot->frames.assign(frames, frames + count);
    robot->jacobians.assign(count, Frames::Zero(6, robot->model.nv));
    robot->rest = VectorXd::Zero(robot->model.nv);
    return robot;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void delete_robot(Robot* robot) { delete robot; }

void run_mass_matrix(Robot* robot, long n, const double* q, const double* v, double* M) {
  const long nv = robot->model.nv;
  for (long i = 0; i < n; ++i) mass_matrix(*robot, state(*robot, q, v, i), M + i * nv * nv);
}

void run_bias_force(Robot* robot, long n, const double* q, const double* v, double* h) {
  for (long i = 0; i < n; ++i) bias_force(*robot, state(*robot, q, v, i), h + i * robot->model.nv);
}

void run_contact_positions_contact_jacobians(Robot* robot, long n, const double* q, const double* v, double* p, double* J) {
  const long nv = robot->model.nv, rows = 3 * robot->frames.size();
  for (long i = 0; i < n; ++i) {
    pinocchio::computeJointJacobians(robot->model, robot->data, state(*robot, q, v, i).q);
    points(*robot, p + i * rows, J + i * rows * nv);
  }
}

void run_all(Robot* robot, long n, const double* q, const double* v, double* M, double* h, double* p, double* J, double* a) {
  const long nv = robot->model.nv, rows = 3 * robot->frames.size();
  for (long i = 0; i < n; ++i) {
    const State at = state(*robot, q, v, i);
    mass_matrix(*robot, at, M + i * nv * nv);
    bias_force(*robot, at, h + i * nv);
    pinocchio::forwardKinematics(robot->model, robot->data, at.q, at.v, robot->rest);
    pinocchio::computeJointJacobians(robot->model, robot->data);
    points(*robot, p + i * rows, J + i * rows * nv);
    accelerations(*robot, a + i * rows);
  }
}

}  // extern "C"
