// Tests every field of the study file with every kind of error: the message must have the file, the
// line and column of the field, the field, its value and the constraint it breaks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

const std::string kBuiltin = R"([study]
name = "t"
direction = "maximize"
agents = 3
horizon = 20
seed = 7
algorithm = "duets"

[space]
domain = "box"
dimension = 2

[kernel]
name = "squared-exponential"
lengthscale = 0.2
variance = 1.0

[noise]
lambda = 0.2

[duets]
mode = "tuned"
t1 = 2
p0 = 10.0
beta = 0.5
schedule = "sqrt-floor"
inducing = "coin"
upload = "auto"
data = "epoch"
closing = "best"

[objective]
builtin = "branin"
noise = 0.1
noise_kind = "gaussian"
offset = 0.0
scale = 1.0
)";

const std::string kCommand = R"([study]
direction = "minimize"
agents = 3
horizon = 20

[space.rate]
type = "float"
low = 0.1
high = 1e20
log = true

[space.layers]
type = "int"
low = 1
high = 9
step = 2

[space.optimiser]
type = "categorical"
choices = ["adam", "sgd"]

[duets]
schedule = "explicit"
epochs = [4, 6, 10]
volume_floor = 0.01

[objective]
command = ["./measure", "-v"]
timeout = 10.0
retries = 1
infeasible_value = -1.0

[coordinator]
listen = "localhost:7000"
storage = "store"
tls = "certificates"
quorum = 2
deadline = 60.0
)";

const std::string kTheory = R"([study]
direction = "maximize"
agents = 3
horizon = 20

[space]
domain = "finite"
candidates = 30
dimension = 3
shape = "sphere"
radius = 2.0

[noise]
bound = 1.0
subgaussian = 0.1
delta = 0.1

[duets]
mode = "theory"

[objective]
builtin = "rkhs"
centers = 5
norm = 1.0
)";

const std::string kTuning = R"([study]
direction = "maximize"
agents = 3
horizon = 20

[kernel]
lengthscale = 0.3

[duets]
preset = "quick"
epoch_floor = 0.5
parameters = "learned"
relevance = true
coins = "stratified"
numbers = "short"
schedule = "warm-up"
t1 = 1

[objective]
builtin = "branin"
)";

