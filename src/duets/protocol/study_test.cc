#include "duets/protocol/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using Change = std::function<void(Study&)>;
using domain::Domain;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Wrong {
  const char* field;
  Change change;
};

void set_domain(Study& study, Domain domain) {
  study.domain = std::make_shared<const Domain>(std::move(domain));
}

void make_theory(Study& study) { study.mode = Mode::kTheory; }

// kInvalid, and the text begins with the field of the study file.
void expect_refused(const Study& study, const char* field) {
  EXPECT_EQ(error_kind([&] { validate(study); }), base::ErrorKind::kInvalid) << field;
  const std::string text = error_text([&] { validate(study); });
  EXPECT_EQ(text.substr(0, std::string(field).size()), field) << text;
}

TEST(StudyValidate, AcceptsTheSmallStudies) {
  EXPECT_NO_THROW(validate(small_study()));
  EXPECT_NO_THROW(validate(small_study(Domain::box(2))));
  EXPECT_NO_THROW(validate(small_study(Domain::ball(3, 2.0))));
  Study theory = small_study();
  make_theory(theory);
  EXPECT_NO_THROW(validate(theory));
}

TEST(StudyValidate, NamesTheFieldThatIsWrong) {
  const std::vector<Wrong> table{
      {"space", [](Study& s) { s.domain = nullptr; }},
      {"study.agents", [](Study& s) { s.agents = 0; }},
      {"study.horizon", [](Study& s) { s.horizon = 0; }},
      {"kernel.", [](Study& s) { s.kernel.lengthscales = {}; }},
      {"kernel.",
       [](Study& s) {
         s.kernel.lengthscales = {1, 1, 1};
       }},
      {"kernel.", [](Study& s) { s.kernel.lengthscales = {0}; }},
      {"kernel.", [](Study& s) { s.kernel.variance = -1; }},
      {"noise.lambda", [](Study& s) { s.lambda = 0; }},
      {"noise.lambda", [](Study& s) { s.lambda = kNan; }},
      {"noise.lambda", [](Study& s) { s.lambda = kInfinity; }},
      {"duets.beta", [](Study& s) { s.beta = -0.1; }},
      {"duets.beta", [](Study& s) { s.beta = kNan; }},
      {"duets.beta",
       [](Study& s) {
         s.beta = 0;
         set_domain(s, Domain::box(2));
       }},
      {"duets.p0", [](Study& s) { s.p0 = 0; }},
      {"duets.p0", [](Study& s) { s.p0 = kInfinity; }},
      {"duets.t1", [](Study& s) { s.t1 = 0; }},
      {"duets.epochs",
       [](Study& s) {
         s.schedule = ScheduleRule::kExplicit;
         s.epochs = {};
       }},
      {"duets.epochs",
       [](Study& s) {
         s.schedule = ScheduleRule::kExplicit;
         s.epochs = {4, 0, 5};
       }},
      {"duets.epochs",
       [](Study& s) {
         s.schedule = ScheduleRule::kExplicit;
         s.epochs = {4, 4};
       }},
      // 2^32 more than the horizon: the sum must not wrap around.
      {"duets.epochs",
       [](Study& s) {
         s.schedule = ScheduleRule::kExplicit;
         s.epochs = {0xFFFFFFFFU, 10};
       }},
      {"duets.upload",
       [](Study& s) {
         s.data = DataPolicy::kSurviving;
         s.upload = UploadRule::kRewards;
       }},
  };
  for (const Wrong& wrong : table) {
    Study study = small_study();
    wrong.change(study);
    expect_refused(study, wrong.field);
  }
}

TEST(StudyValidate, TheoryHasItsOwnConditions) {
  const std::vector<Wrong> table{
      {"duets.mode", [](Study& s) { set_domain(s, Domain::box(2)); }},
      {"duets.data", [](Study& s) { s.data = DataPolicy::kSurviving; }},
      {"duets.inducing", [](Study& s) { s.inducing = Inducing::kGreedy; }},
      {"duets.inducing", [](Study& s) { s.inducing = Inducing::kPublic; }},
      {"noise.bound", [](Study& s) { s.norm_bound = 0; }},
      {"noise.subgaussian", [](Study& s) { s.subgaussian = kNan; }},
      {"noise.delta", [](Study& s) { s.delta = 1; }},
      {"noise.delta", [](Study& s) { s.delta = 0; }},
  };
  for (const Wrong& wrong : table) {
    Study study = small_study();
    make_theory(study);
    wrong.change(study);
    expect_refused(study, wrong.field);
  }
}

TEST(StudyValidate, BetaZeroOnAFiniteSet) {
  Study study = small_study();
  study.beta = 0;
  EXPECT_NO_THROW(validate(study));
}

TEST(StudyLengths, ExplicitListOrRule) {
  Study study = small_study();
  EXPECT_EQ(lengths(study), (std::vector<std::uint32_t>{2, 4, 3}));
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {3, 1, 5};
  EXPECT_NO_THROW(validate(study));
  EXPECT_EQ(lengths(study), study.epochs);
}

