// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace pipeloom
{

/// Bytes of each number that belongs to a parameter, and of what the activations are kept in.
struct Precision
{
    std::string name = "megatron-bf16"; ///< preset name, or "custom"
    std::string title = "BF16, FP32 main gradients";
    std::string source;
    double weight = 2; ///< B a parameter of linear layers (all copies a rank keeps)
    std::optional<double> weightOther; ///< of embedding, head, router and norms, which stay out of FP8; nothing: as weight
    std::optional<double> gathered; ///< of weights while ZeRO-3 or FSDP holds them together; nothing: as weight
    double mainGrad = 4;
    double master = 4;
    double moments = 8; ///< both moments together
    bool fp8Compute = false; ///< linear layers run in FP8
    bool fp8Activations = false; ///< linear inputs are kept in FP8 (Megatron FP8 table)
    bool deepseekActivations = false; ///< DeepSeek-V3's own storage: FP8 tiles with scales, E5M6 attention output
    bool fp16 = false; ///< the 16-bit numbers are FP16, not BF16
    bool operator==(const Precision &) const = default;
};

} // namespace pipeloom
