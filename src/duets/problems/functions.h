// The test functions of the published study, each in the form that is maximised.
#pragma once

#include <memory>
#include <vector>

#include "duets/problems/problem.h"

namespace duets::problems {

/// cos(a) inside the determinism boundary. Error at most 2.3e-16 |a| + 3.4e-16 for |a| <= 1e9: a/pi
/// has the error of two roundings, strict_sincospi adds 1.5 ulp.
double strict_cos(double a);

/// sin(a) likewise, with the same bound.
double strict_sin(double a);

/// -[(v - 5.1 u^2 / (4 pi^2) + 5 u / pi - 6)^2 + (10 - 10 / (8 pi)) cos u - 44.81] / 51.95 with
/// u = 15 x1 - 5, v = 15 x2.
std::unique_ptr<Problem> make_branin();

/// sum_i w_i exp(-sum_k A_ik (x_k - C_ik)^2) with the first four columns of Hartmann-6's A and C.
std::unique_ptr<Problem> make_hartmann4();

/// (hartmann4 - 1.1) / 0.839.
std::unique_ptr<Problem> make_hartmann4_rescaled();

std::unique_ptr<Problem> make_hartmann6();

/// cos(3 x.theta). theta has length 1 (kInvalid when off by more than 1e-12) and at least two
/// coordinates. Its maximisers fill a hyperplane, so none is listed.
std::unique_ptr<Problem> make_h1(std::vector<double> theta);

/// z^3 - 3 z^2 + 3 z + 3 = (z - 1)^3 + 4, z = x.theta. theta as for h1.
std::unique_ptr<Problem> make_h2(std::vector<double> theta);

}  // namespace duets::problems
