// Pinocchio's functions recorded on CppAD's scalars and written by CppADCodeGen as straight-line C, as its users make them.
//
// A program: the names of the parts and the frames' numbers are its arguments, the model's text archive its standard input, the
// C statements its standard output. They compute y[...] of x[...], where x is q, then v, and y are the parts one after the
// other, each in row-major order.

#include <pinocchio/codegen/cppadcg.hpp>  // first: its scalars have to be known to all that follows

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/serialization/model.hpp>

#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using Generated = CppAD::cg::CG<double>;
using Scalar = CppAD::AD<Generated>;
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
using Model = pinocchio::ModelTpl<Scalar>;
using Data = pinocchio::DataTpl<Scalar>;
using Parts = std::set<std::string>;
using Frames = std::vector<pinocchio::FrameIndex>;

template <typename Matrix>
void append(std::vector<Scalar>& values, const Matrix& matrix) {
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) values.push_back(matrix(row, column));
}

std::vector<Scalar> answers(const Model& model, const Parts& parts, const Frames& frames, const Vector& q, const Vector& v) {
  Data data(model);
  std::vector<Scalar> values;
  if (parts.count("mass_matrix")) {
    pinocchio::crba(model, data, q, pinocchio::Convention::LOCAL);
    data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
    append(values, data.M);
  }
  if (parts.count("bias_force")) append(values, pinocchio::nonLinearEffects(model, data, q, v));
  pinocchio::forwardKinematics(model, data, q, v, Vector(Vector::Zero(model.nv)));
  pinocchio::computeJointJacobians(model, data);
  pinocchio::updateFramePlacements(model, data);
  if (parts.count("contact_positions"))
    for (const auto frame : frames) append(values, data.oMf[frame].translation());
  if (parts.count("contact_jacobians"))
    for (const auto frame : frames) {
      Data::Matrix6x J = Data::Matrix6x::Zero(6, model.nv);
      pinocchio::getFrameJacobian(model, data, frame, pinocchio::LOCAL_WORLD_ALIGNED, J);
      append(values, J.topRows<3>());
    }
  if (parts.count("contact_bias_accelerations"))
    for (const auto frame : frames)
      append(values, pinocchio::getFrameClassicalAcceleration(model, data, frame, pinocchio::LOCAL_WORLD_ALIGNED).linear());
  return values;
}

}  // namespace

int main(int count, char** words) {
  Parts parts;
  Frames frames;
  for (int i = 1; i < count; ++i) {
    const std::string word(words[i]);
    if (word.find_first_not_of("0123456789") == std::string::npos)
      frames.push_back(std::stoul(word));
    else
      parts.insert(word);
  }
  pinocchio::Model robot;
  robot.loadFromString(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  const Model model = robot.cast<Scalar>();

  Vector x(model.nq + model.nv);
  x << pinocchio::neutral(robot).cast<Scalar>(), Vector::Zero(model.nv);
  CppAD::Independent(x);
  const std::vector<Scalar> values = answers(model, parts, frames, x.head(model.nq), x.tail(model.nv));
  const Vector y = Eigen::Map<const Vector>(values.data(), values.size());
  CppAD::ADFun<Generated> function(x, y);
  function.optimize("no_compare_op");

  CppAD::cg::CodeHandler<double> handler;
  std::vector<Generated> inputs(x.size());
  handler.makeVariables(inputs);
  std::vector<Generated> outputs = function.Forward(0, inputs);
  CppAD::cg::LanguageC<double> language("double");
  language.setParameterPrecision(17);  // every constant exactly
  CppAD::cg::LangCDefaultVariableNameGenerator<double> names;
  handler.generateCode(std::cout, language, outputs, names);
  return 0;
}
