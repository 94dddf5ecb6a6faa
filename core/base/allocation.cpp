// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/allocation.h"

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pipeloom
{

void keepFreedMemory()
{
#if defined(__GLIBC__)
    constexpr int mebibyte = 1024 * 1024;
    mallopt(M_MMAP_THRESHOLD, 32 * mebibyte); // the largest value glibc accepts
    mallopt(M_TRIM_THRESHOLD, 256 * mebibyte);
#endif
}

} // namespace pipeloom
