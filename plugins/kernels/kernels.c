/* The module of the kernels that come with hsim; each file beside it has one of
 * them for several types. */
#include "kernel.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(256)

uint8_t core[TILES][TILE] __attribute__((aligned(16)));
