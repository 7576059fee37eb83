// Two-sample and goodness-of-fit statistics with known tails.
#pragma once

#include "duets/numeric/matrix.h"

namespace duets::paper {

/// sqrt(n m / (n + m)) times the largest distance of the two empirical distribution functions. For
/// samples of one continuous distribution P(result > t) <= 2 exp(-2 t^2).
double two_sample_ks(numeric::Vector a, numeric::Vector b);

/// Pearson's two-sample statistic over the rows of `a` and `b` (points of [0, 1]^2) on a grid of
/// cells x cells, as a standard normal deviate (Wilson and Hilferty). Cells with fewer than 20
/// points in both together are left out.
double two_sample_deviate(const numeric::Points& a, const numeric::Points& b, int cells);

/// sum (x - mean)^2 / (n - 1).
double sample_variance(const numeric::Vector& x);

}  // namespace duets::paper
