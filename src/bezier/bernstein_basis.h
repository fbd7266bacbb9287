/* The Bernstein polynomials as basis functions of tensor-product patches. */
#ifndef CLSPI_BERNSTEIN_BASIS_H
#define CLSPI_BERNSTEIN_BASIS_H

#include "tensor_desc.h"

/* Makes the basis of a description by its degrees and axes; it must live as long, where it is. */
clspi_basis clspi_bernstein_basis(const clspi_tensor_desc *desc);

/* Builds the program of large tables ahead of use. */
clsp_status clspi_bernstein_build(const clspi_build *build, clsp_type precision);

#endif
