// What Swift cannot call in glibc and the kernel: macros, variadic functions and calls that
// glibc only declares with _GNU_SOURCE. Only SystemKit imports it.
#pragma once
#include <stdint.h>
