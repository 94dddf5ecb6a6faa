// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

// Above any cluster that exists; below them no count in the plan overflows.
constexpr std::int64_t mostGpus = 1'000'000;
constexpr std::int64_t mostSplit = 4'096;
constexpr std::int64_t mostChunks = 64;
constexpr std::int64_t mostExpertParallel = 65'536;
constexpr std::int64_t mostGlobalBatch = 10'000'000;
constexpr std::int64_t mostSequence = 16'777'216;
constexpr std::int64_t mostLayers = 10'000;
constexpr std::size_t longestLayout = 4'096;

const std::array<std::string, 2> placementNames{ "ep-first", "dp-first" };

void readLayerList(JsonReport &report, const Json &list, const std::string &where, LayoutRequest &layout)
{
    std::vector<int> stages;
    if (list.empty() || list.size() > longestLayout) {
        report.error(ErrorCode::OutOfRange, where, fmt::format("expects 1 to {} stages, found {}", longestLayout, list.size()));
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto layers = wholeNumber(report, list[i], pointer(where, std::to_string(i)), 0, mostLayers);
        if (layers)
            stages.push_back(static_cast<int>(*layers));
    }
    if (stages.size() == list.size())
        layout = std::move(stages);
}

void readFirstLast(JsonReport &report, const Json &object, const std::string &where, LayoutRequest &layout)
{
    ObjectReader reader(report, object, where);
    FirstLastLayout ends;
    reader.integer("first", ends.first, 0, mostLayers);
    reader.integer("last", ends.last, 0, mostLayers);
    reader.finish();
    if (!ends.first && !ends.last)
        report.error(ErrorCode::WrongType, where, "names neither first nor last", "write {\"first\": 4, \"last\": 1} or null");
    layout = ends;
}

void readLayout(JsonReport &report, const Json &value, const std::string &where, LayoutRequest &layout)
{
    if (value.is_null()) {
        layout = std::monostate{};
    } else if (value.is_string()) {
        const auto &text = value.get_ref<const std::string &>();
        if (text.empty() || text.size() > longestLayout)
            report.error(ErrorCode::OutOfRange, where,
                         fmt::format("expects 1 to {} letters, found {}", longestLayout, text.size()));
        layout = text;
    } else if (value.is_array()) {
        readLayerList(report, value, where, layout);
    } else if (value.is_object()) {
        readFirstLast(report, value, where, layout);
    } else {
        report.error(
            ErrorCode::WrongType, where,
            fmt::format("expects null, a layout string, a list of layers per stage or {{first, last}}, found {}", quoted(value)));
    }
}

Json layoutJson(const LayoutRequest &layout)
{
    if (const auto *text = std::get_if<std::string>(&layout))
        return *text;
    if (const auto *stages = std::get_if<std::vector<int>>(&layout))
        return *stages;
    const auto *ends = std::get_if<FirstLastLayout>(&layout);
    if (!ends)
        return nullptr;
    Json out = Json::object();
    out["first"] = ends->first ? Json(*ends->first) : Json(nullptr);
    out["last"] = ends->last ? Json(*ends->last) : Json(nullptr);
    return out;
}

void readSchedule(ObjectReader &reader, ScheduleKind &schedule)
{
    std::string text;
    if (!reader.text("schedule", text))
        return;
    if (const auto kind = scheduleKind(text))
        schedule = *kind; // one that is not modelled yet is a finding about the plan
    else
        reader.error(ErrorCode::UnknownName, "schedule", fmt::format("\"{}\" is not known", printable(text)),
                     knownNames(text, generatedScheduleNames()));
}

/// The other sizes are 1 where nothing is split. Without pipeline ranks most schedules cannot run, and the rule they break would
/// not say that the key is missing.
void readPipelineRanks(ObjectReader &reader, int &pp)
{
    reader.integer("pp", pp, 1, mostSplit);
    if (reader.valid() && !reader.has("pp"))
        reader.report().warning(ErrorCode::WrongType, reader.at("pp"), "is missing: taken as 1, no pipeline", "add it");
}

} // namespace

void readPlan(JsonReport &report, const Json &value, const std::string &where, ParallelPlan &plan)
{
    ObjectReader reader(report, value, where);
    reader.integer("gpus", plan.gpus, 1, mostGpus, ObjectReader::Required);
    reader.integer("tp", plan.tp, 1, mostSplit);
    readPipelineRanks(reader, plan.pp);
    reader.integer("vpp", plan.vpp, 1, mostChunks);
    reader.integer("ep", plan.ep, 1, mostExpertParallel);
    reader.integer("etp", plan.etp, 1, mostSplit);
    reader.integer("cp", plan.cp, 1, mostSplit);
    reader.integer("micro_batch", plan.microBatch, 1, 65'536);
    reader.integer("global_batch", plan.globalBatch, 1, mostGlobalBatch, ObjectReader::Required);
    reader.integer("seq", plan.seq, 1, mostSequence);
    readSchedule(reader, plan.schedule);
    reader.integer("interleave_group", plan.interleaveGroup, 1, mostGlobalBatch);
    if (const Json *layout = reader.find("layout"))
        readLayout(report, *layout, reader.at("layout"), plan.layout);
    reader.integer("zero", plan.zero, 0, 3);
    reader.boolean("fsdp", plan.fsdp);
    reader.boolean("sequence_parallel", plan.sequenceParallel);
    reader.boolean("optimizer_offload", plan.optimizerOffload);
    auto placement = static_cast<std::size_t>(plan.placement);
    if (reader.choice("placement", placement, placementNames))
        plan.placement = static_cast<Placement>(placement);
    reader.finish();
}

Json planJson(const ParallelPlan &plan)
{
    Json out = Json::object();
    out["gpus"] = plan.gpus;
    out["tp"] = plan.tp;
    out["pp"] = plan.pp;
    out["vpp"] = plan.vpp;
    out["ep"] = plan.ep;
    out["etp"] = plan.etp;
    out["cp"] = plan.cp;
    out["micro_batch"] = plan.microBatch;
    out["global_batch"] = plan.globalBatch;
    out["seq"] = plan.seq;
    out["schedule"] = name(plan.schedule);
    out["interleave_group"] = plan.interleaveGroup ? Json(*plan.interleaveGroup) : Json(nullptr);
    out["layout"] = layoutJson(plan.layout);
    out["zero"] = plan.zero;
    out["fsdp"] = plan.fsdp;
    out["sequence_parallel"] = plan.sequenceParallel;
    out["optimizer_offload"] = plan.optimizerOffload;
    out["placement"] = placementNames[static_cast<std::size_t>(plan.placement)];
    return out;
}

} // namespace pipeloom
