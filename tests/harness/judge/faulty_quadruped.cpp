// The quadruped of the examples with one fault, which the environment names in PLANTED_FAULT as the judge is to name it; for tests.
#include "leapcheck_engine.h"

#define leapcheck_evaluate_states answer_rightly
#include "whole_quadruped.cpp"
#undef leapcheck_evaluate_states

namespace {

struct Fault {
    std::string quantity;
    Function answer;
};

Matrix6 turned_back(const Motion<double> &m, int link)
{
    Matrix6 X = Matrix6::Zero();
    X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = m.R[link].transpose();
    return X;
}

// [linear; angular] of [angular; linear] rows.
RowMajor linear_first(const RowMajor &rows)
{
    RowMajor swapped(6, rows.cols());
    swapped << rows.bottomRows(3), rows.topRows(3);
    return swapped;
}

RowMajor spatial(const Motion<double> &m, int link, const RowMajor &classical, const RowMajor &velocity)
{
    RowMajor rows = classical;
    rows.bottomRows(3) -= cross(m.w[link]) * velocity.bottomRows(3);
    return rows;
}

const std::map<std::string, Fault> faults{
    {"frame/local:frame_jacobians",
     {"frame_jacobians",
      [](const State &s) {
          return s.each_frame(0, [](auto &m, const Link3 &r, int link) { return (turned_back(m, link) * r.J).eval(); });
      }}},
    {"frame/world+linear-first:frame_jacobians",
     {"frame_jacobians",
      [](const State &s) {
          return s.each_frame(0, [](auto &, const Link3 &r, int) {
              RowMajor J = r.J;
              J.bottomRows(3) += cross(r.p) * J.topRows(3);
              return linear_first(J);
          });
      }}},
    {"frame/linear-first:frame_velocities",
     {"frame_velocities",
      [](const State &s) { return s.each_frame(0, [&](auto &, const Link3 &r, int) { return linear_first(r.J * s.v); }); }}},
    {"frame/spatial",
     {"frame_bias_accelerations",
      [](const State &s) {
          return s.each_frame(0, [&](auto &m, const Link3 &r, int i) { return spatial(m, i, r.rate * s.v, r.J * s.v); });
      }}},
    {"frame/local-spatial:frame_bias_accelerations",
     {"frame_bias_accelerations",
      [](const State &s) {
          return s.each_frame(0, [&](auto &m, const Link3 &r, int i) {
              return (turned_back(m, i) * spatial(m, i, r.rate * s.v, r.J * s.v)).eval();
          });
      }}},
    {"frame/spatial-rates",
     {"frame_jacobian_rates",
      [](const State &s) {
          return s.each_frame(0, [](auto &m, const Link3 &r, int i) { return spatial(m, i, r.rate, r.J); });
      }}},
    {"frame/inverse-placement",
     {"frame_placements",
      [](const State &s) {
          return s.each_frame(0, [](auto &m, const Link3 &r, int i) {
              return (Eigen::Matrix<double, 3, 4>() << m.R[i].transpose(), -m.R[i].transpose() * r.p).finished();
          });
      }}},
    {"momentum/linear-first:centroidal_momentum_matrix",
     {"centroidal_momentum_matrix", [](const State &s) { return linear_first(Whole(s).A); }}},
    {"momentum/about-origin:centroidal_momentum",
     {"centroidal_momentum",
      [](const State &s) -> RowMajor {
          const Whole whole(s);
          Vector6<double> h = whole.A * s.v;
          h.head<3>() += cross(whole.com) * h.tail<3>();
          return h;
      }}},
    {"com/in-base",
     {"com_position",
      [](const State &s) -> RowMajor {
          const Motion<double> m = motion<double>(s.q, s.v);
          return m.R[0].transpose() * (Whole(s).com - m.p[0]);
      }}},
    {"com/lifted:com_bias_acceleration",
     {"com_bias_acceleration", [](const State &s) -> RowMajor { return Whole(s).rate * s.v - GRAVITY; }}},
    {"momentum/spin-alone:centroidal_inertia",
     {"centroidal_inertia",
      [](const State &s) -> RowMajor {
          const Motion<double> m = motion<double>(s.q, s.v);
          Matrix6 inertia = Whole(s).inertia;
          inertia.topLeftCorner<3, 3>().setZero();
          for (int i = 0; i < LINKS; i++) inertia.topLeftCorner<3, 3>() += inertia_in_world(m, i);
          return inertia;
      }}},
    {"coriolis/transposed:christoffel_matrix",
     {"christoffel_matrix", [](const State &s) -> RowMajor { return christoffel_matrix(s.q, s.v).transpose(); }}},
    {"inverse-dynamics/no-gravity",
     {"inverse_dynamics", [](const State &s) -> RowMajor { return inverse_dynamics<double>(s.q, s.v, s.vdot, 0); }}},
    {"storage/upper-only:minverse",
     {"minverse",
      [](const State &s) -> RowMajor {
          const RowMajor inverse = s.solved(RowMajor::Identity(NV, NV));
          return inverse.triangularView<Eigen::Upper>();
      }}},
    {"operational/local:operational_inertia_inverse",
     {"operational_inertia_inverse",
      [](const State &s) {
          const auto M = mass_matrix(s.q).ldlt();
          return s.each_frame(LINKS, [&](auto &m, const Link3 &r, int link) {
              const Jacobian<double> J = turned_back(m, link) * r.J;
              return (J * M.solve(J.transpose())).eval();
          });
      }}},
    {"derivative/no-inverse:forward_dynamics_derivative_q",
     {"forward_dynamics_derivative_q", [](const State &s) -> RowMajor { return -s.solved(s.force_by_q(s.rest())); }}},
    {"derivative/not-solved:forward_dynamics_derivative_v",
     {"forward_dynamics_derivative_v", [](const State &s) -> RowMajor { return -s.force_by_v(); }}},
    {"derivative/no-acceleration:inverse_dynamics_derivative_q",
     {"inverse_dynamics_derivative_q", [](const State &s) { return s.force_by_q(s.rest()); }}},
    {"regressor/no-velocity",
     {"joint_torque_regressor",
      [](const State &s) {
          State still = s;
          still.v.setZero();
          return torque_regressor(still);
      }}},
};

} // namespace

int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, double *out)
{
    const char *name = std::getenv("PLANTED_FAULT");
    if (!name) return answer_rightly(quantity, states, out);
    const Fault &fault = faults.at(name);
    if (fault.quantity != quantity) return answer_rightly(quantity, states, out);
    for (size_t i = 0; i < states->n; i++) {
        const RowMajor answer = fault.answer(state_at(states, i));
        out = std::copy(answer.data(), answer.data() + answer.size(), out);
    }
    return 0;
}
