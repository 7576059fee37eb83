#include <utility>

#include "duets/service/wire.h"
#include "duets/service/wire_parts.h"

namespace duets::service {
namespace {

using domain::Domain;
using protocol::Study;

void write(const domain::Parameter& parameter, v1::Parameter& wire) {
  wire.set_name(parameter.name);
  wire.set_type(static_cast<std::uint32_t>(parameter.type));
  wire.set_low(parameter.low);
  wire.set_high(parameter.high);
  wire.set_log(parameter.log);
  wire.set_step(parameter.step);
  for (const std::string& choice : parameter.choices) wire.add_choices(choice);
}

domain::Parameter read(const v1::Parameter& wire) {
  return {.name = wire.name(),
          .type = base::enum_of<domain::ParameterType>(wire.type(), "space.type"),
          .low = wire.low(),
          .high = wire.high(),
          .log = wire.log(),
          .step = wire.step(),
          .choices = {wire.choices().begin(), wire.choices().end()}};
}

void write(const Domain& domain, v1::Domain& wire) {
  wire.set_shape(static_cast<std::uint32_t>(domain.shape()));
  wire.set_dimension(static_cast<std::uint32_t>(domain.dimension()));
  if (domain.shape() == domain::Shape::kBall) wire.set_radius(domain.radius());
  for (const domain::Parameter& parameter : domain.parameters()) {
    write(parameter, *wire.add_parameters());
  }
  if (domain.is_finite()) points_to_wire(domain.candidates(), *wire.mutable_candidates());
}

numeric::Points candidates(const v1::Domain& wire) {
  const v1::Points& points = wire.candidates();
  const auto count = static_cast<std::uint32_t>(points.values_size());
  base::require(count > 0 && points.columns() > 0 && count % points.columns() == 0,
                "space.candidates", fmt::format("{} numbers", count),
                fmt::format("must be rows of {}", points.columns()));
  return Eigen::Map<const numeric::Points>(points.values().data(),
                                           static_cast<Eigen::Index>(count / points.columns()),
                                           static_cast<Eigen::Index>(points.columns()));
}

Domain make_domain(const v1::Domain& wire) {
  switch (base::enum_of<domain::Shape>(wire.shape(), "space.domain")) {
    case domain::Shape::kFinite:
      return Domain::finite(candidates(wire));
    case domain::Shape::kBox: {
      std::vector<domain::Parameter> parameters;
      for (const v1::Parameter& parameter : wire.parameters())
        parameters.push_back(read(parameter));
      return Domain::box(std::move(parameters));
    }
    case domain::Shape::kBall:
      return Domain::ball(wire.dimension(), wire.radius());
  }
  base::refuse("space.domain", fmt::format("{}", wire.shape()), "must be 0 to 2");
}

// What belongs to another shape would get lost without a word: two sides must not read two things.
Domain read(const v1::Domain& wire) {
  Domain domain = make_domain(wire);
  base::require(domain.dimension() == wire.dimension(), "space.dimension",
                fmt::format("{}", wire.dimension()),
                fmt::format("the points have {} coordinates", domain.dimension()));
  base::require(domain.parameters().size() == static_cast<std::size_t>(wire.parameters_size()),
                "space", fmt::format("{} parameters", wire.parameters_size()),
                "only a box has parameters");
  base::require(domain.is_finite() || wire.candidates().values_size() == 0, "space.candidates",
                fmt::format("{} numbers", wire.candidates().values_size()),
                "only a finite set has candidates");
  return domain;
}

void write(const Study& study, v1::Study& wire) {
  wire.set_name(study.name);
  wire.set_agents(study.agents);
  wire.set_horizon(study.horizon);
  write(*study.domain, *wire.mutable_domain());
  kernel_to_wire(study.kernel, *wire.mutable_kernel());
  wire.set_lambda(study.lambda);
  wire.set_mode(static_cast<std::uint32_t>(study.mode));
  wire.set_beta(study.beta);
  wire.set_p0(study.p0);
  wire.set_norm_bound(study.norm_bound);
  wire.set_subgaussian(study.subgaussian);
  wire.set_delta(study.delta);
  wire.set_schedule(static_cast<std::uint32_t>(study.schedule));
  wire.set_t1(study.t1);
  wire.mutable_epochs()->Add(study.epochs.begin(), study.epochs.end());
  wire.set_inducing(static_cast<std::uint32_t>(study.inducing));
  wire.set_rate(static_cast<std::uint32_t>(study.rate));
  wire.set_upload(static_cast<std::uint32_t>(study.upload));
  wire.set_data(static_cast<std::uint32_t>(study.data));
  wire.set_closing(static_cast<std::uint32_t>(study.closing));
  wire.set_volume_floor(study.volume_floor);
  wire.set_epoch_floor(study.epoch_floor);
  wire.set_parameters(static_cast<std::uint32_t>(study.parameters));
  wire.set_relevance(study.relevance);
  wire.set_coins(static_cast<std::uint32_t>(study.coins));
}

void read_rules(const v1::Study& wire, Study& study) {
  study.mode = base::enum_of<protocol::Mode>(wire.mode(), "duets.mode");
  study.schedule = base::enum_of<protocol::ScheduleRule>(wire.schedule(), "duets.schedule");
  study.inducing = base::enum_of<protocol::Inducing>(wire.inducing(), "duets.inducing");
  study.rate = base::enum_of<protocol::CoinRate>(wire.rate(), "duets.rate");
  study.upload = base::enum_of<protocol::UploadRule>(wire.upload(), "duets.upload");
  study.data = base::enum_of<protocol::DataPolicy>(wire.data(), "duets.data");
  study.closing = base::enum_of<protocol::ClosingRule>(wire.closing(), "duets.closing");
  study.parameters = base::enum_of<protocol::Parameters>(wire.parameters(), "duets.parameters");
  study.coins = base::enum_of<protocol::Coins>(wire.coins(), "duets.coins");
}

std::shared_ptr<const Study> read(const v1::Study& wire) {
  auto study = std::make_shared<Study>();
  study->name = wire.name();
  study->agents = wire.agents();
  study->horizon = wire.horizon();
  study->domain = std::make_shared<const Domain>(read(wire.domain()));
  study->kernel = kernel_from_wire(wire.kernel());
  study->lambda = wire.lambda();
  study->beta = wire.beta();
  study->p0 = wire.p0();
  study->norm_bound = wire.norm_bound();
  study->subgaussian = wire.subgaussian();
  study->delta = wire.delta();
  study->t1 = wire.t1();
  study->epochs = {wire.epochs().begin(), wire.epochs().end()};
  study->volume_floor = wire.volume_floor();
  // A definition that was stored before there was a floor has none of its fields.
  if (wire.has_epoch_floor()) study->epoch_floor = wire.epoch_floor();
  study->relevance = wire.relevance();
  read_rules(wire, *study);
  return study;
}

void write(const ObjectiveSettings& objective, v1::Objective& wire) {
  wire.set_minimise(objective.direction == protocol::Direction::kMinimize);
  wire.set_offset(objective.offset);
  wire.set_scale(objective.scale);
  if (objective.infeasible_value) wire.set_infeasible_value(*objective.infeasible_value);
  wire.set_timeout_seconds(objective.timeout_seconds);
  wire.set_retries(objective.retries);
  for (const std::string& word : objective.command) wire.add_command(word);
}

ObjectiveSettings read(const v1::Objective& wire) {
  ObjectiveSettings objective;
  objective.direction =
      wire.minimise() ? protocol::Direction::kMinimize : protocol::Direction::kMaximize;
  objective.offset = wire.offset();
  objective.scale = wire.scale();
  if (wire.has_infeasible_value()) objective.infeasible_value = wire.infeasible_value();
  objective.timeout_seconds = wire.timeout_seconds();
  objective.retries = wire.retries();
  objective.command = {wire.command().begin(), wire.command().end()};
  return objective;
}

}  // namespace

v1::Definition to_wire(const Definition& definition) {
  v1::Definition wire;
  write(*definition.study, *wire.mutable_study());
  write(definition.objective, *wire.mutable_objective());
  wire.mutable_policy()->set_quorum(definition.policy.quorum);
  wire.mutable_policy()->set_deadline(definition.policy.deadline);
  wire.set_toml(definition.toml);
  return wire;
}

Definition from_wire(const v1::Definition& wire) {
  Definition definition;
  definition.study = read(wire.study());
  definition.objective = read(wire.objective());
  definition.policy = {wire.policy().quorum(), wire.policy().deadline()};
  definition.toml = wire.toml();
  validate(definition);
  return definition;
}

}  // namespace duets::service