std::string study_error_of(const std::string& text) {
  try {
    parse_study(text, "dir/bad.toml", ".");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(no error)";
}

/// "dir/bad.toml:LINE:COLUMN: " of the only occurrence of `where`.
std::string place(const std::string& text, const std::string& where) {
  const std::size_t at = text.find(where);
  EXPECT_NE(at, std::string::npos) << where;
  if (at == std::string::npos) return "(nowhere)";
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t newline = text.rfind('\n', at);
  const std::size_t column = newline == std::string::npos ? at + 1 : at - newline;
  return fmt::format("dir/bad.toml:{}:{}: ", line + 1, column);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// --- Every field, every type -------------------------------------------------------------------

/// The line of a key in a table, with another value.
std::string with_value(const std::string& text, const std::string& table, const std::string& key,
                       const std::string& value) {
  const std::size_t header = text.find("[" + table + "]\n");
  const std::size_t line = text.find("\n" + key + " = ", header) + 1;
  const std::size_t end = text.find('\n', line);
  return text.substr(0, line) + key + " = " + value + text.substr(end);
}

struct FieldCase {
  const std::string* base;
  const char* table;
  const char* key;
  std::vector<std::string> fine;  ///< the values of kValues that are valid for this field
};

const std::vector<std::string> kValues{"\"no such word\"",
                                       "\"\"",
                                       "1.5",
                                       "-1",
                                       "0",
                                       "nan",
                                       "inf",
                                       "-inf",
                                       "1e300",
                                       "1e-300",
                                       "9223372036854775807",
                                       "true",
                                       "[]",
                                       "[-1]",
                                       "[\"\"]",
                                       "{ a = 1 }",
                                       "1979-05-27"};

const std::vector<FieldCase> kFields{
    {&kBuiltin, "study", "name", {}},
    {&kBuiltin, "study", "direction", {}},
    {&kBuiltin, "study", "agents", {}},
    {&kBuiltin, "study", "horizon", {}},
    {&kBuiltin, "study", "seed", {"0", "9223372036854775807"}},
    {&kBuiltin, "study", "algorithm", {}},
    {&kBuiltin, "space", "domain", {}},
    {&kBuiltin, "space", "dimension", {}},
    {&kBuiltin, "kernel", "name", {}},
    {&kBuiltin, "kernel", "lengthscale", {"1.5", "9223372036854775807"}},
    {&kBuiltin, "kernel", "variance", {"1.5", "9223372036854775807"}},
    {&kBuiltin, "noise", "lambda", {"1.5", "9223372036854775807"}},
    {&kBuiltin, "duets", "mode", {}},
    {&kBuiltin, "duets", "t1", {}},
    {&kBuiltin, "duets", "p0", {"1.5", "9223372036854775807"}},
    // beta = 0 is refused here because the domain is a box.
    {&kBuiltin, "duets", "beta", {"1.5", "9223372036854775807", "1e-300"}},
    {&kBuiltin, "duets", "schedule", {}},
    {&kBuiltin, "duets", "inducing", {}},
    {&kBuiltin, "duets", "upload", {}},
    {&kBuiltin, "duets", "data", {}},
    {&kBuiltin, "duets", "closing", {}},
    {&kBuiltin, "objective", "builtin", {}},
    {&kBuiltin, "objective", "noise", {"1.5", "0", "9223372036854775807"}},
    {&kBuiltin, "objective", "noise_kind", {}},
    {&kBuiltin, "objective", "offset", {"1.5", "-1", "0", "1e-300", "9223372036854775807"}},
    {&kBuiltin, "objective", "scale", {"1.5", "9223372036854775807"}},
    {&kCommand, "space.rate", "type", {}},
    {&kCommand, "space.rate", "low", {"1.5", "1e-300", "9223372036854775807"}},
    {&kCommand, "space.rate", "high", {"1.5", "9223372036854775807"}},
    {&kCommand, "space.rate", "log", {"true"}},
    {&kCommand, "space.layers", "low", {"-1", "0"}},
    {&kCommand, "space.layers", "high", {}},
    {&kCommand, "space.layers", "step", {"9223372036854775807"}},
    {&kCommand, "space.optimiser", "type", {}},
    {&kCommand, "space.optimiser", "choices", {}},
    {&kCommand, "duets", "schedule", {}},
    {&kCommand, "duets", "epochs", {}},
    {&kCommand, "duets", "volume_floor", {"0", "1e-300"}},
    {&kTuning, "duets", "preset", {}},
    {&kTuning, "duets", "epoch_floor", {"1e-300"}},
    {&kTuning, "duets", "parameters", {}},
    {&kTuning, "duets", "relevance", {"true"}},
    {&kTuning, "duets", "coins", {}},
    {&kTuning, "duets", "numbers", {}},
    {&kTuning, "duets", "schedule", {}},
    {&kTuning, "duets", "t1", {}},
    {&kCommand, "objective", "command", {}},
    {&kCommand, "objective", "timeout", {"1.5", "9223372036854775807"}},
    {&kCommand, "objective", "retries", {"0"}},
    {&kCommand,
     "objective",
     "infeasible_value",
     {"1.5", "-1", "0", "1e-300", "9223372036854775807"}},
    {&kCommand, "coordinator", "listen", {}},
    {&kCommand, "coordinator", "storage", {"\"no such word\""}},
    {&kCommand, "coordinator", "tls", {"\"no such word\""}},
    {&kCommand, "coordinator", "quorum", {}},
    {&kCommand, "coordinator", "deadline", {"1.5", "9223372036854775807"}},
    {&kTheory, "space", "candidates", {}},
    {&kTheory, "space", "shape", {}},
    {&kTheory, "space", "radius", {"1.5", "9223372036854775807"}},
    {&kTheory, "space", "dimension", {}},
    {&kTheory, "noise", "bound", {"1.5", "9223372036854775807"}},
    {&kTheory, "noise", "subgaussian", {"1.5", "9223372036854775807"}},
    {&kTheory, "noise", "delta", {}},
    {&kTheory, "duets", "mode", {}},
    {&kTheory, "objective", "centers", {}},
    {&kTheory, "objective", "norm", {"1.5", "9223372036854775807"}},
};

TEST(StudyFileErrorsTest, TheBaseFilesAreValid) {
  for (const std::string* base : {&kBuiltin, &kCommand, &kTheory, &kTuning}) {
    EXPECT_EQ(study_error_of(*base), "(no error)");
  }
}

TEST(StudyFileErrorsTest, EveryFieldWithEveryWrongValue) {
  for (const FieldCase& field : kFields) {
    for (const std::string& value : kValues) {
      const std::string text = with_value(*field.base, field.table, field.key, value);
      const std::string error = study_error_of(text);
      SCOPED_TRACE(fmt::format("{}.{} = {}\n{}", field.table, field.key, value, error));
      const bool fine = std::count(field.fine.begin(), field.fine.end(), value) > 0;
      if (fine) {
        EXPECT_EQ(error, "(no error)");
        continue;
      }
      // An item of an array has its own position.
      const std::string key_line = fmt::format("\n{} = {}\n", field.key, value);
      std::string at = place(text, key_line.substr(1));
      at.resize(at.find(':', at.find(':') + 1) + 1);  // up to the line
      EXPECT_EQ(error.rfind(at, 0), 0U);
      const std::string name = fmt::format("{}.{}", field.table, field.key);
      EXPECT_NE(error.find(": " + name), std::string::npos);
      const std::size_t equals = error.find(" = ");
      ASSERT_NE(equals, std::string::npos);
      EXPECT_NE(error.find(": ", equals), std::string::npos) << "no constraint";
    }
  }
}

TEST(StudyFileErrorsTest, EveryRequiredFieldMissing) {
  struct Case {
    const std::string* base;
    const char* line;
    const char* where;
    const char* field;
  };
  const std::vector<Case> cases{
      {&kBuiltin, "direction = \"maximize\"\n", "study]", "study.direction"},
      {&kBuiltin, "agents = 3\n", "study]", "study.agents"},
      {&kBuiltin, "horizon = 20\n", "study]", "study.horizon"},
      {&kBuiltin, "builtin = \"branin\"\n", "objective]", "objective.builtin"},
      {&kCommand, "low = 0.1\n", "rate]", "space.rate.low"},
      {&kCommand, "high = 1e20\n", "rate]", "space.rate.high"},
      {&kCommand, "choices = [\"adam\", \"sgd\"]\n", "optimiser]", "space.optimiser.choices"},
      {&kCommand, "epochs = [4, 6, 10]\n", "duets]", "duets.epochs"},
      {&kTheory, "bound = 1.0\n", "noise]", "noise.bound"},
      {&kTheory, "subgaussian = 0.1\n", "noise]", "noise.subgaussian"},
  };
  for (const Case& c : cases) {
    const std::string text = replaced(*c.base, c.line, "");
    const std::string start = place(text, c.where) + c.field + " = (missing): ";
    EXPECT_EQ(study_error_of(text).substr(0, start.size()), start);
  }
}

TEST(StudyFileErrorsTest, MissingTablesAreReportedAtTheTop) {
  EXPECT_EQ(study_error_of("").rfind("dir/bad.toml:1:1: study.direction = (missing): ", 0), 0U);
  const std::string head = "[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 1\n";
  EXPECT_EQ(study_error_of(head).rfind("dir/bad.toml:1:1: objective.builtin = (missing): ", 0), 0U);
  const std::string command = head + "[objective]\ncommand = [\"a\"]\n";
  EXPECT_EQ(study_error_of(command).rfind("dir/bad.toml:1:1: space.domain = (missing): ", 0), 0U);
  const std::string box = command + "[space]\ndomain = \"box\"\n";
  EXPECT_EQ(
      study_error_of(box),
      place(box, "space]") + "space.dimension = (missing): required: the number of coordinates");
}

// --- Contradictions and unknown keys -----------------------------------------------------------

struct TextCase {
  const std::string* base;
  const char* from;
  const char* to;
  const char* where;    ///< begins at the position that must be named
  const char* message;  ///< the text must continue with this
};

const std::vector<TextCase> kTexts{
    // A deadline is not a number of seconds, and needs a quorum.
    {&kCommand, "deadline = 60.0", "deadline = 0.5", "deadline",
     "coordinator.deadline = 0.5: must be at least 1"},
    {&kCommand, "quorum = 2\n", "", "deadline",
     "coordinator.deadline = 60: needs coordinator.quorum"},
    {&kCommand, "quorum = 2\n", "quorum = 4\n", "quorum", "coordinator.quorum = 4: "},
    // Unknown keys and tables, with advice.
    {&kBuiltin, "agents = 3", "agent = 3", "agent = 3",
     "study.agent = 3: unknown key; did you mean \"agents\"?"},
    {&kBuiltin, "lengthscale = 0.2", "length_scale = 0.2", "length_scale",
     "kernel.length_scale = 0.2: unknown key; did you mean \"lengthscale\"?"},
    {&kBuiltin, "dimension = 2", "dimensions = 2", "dimensions",
     "space.dimensions = 2: unknown key; did you mean \"dimension\"?"},
    {&kBuiltin, "lambda = 0.2", "lambda = 0.2\nzzzzzzzz = 1", "zzzzzzzz",
     "noise.zzzzzzzz = 1: unknown key"},
    {&kBuiltin, "beta = 0.5", "Beta = 0.5", "Beta",
     "duets.Beta = 0.5: unknown key; did you mean \"beta\"?"},
    {&kBuiltin, "[duets]", "[duet]", "duet]",
     "duet = {table}: unknown key or table; did you mean \"duets\"?"},
    {&kBuiltin, "[study]", "agents = 3\n[study]", "agents = 3", "agents = 3: unknown key or table"},
    {&kCommand, "high = 1e20", "hihg = 2", "hihg",
     "space.rate.hihg = 2: unknown key; did you mean \"high\"?"},
    {&kCommand, "timeout = 10.0", "time_out = 10.0", "time_out", "objective.time_out = 10"},
    {&kCommand, "quorum = 2", "quorums = 2", "quorums", "coordinator.quorums = 2"},
    {&kBuiltin, "\"squared-exponential\"", "\"squared exponential\"", "name = \"squared",
     "kernel.name = \"squared exponential\": must be one of"},
    {&kBuiltin, "\"branin\"", "\"brannin\"",
     "builtin = ", "objective.builtin = \"brannin\": must be one of"},
    {&kBuiltin, "[noise]\n", "[[noise]]\n", "noise]]", "noise = [{table}]: must be a table"},
    {&kBuiltin, "lambda = 0.2", "\"a\\nb\" = 1", "\"a\\nb\"", "noise.a\\x0ab = 1: unknown key"},
    {&kBuiltin, "t1 = 2", "t1 = 2\npreset = \"Quick\"", "preset",
     "duets.preset = \"Quick\": must be one of"},
    // Ranges that depend on other fields.
    {&kBuiltin, "agents = 3", "agents = 2147483647", "horizon = 20",
     "study.horizon = 20: agents times horizon must be at most 2147483647"},
    {&kBuiltin, "agents = 3", "agents = 2147483648", "agents", "study.agents = 2147483648: "},
    {&kBuiltin, "dimension = 2", "dimension = 3", "dimension",
     "space.dimension = 3: must be 2 for branin"},
    {&kBuiltin, "lengthscale = 0.2", "lengthscale = [0.2, 0.2, 0.2]", "lengthscale",
     "kernel.lengthscale = 3 numbers: "},
    {&kBuiltin, "lengthscale = 0.2", "lengthscale = [0.2, -1.0]", "-1.0",
     "kernel.lengthscale[1] = -1: must be positive"},
    {&kBuiltin, "beta = 0.5", "beta = 0", "beta = 0", "duets.beta = 0: is allowed on finite sets"},
    {&kBuiltin, "beta = 0.5", "beta = -0.5", "beta", "duets.beta = -0.5: must be at least 0"},
    {&kBuiltin, "name = \"t\"", "name = \"../t\"", "name", "study.name = \"../t\": must be"},
    {&kCommand, "high = 1e20", "high = 0.05", "high = 0.05",
     "space.rate.high = 0.05: must be greater than low = 0.1"},
    {&kCommand, "low = 0.1", "low = 0", "low = 0", "space.rate.low = 0: must be positive when log"},
    {&kCommand, "step = 2", "step = 2\nlog = true", "step = 2",
     "space.layers.step = 2: must be 1 when log"},
    {&kCommand, "[\"adam\", \"sgd\"]", "[\"sgd\", \"sgd\"]", "choices",
     "space.optimiser.choices = 2 entries: must all be different"},
    {&kCommand, "quorum = 2", "quorum = 4", "quorum", "coordinator.quorum = 4: must be a whole "},
    {&kCommand, "[4, 6, 10]", "[4, 6, 11]", "epochs",
     "duets.epochs = [4, 6, 11]: must sum to study.horizon = 20, not 21"},
    {&kCommand, "[4, 6, 10]", "[4, 0, 16]", "0, 16", "duets.epochs[1] = 0: must be a whole number"},
    {&kTheory, "candidates = 30", "candidates = 1333334", "candidates",
     "space.candidates = 1333334: candidates times dimension must be at most 4000000"},
    {&kTheory, "delta = 0.1", "delta = 1.0", "delta", "noise.delta = 1: must be a probability"},
    {&kTheory, "dimension = 3", "dimension = 1001", "dimension", "space.dimension = 1001: "},
    // Contradictions.
    {&kBuiltin, "builtin = \"branin\"", "builtin = \"branin\"\ncommand = [\"./x\"]", "command",
     "objective.command = [\"./x\"]: give builtin or command, not both"},
    {&kBuiltin, "scale = 1.0", "timeout = 1.0", "timeout", "objective.timeout = 1: belongs to a "},
    {&kBuiltin, "scale = 1.0", "retries = 1", "retries", "objective.retries = 1: belongs to a "},
    {&kBuiltin, "scale = 1.0", "infeasible_value = 1.0", "infeasible_value",
     "objective.infeasible_value = 1: belongs to a command"},
    {&kBuiltin, "scale = 1.0", "norm = 1.0", "norm", "objective.norm = 1: belongs to builtin = "},
    {&kBuiltin, "scale = 1.0", "centers = 3", "centers", "objective.centers = 3: belongs to "},
    {&kCommand, "retries = 1", "noise = 0.1", "noise", "objective.noise = 0.1: belongs to a "},
    {&kCommand, "\"./measure\", \"-v\"", "\"./measure\", 3", "3]",
     "objective.command[1] = 3: must be a string"},
    {&kBuiltin, "schedule = \"sqrt-floor\"", "schedule = \"explicit\"", "t1 = 2",
     "duets.t1 = 2: does not go with a list of epochs"},
    {&kBuiltin, "schedule = \"sqrt-floor\"", "epochs = [20]", "t1 = 2",
     "duets.t1 = 2: does not go with a list of epochs"},
    {&kCommand, "schedule = \"explicit\"", "schedule = \"doubling\"", "epochs",
     "duets.epochs = [4, 6, 10]: belongs to schedule = \"explicit\""},
    {&kBuiltin, "mode = \"tuned\"", "mode = \"theory\"", "beta",
     "duets.beta = 0.5: mode = \"theory\" computes it"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\nbeta = 1.0", "beta",
     "duets.beta = 1: mode = \"theory\" computes it"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\np0 = 1.0", "p0",
     "duets.p0 = 1: mode = \"theory\" computes it"},
    {&kTheory, "mode = \"theory\"", "mode = \"tuned\"", "bound = 1.0",
     "noise.bound = 1: belongs to duets.mode = \"theory\""},
    {&kBuiltin, "lambda = 0.2", "delta = 0.2", "delta", "noise.delta = 0.2: belongs to duets.mode"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\ninducing = \"greedy\"", "inducing",
     "duets.inducing = greedy: mode = \"theory\" needs"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\ndata = \"surviving\"", "data",
     "duets.data = surviving: mode = \"theory\" needs"},
    {&kTheory,
     "domain = \"finite\"\ncandidates = 30\ndimension = 3\nshape = \"sphere\"\nradius = 2.0",
     "domain = \"box\"\ndimension = 3", "mode = \"theory\"",
     "duets.mode = theory: needs a finite set"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\nrate = \"count\"", "rate",
     "duets.rate = \"count\": mode = \"theory\" computes it"},
    {&kBuiltin, "inducing = \"coin\"", "inducing = \"greedy\"", "p0",
     "duets.p0 = 10: belongs to inducing = \"coin\""},
    {&kBuiltin, "upload = \"auto\"\ndata = \"epoch\"", "upload = \"rewards\"\ndata = \"surviving\"",
     "upload", "duets.upload = rewards: data = \"surviving\" needs"},
    // Self-tuning.
    {&kTuning, "lengthscale = 0.3", "variance = 1.0", "variance",
     "kernel.variance = 1: is learned from the rewards: leave it out"},
    {&kTuning, "[kernel]", "[noise]\nlambda = 0.1\n[kernel]", "lambda",
     "noise.lambda = 0.1: is learned from the rewards: leave it out"},
    {&kTuning, "parameters = \"learned\"", "parameters = \"fixed\"", "relevance",
     "duets.relevance = true: needs parameters = \"learned\""},
    {&kTuning, "coins = \"stratified\"", "inducing = \"coin\"", "inducing",
     "duets.inducing = coin: parameters = \"learned\" needs"},
    {&kTuning, "coins = \"stratified\"", "upload = \"projection\"", "upload",
     "duets.upload = projection: parameters = \"learned\" needs"},
    {&kTuning, "coins = \"stratified\"", "volume_floor = 0", "epoch_floor",
     "duets.epoch_floor = 0.5: belongs to a volume_floor or side_floor above 0"},
    {&kTuning, "coins = \"stratified\"", "mode = \"theory\"", "preset",
     "duets.preset = \"quick\": has no theory"},
    {&kBuiltin, "t1 = 2", "t1 = 2\nepoch_floor = 0.5", "epoch_floor",
     "duets.epoch_floor = 0.5: belongs to a volume_floor or side_floor above 0"},
    {&kBuiltin, "t1 = 2", "t1 = 2\nvolume_floor = 1", "volume_floor",
     "duets.volume_floor = 1: must be 0 (no floor) or between 0 and 1"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\nparameters = \"learned\"", "parameters",
     "duets.parameters = \"learned\": mode = \"theory\" needs parameters = \"fixed\""},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\ncoins = \"stratified\"", "coins",
     "duets.coins = stratified: mode = \"theory\" needs"},
    {&kTheory, "mode = \"theory\"", "mode = \"theory\"\nnumbers = \"short\"", "numbers",
     "duets.numbers = \"short\": mode = \"theory\" needs numbers = \"double\""},
    {&kBuiltin, "dimension = 2", "radius = 1.0", "radius", "space.radius = 1: a box has no radius"},
    {&kBuiltin, "dimension = 2", "shape = \"cube\"", "shape",
     "space.shape = \"cube\": belongs to domain = \"finite\""},
    {&kTheory, "shape = \"sphere\"", "shape = \"cube\"", "radius", "space.radius = 2: a cube has"},
    {&kBuiltin, "dimension = 2", "points = [[0.1, 0.2]]", "domain",
     "space.domain = \"box\": given points make a finite set"},
    {&kTheory, "candidates = 30", "points = [[0.1, 0.2, 0.3]]", "shape",
     "space.shape = \"sphere\": does not go with given points"},
    {&kCommand, "[space.rate]", "[space]\ndomain = \"ball\"\n[space.rate]", "domain",
     "space.domain = \"ball\": named parameters make a box"},
    {&kCommand, "[space.rate]", "[space]\ncandidates = 10\n[space.rate]", "candidates",
     "space.candidates = 10: does not go with named parameters"},
    {&kCommand, "[space.rate]", "[space]\ndimension = 2\n[space.rate]", "dimension",
     "space.dimension = 2: must be 3, the number of parameters"},
    {&kCommand, "[space.rate]", "[space.radius]", "radius]",
     "space.radius = {table}: is a key of [space]"},
    {&kCommand, "[space.rate]", "[space.\"a,b\"]", "\"a,b\"", "space.a,b = {table}: a name has"},
    {&kCommand, "log = true", "step = 1", "step = 1", "space.rate.step = 1: belongs to type = "},
    {&kCommand, "log = true", "choices = [\"a\"]", "choices = [\"a\"]",
     "space.rate.choices = [\"a\"]: belongs to type = \"categorical\""},
    {&kCommand, "choices = [\"adam\", \"sgd\"]", "choices = [\"adam\"]\nlow = 0", "low = 0\n",
     "space.optimiser.low = 0: a categorical parameter has choices only"},
};

TEST(StudyFileErrorsTest, UnknownKeysRangesAndContradictions) {
  for (const TextCase& c : kTexts) {
    const std::string text = replaced(*c.base, c.from, c.to);
    const std::string start = place(text, c.where) + c.message;
    EXPECT_EQ(study_error_of(text).substr(0, start.size()), start);
  }
}

TEST(StudyFileErrorsTest, TextThatIsNotToml) {
  const std::string error = study_error_of("[study]\nagents = = 3\n");
  EXPECT_EQ(error.rfind("dir/bad.toml:2:10: is not valid TOML: ", 0), 0U) << error;
  EXPECT_NE(study_error_of("[study]\nagents = 1\nagents = 2\n").find("bad.toml:3:"),
            std::string::npos);
  EXPECT_NE(study_error_of("a = \"\xff\"").find("is not valid TOML"), std::string::npos);
}

TEST(StudyFileErrorsTest, SeedFromTheCommandLine) {
  try {
    parse_study(kBuiltin, "f.toml", ".", {.seed = std::uint64_t{1} << 63});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("--seed = 9223372036854775808: must be"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace duets::cli
