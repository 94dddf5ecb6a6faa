// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Only .cpp files include this header: nlohmann_json stays out of every interface.

#include "core/planner/nearest.h"
#include "core/scenario/evaluation.h"

#include <nlohmann/json.hpp>

#include <span>
#include <string>

namespace pipeloom
{

/// Turns numbers into JSON and remembers which ones were not finite: JSON has no NaN.
class JsonNumbers
{
public:
    using Json = nlohmann::ordered_json;

    /// The number, or null with a note.
    [[nodiscard]] Json operator()(const char *key, double value);
    /// [{"key","reason"}] of every null that came from a number.
    [[nodiscard]] Json notes() const { return m_notes; }

private:
    Json m_notes = Json::array();
};

/// The whole evaluation as the contract's object.
[[nodiscard]] nlohmann::ordered_json evaluationObject(const Evaluation &evaluation, bool withTensors,
                                                      std::span<const NearbyPlan> nearest);

[[nodiscard]] nlohmann::ordered_json diagnosticsArray(const Diagnostics &diagnostics);

/// The `model` object: parameter counts, FLOPs and every weight matrix. Sum of rows x cols x count x layers over all kinds but
/// mtp is params_total.
[[nodiscard]] nlohmann::ordered_json modelObject(const ModelSpec &model, const FlopCounts &flops);

/// {"field": value, ...} of settings.
[[nodiscard]] nlohmann::ordered_json settingsObject(std::span<const Setting> settings);

} // namespace pipeloom
