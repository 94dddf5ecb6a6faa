// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Between the JSON document of a scenario and its values. Only .cpp files include this header.

#include "core/base/jsonreader.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>
#include <string_view>

namespace pipeloom
{

/// What reading a document may look up.
struct ReadContext
{
    std::string folder; ///< relative paths start here; empty: the working folder
    /// Parts written as in this scenario are taken from it: no file is read again for a change elsewhere.
    const Scenario *previous = nullptr;
};

/// Reads a whole document; the value is of use only when the report has not failed.
[[nodiscard]] Scenario readDocument(JsonReport &report, const Json &document, const ReadContext &context);

/// The document that readDocument() reads back to the same scenario.
[[nodiscard]] Json scenarioDocument(const Scenario &scenario);

/// The same with model, cluster, precision, recompute and timing written out in full: what settings can be asked for.
[[nodiscard]] Json expandedDocument(const Scenario &scenario);

/// True when the document has no schema or one that is known; else it is reported, with a code that says the file cannot be read.
[[nodiscard]] bool readSchema(ObjectReader &reader, int newest);

// The sections that readDocument() puts together.
void readPlan(JsonReport &report, const Json &value, const std::string &where, ParallelPlan &plan);
[[nodiscard]] Json planJson(const ParallelPlan &plan);
void readRuntime(JsonReport &report, const Json &value, const std::string &where, Runtime &runtime);
void readRouting(JsonReport &report, const Json &value, const std::string &where, RoutingRequest &routing);
void readTiming(JsonReport &report, const Json &value, const std::string &where, const ReadContext &context, Timing &timing);

/// The three parts that may be a preset name or an object with overrides.
void readModelPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario);
void readClusterPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario);
void readPrecisionPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario);
/// The part as it was written; `full` when it was written without a preset.
[[nodiscard]] Json choiceJson(const Choice &choice, const Json &full);

/// Puts a value at "plan.layout.first", making objects on the way; a preset name on the way becomes {"preset": name}.
void setAt(Json &document, std::string_view path, Json value);

/// "plan.ep" of "/plan/ep".
[[nodiscard]] std::string dotted(std::string_view jsonPointer);

/// A relative path put behind the folder, for reading now and for finding it again from any other folder.
[[nodiscard]] std::string resolvedPath(const std::string &folder, const std::string &path);

} // namespace pipeloom
