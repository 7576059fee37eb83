// The comparisons of verify(): each adds one finding.
#pragma once

#include <string>
#include <vector>

#include "duets/protocol/verify.h"

namespace duets::protocol {

class FindingList {
 public:
  explicit FindingList(std::vector<Finding>& findings, bool from_answers = false)
      : findings_(findings), from_answers_(from_answers) {}

  void set_epoch(EpochId epoch) { epoch_ = epoch; }

  /// To the bit.
  void same_text(const std::string& what, const std::string& recorded,
                 const std::string& recomputed);
  void same_number(const std::string& what, double recorded, double recomputed);
  void same_vector(const std::string& what, const numeric::Vector& recorded,
                   const numeric::Vector& recomputed);
  void same_digest(const std::string& what, const base::Digest& recorded,
                   const base::Digest& recomputed);
  /// Within a tolerance; NaN never is.
  void close_number(const std::string& what, double recorded, double recomputed, double tolerance);

  /// Something that is wrong, in words.
  void wrong(const std::string& what, const std::string& recorded, const std::string& recomputed);
  /// Something to know that is not wrong.
  void note(const std::string& what, const std::string& recorded, const std::string& recomputed);

 private:
  void add(Finding finding);
  std::vector<Finding>& findings_;
  bool from_answers_;
  EpochId epoch_{};
};

/// The tolerances of verify.h for an epoch whose posterior has n points.
struct VerifyTolerance {
  VerifyTolerance(const Study& study, const EpochReport& report, std::uint64_t num_points);
  /// The largest variance of a region.
  double variance(double value) const;
  double stddev(double value) const;
  double mean(double scale, double mean_error) const;

  double prior = 1;
  double relative = 0;
  double relative_supremum = 0;
};

std::string describe(const InducingSet& set);
std::string describe(const region::SamplerSettings& settings);
std::string list_text(const std::vector<std::uint32_t>& numbers);

/// The two halves of a record.
void compare_opening(FindingList& out, const Study& study, const EpochOpened& recorded,
                     const EpochOpened& recomputed);
void compare_closing(FindingList& out, const Study& study, const PublicView& view,
                     const EpochClosed& recorded, const RecomputedClosing& recomputed);

}  // namespace duets::protocol
