// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Tells the allocator to keep freed memory of up to 32 MiB a block for the next evaluation instead of giving it back to the
/// system: a slider drag then touches pages it already owns. Measured on a virtual machine: a 131,072-op step takes 2.4 ms
/// instead of 13 to 20 ms, all of the difference being page faults. Call once, first thing in main(). Does nothing without glibc.
void keepFreedMemory();

} // namespace pipeloom
