// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How the parts of a scenario look in JSON: one form for bundled presets, for overrides and for parts written out in full. Only
// .cpp files include this header.

#include "core/base/jsonreader.h"
#include "core/cluster/cluster.h"
#include "core/cost/profile.h"
#include "core/memory/precision.h"
#include "core/memory/recompute.h"
#include "core/model/modelspec.h"

#include <optional>
#include <string>
#include <string_view>

namespace pipeloom
{

/// Reads the keys that are present over `model`, makes a dense model's dense layers follow its layers, and checks the shapes.
void readModelKeys(ObjectReader &reader, ModelSpec &model);
[[nodiscard]] Json modelJson(const ModelSpec &model);

/// The same for a cluster. A fast-link domain that was the node follows a changed node size; all-to-all payload bandwidths scale
/// with a changed link bandwidth unless they are given too.
void readClusterKeys(ObjectReader &reader, Cluster &cluster);
[[nodiscard]] Json clusterJson(const Cluster &cluster);

/// The same for a precision. A number format stands for its bytes ("bf16" or 2).
void readPrecisionKeys(ObjectReader &reader, Precision &precision);
[[nodiscard]] Json precisionJson(const Precision &precision);

/// A preset name, {"full": {"method", "layers"}} or a list of module names; nullopt after reporting.
[[nodiscard]] std::optional<Recompute> readRecompute(JsonReport &report, const Json &value, const std::string &where);
[[nodiscard]] Json recomputeJson(const Recompute &recompute);
/// {"full": ..} or the list of modules, whatever preset it equals.
[[nodiscard]] Json recomputeDefinition(const Recompute &recompute);
/// The definition alone, not a preset name.
[[nodiscard]] std::optional<Recompute> readRecomputeDefinition(JsonReport &report, const Json &value, const std::string &where);

/// A `*.profile.json` document.
[[nodiscard]] Expected<TimingProfile> parseProfile(std::string_view text, const std::string &file);

} // namespace pipeloom
