// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/precision.h"
#include "core/model/modelspec.h"

namespace pipeloom
{

/// How one number of a kept tensor is stored.
struct LinearStorage
{
    double bytes = 2;
    const char *dtype = "bf16";
};

/// The 16-bit format of the run.
[[nodiscard]] inline const char *halfName(const Precision &precision) { return precision.fp16 ? "fp16" : "bf16"; }

/// A 1 x 128 FP8 tile carries one FP32 scale: 132 bytes for 128 numbers.
inline constexpr double fp8TileBytes = 132.0 / 128.0;

/// The inputs of linear layers.
[[nodiscard]] inline LinearStorage linearStorage(const Precision &precision)
{
    if (precision.deepseekActivations)
        return { fp8TileBytes, "fp8" };
    if (precision.fp8Activations)
        return { 1, "fp8" };
    return {};
}

/// The input of a SwiGLU: bf16 in Megatron, an FP8 tile in DeepSeek-V3.
[[nodiscard]] inline LinearStorage gluStorage(const Precision &precision)
{
    return precision.deepseekActivations ? LinearStorage{ fp8TileBytes, "fp8" } : LinearStorage{};
}

/// Outputs of the first linear layer of an MLP of the given intermediate width: gate and up together when it is gated.
[[nodiscard]] inline double firstLinearWidth(const ModelSpec &model, double width)
{
    return model.mlpMatrices == 3 ? 2 * width : width;
}

} // namespace pipeloom