TEST(StudyTheory, InputsCountCandidatesAndEpochs) {
  Study study = small_study();
  study.norm_bound = 3;
  const gp::TheoryInputs inputs = theory_inputs(study);
  EXPECT_EQ(inputs.num_candidates, 40U);
  EXPECT_EQ(inputs.num_epochs, 3U);
  EXPECT_EQ(inputs.agents, 3U);
  EXPECT_EQ(inputs.horizon, 9U);
  EXPECT_EQ(inputs.norm_bound, 3);
  EXPECT_EQ(inputs.lambda, study.lambda);
}

std::string digest_after(const Change& change) {
  Study study = small_study();
  change(study);
  return base::to_hex(study_digest(study));
}

std::vector<domain::Parameter> parameters(std::vector<std::string> first,
                                          std::vector<std::string> second) {
  return {{.name = "a", .type = domain::ParameterType::kCategorical, .choices = std::move(first)},
          {.name = "b", .type = domain::ParameterType::kCategorical, .choices = std::move(second)}};
}

// Any two of these studies differ in something public, so no two may have the same digest.
TEST(StudyDigest, EveryPublicFieldCounts) {
  const std::vector<Change> changes{
      [](Study&) {},
      [](Study& s) { s.name = "other"; },
      [](Study& s) { s.agents = 4; },
      [](Study& s) { s.horizon = 10; },
      [](Study& s) { s.kernel.family = kernel::Family::kMatern52; },
      [](Study& s) { s.kernel.lengthscales = {0.5}; },
      [](Study& s) {
        s.kernel.lengthscales = {0.4, 0.4};
      },
      [](Study& s) { s.kernel.variance = 2; },
      [](Study& s) { s.lambda = 0.1; },
      [](Study& s) { s.mode = Mode::kTheory; },
      [](Study& s) { s.beta = 0.25; },
      [](Study& s) { s.p0 = 11; },
      [](Study& s) { s.norm_bound = 2; },
      [](Study& s) { s.subgaussian = 2; },
      [](Study& s) { s.delta = 0.2; },
      [](Study& s) { s.schedule = ScheduleRule::kDoubling; },
      [](Study& s) { s.t1 = 1; },
      [](Study& s) { s.epochs = {9}; },
      [](Study& s) { s.inducing = Inducing::kGreedy; },
      [](Study& s) { s.inducing = Inducing::kPublic; },
      [](Study& s) { s.rate = CoinRate::kCount; },
      [](Study& s) { s.upload = UploadRule::kProjection; },
      [](Study& s) { s.upload = UploadRule::kRewards; },
      [](Study& s) { s.data = DataPolicy::kSurviving; },
      [](Study& s) { s.closing = ClosingRule::kProjection; },
      // Domains: the last bit of one candidate; 40 x 2 against 20 x 4; shapes; radius; parameters.
      [](Study& s) {
        numeric::Points points = lattice(40, 2);
        points(17, 1) = std::nextafter(points(17, 1), 2.0);
        set_domain(s, Domain::finite(points));
      },
      [](Study& s) {
        const numeric::Points points = lattice(40, 2);
        set_domain(s, Domain::finite(Eigen::Map<const numeric::Points>(points.data(), 20, 4)));
      },
      [](Study& s) { set_domain(s, Domain::finite(lattice(39, 2))); },
      [](Study& s) { set_domain(s, Domain::box(2)); },
      [](Study& s) { set_domain(s, Domain::ball(2, 1)); },
      [](Study& s) { set_domain(s, Domain::ball(2, 1.5)); },
      [](Study& s) {
        set_domain(s, Domain::box({{.name = "x1"}, {.name = "y"}}));
      },
      [](Study& s) {
        set_domain(s, Domain::box({{.name = "x1"}, {.name = "x2", .high = 2}}));
      },
      [](Study& s) {
        set_domain(s, Domain::box({{.name = "x1"}, {.name = "x2", .low = 0.5, .log = true}}));
      },
      [](Study& s) {
        set_domain(s, Domain::box({{.name = "x1"}, {.name = "x2", .low = 0.5}}));
      },
      [](Study& s) {
        set_domain(s,
                   Domain::box({{.name = "x1"},
                                {.name = "x2", .type = domain::ParameterType::kInt, .high = 9}}));
      },
      [](Study& s) {
        set_domain(
            s, Domain::box(
                   {{.name = "x1"},
                    {.name = "x2", .type = domain::ParameterType::kInt, .high = 9, .step = 3}}));
      },
      [](Study& s) {
        set_domain(s, Domain::box(parameters({"u", "v"}, {"w"})));
      },
      [](Study& s) {
        set_domain(s, Domain::box(parameters({"u"}, {"v", "w"})));
      },
      [](Study& s) {
        set_domain(s, Domain::box(parameters({"u", "v"}, {"x"})));
      },
  };
  std::set<std::string> digests;
  for (const Change& change : changes) digests.insert(digest_after(change));
  EXPECT_EQ(digests.size(), changes.size());
}

TEST(StudyDigest, EqualStudiesHaveEqualDigests) {
  EXPECT_EQ(digest_after([](Study&) {}),
            digest_after([](Study& s) { set_domain(s, Domain::finite(lattice(40, 2))); }));
}

}  // namespace
}  // namespace duets::protocol
