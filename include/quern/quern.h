/* Quern: dense linear algebra and parallel kernels on whatever processor is there.
 * This header brings the whole public interface. */
#ifndef QUERN_QUERN_H
#define QUERN_QUERN_H

#include "status.h"
#include "types.h"
#include "device.h"
#include "kernel.h"
#include "matrix.h"
#include "blas3.h"
#include "epilogue.h"
#include "rng.h"
#include <quern/version.h>

#endif
