// The steps of a compass search inside a domain.
#pragma once

#include "duets/domain/domain.h"
#include "duets/numeric/matrix.h"

namespace duets::domain {

/// The points one step away along every axis, each way, cut at the border of a box. In a ball each
/// step is tried twice, once along the axis and once as a rotation about the centre, both pulled
/// back to a little inside its surface: along axes alone a search would stop at the first point of
/// the surface that it reaches. Strict. The domain is not finite. O(d^2).
numeric::Points compass_steps(const Domain& domain, const numeric::Vector& latent, double step);

}  // namespace duets::domain
