#include "coordinator_cases.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "duets/gp/low_rank.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/variance.h"
#include "process.h"

namespace duets::bench {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr double kTiedShare = 0.01;
constexpr double kBudget = 0.5;  // seconds in which small cases are repeated

void write(std::ofstream& file, const double* values, Eigen::Index count) {
  file.write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(double)));
}

void finish(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

// What small cases are computed from: all points in memory, as the others have them.
struct Given {
  Points data;
  Vector rewards;
  Points queries;
};

Given given(const Case& made) {
  const gp::DataBlocks blocks = data_of(made.scene, made.m);
  Given all{gp::whole(blocks, kSerial).points, Vector(static_cast<Eigen::Index>(made.m)),
            queries_of(made.scene)};
  Eigen::Index row = 0;
  for (std::size_t b = 0; b < blocks.num_blocks(); ++b) {
    const auto count = static_cast<Eigen::Index>(blocks.rows[b]);
    all.rewards.segment(row, count) = rewards_of(made.scene, all.data.middleRows(row, count), b);
    row += count;
  }
  return all;
}

Answer dense_answer(const Scene& scene, const Given& given) {
  Matrix noisy = kernel::gram(scene.kernel, given.data);
  noisy.diagonal().array() += scene.lambda;
  const Eigen::LLT<Eigen::Ref<Matrix>> factor(noisy);
  Matrix cross = kernel::cross(scene.kernel, given.data, given.queries);
  Answer answer;
  answer.rank = static_cast<std::uint64_t>(given.data.rows());
  answer.mean = cross.transpose() * factor.solve(given.rewards);
  factor.matrixL().solveInPlace(cross);
  answer.variance = scene.kernel.variance - cross.colwise().squaredNorm().transpose().array();
  return answer;
}

// The path and its tolerance as the coordinator chooses them, with the queries for the region.
protocol::TiedVariance tied(const Scene& scene, const protocol::Dataset& data,
                            const Points& queries) {
  const auto largest = [&](const protocol::VarianceModel& model) {
    std::uint64_t num_clamped = 0;
    return model.largest(queries, num_clamped);
  };
  return protocol::tied_variance(scene.kernel, data, scene.lambda, largest, kSerial);
}

Vector variances(const protocol::TiedVariance& found, const Points& queries) {
  std::uint64_t num_clamped = 0;
  return found.model(queries, num_clamped);
}

Answer our_answer(const Scene& scene, const Given& given) {
  const protocol::Dataset data{gp::blocks_of(given.data),
                               static_cast<std::uint64_t>(given.data.rows())};
  const protocol::TiedVariance found = tied(scene, data, given.queries);
  const Points inducing =
      pivots_of(scene, data.blocks, kTiedShare * found.supremum, gp::kPivotSample);
  const gp::SparsePosterior sparse(scene.kernel, inducing, data.blocks, scene.lambda, kSerial);
  const Vector weights =
      sparse.weights(gp::project(scene.kernel, inducing, given.data, given.rewards));
  return {kernel::weighted_sum(scene.kernel, given.queries, inducing, weights),
          variances(found, given.queries), found.model.rank(), found.model.residual()};
}

Timed timed(const Case& made, Answer (*find)(const Scene&, const Given&)) {
  const Given all = given(made);
  Timed result;
  result.seconds = shortest_call(kBudget, [&] { result.answer = find(made.scene, all); });
  return result;
}

}  // namespace

Points pivots_of(const Scene& scene, const gp::DataBlocks& data, double residual,
                 std::size_t most) {
  gp::PivotSearch search(scene.kernel, gp::spread_rows(data, gp::kPivotSample, kSerial), {});
  search.refine(residual, most);
  return search.pivots();
}

void export_case(const Case& made, const std::string& path) {
  const Given all = given(made);
  const std::vector<double> head{static_cast<double>(made.m),
                                 static_cast<double>(all.queries.rows()),
                                 static_cast<double>(all.queries.cols()),
                                 made.scene.kernel.lengthscales.front(), made.scene.lambda};
  std::ofstream file(path, std::ios::binary);
  write(file, head.data(), static_cast<Eigen::Index>(head.size()));
  write(file, all.data.data(), all.data.size());
  write(file, all.rewards.data(), all.rewards.size());
  write(file, all.queries.data(), all.queries.size());
  finish(file, path);
}

void write_answer(const Answer& answer, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  write(file, answer.mean.data(), answer.mean.size());
  write(file, answer.variance.data(), answer.variance.size());
  finish(file, path);
}

Timed time_ours(const Case& made) { return timed(made, our_answer); }

Timed time_dense(const Case& made) { return timed(made, dense_answer); }

Agreement compare_with_dense(const Case& made) {
  const Given all = given(made);
  const protocol::TiedVariance found =
      tied(made.scene, protocol::dataset_of(all.data), all.queries);
  const Vector ours = variances(found, all.queries);
  const Vector truth = dense_answer(made.scene, all).variance;
  const double largest = truth.maxCoeff();
  return {found.model.rank(),
          found.model.residual(),
          found.path,
          largest,
          std::abs(ours.maxCoeff() / largest - 1),
          (ours.array() / truth.array() - 1).abs().maxCoeff()};
}

}  // namespace duets::bench
