// The lines of the determinism programs: one for each quantity, its name and the digest of its
// bytes.
#pragma once

#include <string>
#include <vector>

namespace duets::determinism {

struct Line {
  std::string name;    ///< "kernel/matern-5/2/d10"
  std::string digest;  ///< 32 hexadecimal digits
};

/// Everything inside the determinism boundary but whole runs. docs/formats/conformance.md says what
/// each line is the digest of. A few milliseconds.
std::vector<Line> strict_lines();

/// A whole run and how safe its decisions were from rounding.
struct RunLine {
  std::string name;          ///< "run/ball-h2-d3/seed1"
  std::string run_digest;    ///< equal everywhere
  std::string state_digest;  ///< equal for one build, whatever the number of threads
  double smallest_margin = 0;
  double mean_error = 0;
  std::string samplers;  ///< how the regions were sampled: "rejection rejection walk"
};

/// The values and maxima of the built-in functions, and simulated noise.
std::vector<Line> problem_lines();

/// Small studies on finite, box and ball domains, in every mode. About a second.
std::vector<RunLine> run_lines(unsigned num_threads);

}  // namespace duets::determinism
