// Support for tests of figures and pages: runs to draw.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "duets/harness/run_result.h"
#include "duets/report/markup_test_support.h"

namespace duets::harness::figure_testing {

inline protocol::EpochReport sample_epoch(std::uint32_t j) {
  protocol::EpochReport e;
  e.epoch = base::EpochId{j};
  e.planned_length = e.length = 2 * j;
  e.num_points = e.num_distinct = 20 * j;
  e.region_fraction = std::pow(0.4, j - 1);
  e.cut_acceptance = 0.4;
  e.sigma2_max = 0.3 / j;
  e.p_unclipped = 3.0 / j;
  e.p = std::min(1.0, e.p_unclipped);
  e.num_selected = 15 * j;
  e.num_inducing = 12 * j;
  e.max_mean = 1;
  e.tau = 0.5;
  e.smallest_margin = 1e-4;
  e.num_participants = 10;
  return e;
}

inline Picture sample_picture() {
  Picture p;
  p.resolution = 21;
  for (std::size_t y = 0; y < 21; ++y) {
    for (std::size_t x = 0; x < 21; ++x) {
      const double r = std::hypot(double(x) - 10, double(y) - 10) / 20;
      p.mean.push_back(-r);
      p.truth.push_back(-r * r);
    }
  }
  for (const double radius : {0.4, 0.2}) {
    p.margin.emplace_back();
    p.inside.emplace_back();
    for (const double m : p.mean) {
      p.margin.back().push_back(m + radius);
      p.inside.back().push_back(m + radius >= 0 ? 1 : 0);
    }
  }
  for (std::uint32_t i = 0; i < 120; ++i) {
    p.point_x.push_back(double(i * 37 % 120) / 120);
    p.point_y.push_back(double(i * 53 % 120) / 120);
    p.point_epoch.push_back(1 + i / 40);
  }
  p.has_recommendation = true;
  p.recommended_x = p.recommended_y = 0.5;
  return p;
}

/// Ten agents, twelve queries each, three epochs of which two were closed, two dimensions.
inline RunResult sample_run() {
  RunResult r;
  r.study_name = "sample";
  r.objective = "bowl";
  r.direction = "maximize";
  r.domain = "box";
  r.coordinate_names = {"x1", "x2"};
  r.agents = 10;
  r.horizon = 12;
  r.seed = 7;
  r.lengths = {2, 4, 6};
  for (int t = 1; t <= 12; ++t) r.cumulative_regret.push_back(10 * std::sqrt(t));
  r.epochs = {sample_epoch(1), sample_epoch(2)};
  r.communication = {{1, 2, 49, 120, 490, 0, 5000},
                     {2, 6, 146, 360, 1460, 0, 15000},
                     {3, 12, 146, 360, 1460, 30, 15500}};
  r.optimum = 0;
  r.recommendation = protocol::Found{
      .values = {0.5, 0.5}, .value = -0.01, .low = -0.05, .high = 0.03, .true_value = -0.001};
  r.best_trial =
      protocol::Found{.values = {0.52, 0.47}, .value = 0.41, .agent = 3, .epoch = 2, .slot = 1};
  r.picture = sample_picture();
  r.guarantee = "None in tuned mode.";
  r.interval_meaning = "twice the deviation";
  r.study_digest = "00112233445566778899aabbccddeeff";
  r.run_digest = "102132435465768798a9bacbdcedfe0f";
  r.state_digest = "ffeeddccbbaa99887766554433221100";
  r.smallest_margin = 1e-4;
  r.mean_error = 1e-13;
  return r;
}

/// Unusual runs; all must be drawn.
struct EdgeCase {
  std::string name;
  RunResult run;
};

inline std::vector<EdgeCase> edge_cases() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<EdgeCase> out;
  out.push_back({"nothing at all", RunResult{}});

  RunResult one = sample_run();  // one query of one agent: no closed epoch
  one.agents = one.horizon = 1;
  one.lengths = {1};
  one.epochs.clear();
  one.cumulative_regret = {0};
  one.communication = {{1, 1, 0, 0, 0, 3, 40}};
  one.recommendation.reset();
  one.picture->mean.clear();
  one.picture->margin.clear();
  one.picture->inside.clear();
  one.picture->has_recommendation = false;
  one.smallest_margin = kInf;
  out.push_back({"one query", one});

  RunResult zero = sample_run();
  for (double& v : zero.cumulative_regret) v = 0;
  zero.picture->mean.assign(21 * 21, 3);
  zero.picture->truth.assign(21 * 21, 0);
  for (auto& m : zero.picture->margin) m.assign(21 * 21, 0);
  out.push_back({"all equal", zero});

  RunResult silent = sample_run();
  silent.communication.clear();
  out.push_back({"nothing sent", silent});

  RunResult broken = sample_run();
  broken.cumulative_regret[3] = kNan;
  broken.cumulative_regret[7] = kInf;
  broken.picture->mean[5] = kNan;
  broken.picture->truth.assign(21 * 21, kNan);
  broken.picture->margin[0][9] = -kInf;
  broken.picture->point_x[2] = kNan;
  broken.picture->recommended_x = kNan;
  for (auto& e : broken.epochs) {
    e.region_fraction = e.cut_acceptance = e.sigma2_max = e.tau = kNan;
    e.smallest_margin = kInf;
    e.p = e.p_unclipped = -kInf;
  }
  broken.communication[1].paper = kNan;
  broken.communication[2].links = kInf;
  broken.recommendation = protocol::Found{
      .values = {kNan, kInf}, .value = kNan, .low = -kInf, .high = kInf, .true_value = kNan};
  broken.best_trial->value = kNan;
  broken.optimum = kNan;
  broken.smallest_margin = kNan;
  broken.mean_error = kInf;
  out.push_back({"not finite", broken});

  RunResult huge = sample_run();
  for (double& v : huge.cumulative_regret) v *= 1e290;
  huge.picture->mean[0] = 1e299;
  huge.picture->mean[1] = -1e299;
  for (auto& p : huge.communication) p.links *= 1e200;
  for (auto& e : huge.epochs) e.num_points = std::numeric_limits<std::uint64_t>::max();
  out.push_back({"huge", huge});

  RunResult tiny = sample_run();
  for (double& v : tiny.cumulative_regret) v = 5e-324;
  for (auto& e : tiny.epochs) e.region_fraction = e.sigma2_max = 1e-299;
  out.push_back({"tiny", tiny});

  RunResult odd = sample_run();  // inconsistent fields
  odd.lengths = {5, 100};
  odd.cumulative_regret.resize(3);
  odd.picture->point_epoch[0] = 0;
  odd.picture->point_epoch[1] = 40;
  odd.coordinate_names.clear();
  out.push_back({"odd", odd});
  return out;
}

}  // namespace duets::harness::figure_testing
