// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/evaluationjson.h"

#include "core/cost/measured.h"
#include "core/exchange/report.h"
#include "core/memory/rankmemory.h"
#include "core/memory/states.h"
#include "core/scenario/scenariofile.h"
#include "core/scenario/terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pipeloom
{

namespace
{

using Json = nlohmann::ordered_json;

const char *name(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "";
}

/// A setting's value is JSON text; what is none stays text.
Json settingJson(const std::string &text)
{
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(text) : value;
}

Json groupsObject(const Evaluation &e)
{
    const ParallelPlan &plan = e.scenario.plan;
    Json out;
    out["dp"] = e.groups.dp;
    out["edp"] = e.groups.edp;
    out["microbatches"] = e.groups.microbatches;
    out["gpus"] = plan.gpus;
    out["tp"] = plan.tp;
    out["cp"] = plan.cp;
    out["pp"] = plan.pp;
    out["ep"] = plan.ep;
    out["etp"] = plan.etp;
    out["nodes"] = e.groups.nodes;
    out["expert_nodes"] = e.groups.expertNodes;
    out["expert_ranks_per_node"] = e.groups.expertRanksPerNode;
    out["pipeline_crosses_nodes"] = e.groups.pipelineCrossesNodes;
    return out;
}

ByteCount weightBytesOf(const Ledger &tensors, int stage)
{
    ByteCount bytes = 0;
    for (const LedgerRow &row : tensors) {
        const bool weight = row.memoryClass == MemoryClass::ParametersDense || row.memoryClass == MemoryClass::ParametersExpert;
        bytes += weight && row.stage == stage ? row.total() : 0;
    }
    return bytes;
}

/// One row for each stage that a pipeline rank holds, with what one GPU of the rank keeps of it.
Json stagesArray(const Evaluation &e)
{
    Json out = Json::array();
    if (!e.valid)
        return out;
    const std::vector<WeightMatrix> matrices = weightMatrices(e.scenario.model);
    const ParallelPlan &plan = e.scenario.plan;
    for (int rank = 0; rank < e.schedule.ranks; ++rank) {
        const std::vector<StageContent> stages = rankStages(e.schedule, e.layout, rank);
        for (const StageContent &stage : stages) {
            const StageParameters parameters =
                stageParameters(matrices, e.scenario.model, plan, stage, needsEmbeddingCopy(stages, stage));
            const Ledger &tensors = e.memory.ranks[static_cast<std::size_t>(rank)].tensors;
            Json row;
            row["stage"] = stage.stage;
            row["rank"] = rank;
            row["first_layer"] = stage.firstLayer;
            row["layers"] = stage.layers;
            row["dense_layers"] = stage.denseLayers;
            row["moe_layers"] = stage.moeLayers;
            row["embedding"] = stage.embedding;
            row["head"] = stage.head;
            row["mtp_modules"] = stage.mtpModules;
            row["params_dense"] = std::llround(parameters.dense);
            row["params_expert"] = std::llround(parameters.expert);
            row["bytes_weights"] = weightBytesOf(tensors, stage.stage);
            out.push_back(std::move(row));
        }
    }
    return out;
}

Json routingObject(const Evaluation &e, JsonNumbers &number)
{
    Json out;
    out["rank_load_max_over_mean"] = number("routing.rank_load_max_over_mean", e.routing.rankMaxOverMean);
    out["layer_load_max_over_mean"] = number("routing.layer_load_max_over_mean", e.routing.layerMaxOverMean);
    out["hot_layer"] = e.routing.hotLayer < 0 ? Json() : Json(e.routing.hotLayer + e.scenario.model.denseLayers);
    out["hot_rank"] = e.routing.hotRank < 0 ? Json() : Json(e.routing.hotRank);
    out["expert_load_max_over_mean"] = number("routing.expert_load_max_over_mean", e.routing.expertMaxOverMean);
    out["gini"] = number("routing.gini", e.routing.gini);
    out["expert_cv"] = number("routing.expert_cv", e.routing.expertCv);
    out["dropped_fraction"] = number("routing.dropped_fraction", e.routing.droppedFraction);
    out["buffer_rows_over_mean"] = number("routing.buffer_rows_over_mean", e.buffers.rowsOverMean);
    out["nodes_per_token"] = number("routing.nodes_per_token", e.routing.nodesPerToken);
    out["remote_nodes_per_token"] = number("routing.remote_nodes_per_token", e.routing.remoteNodesPerToken);
    out["ranks_per_token"] = number("routing.ranks_per_token", e.routing.ranksPerToken);
    return out;
}

/// The form that belongs beside the simulated bubble, and the published one with its condition.
Json closedFormObject(const ClosedForm &form)
{
    const std::optional<ClosedForm::Shown> shown = form.shown();
    if (!shown)
        return nullptr;
    Json out = { { "expression", shown->expression },
                 { "bubble_s", toSeconds(shown->bubble) },
                 { "holds_for", "equal stages, p2p 0" } };
    if (!form.expression.empty()) {
        out["published"] = { { "expression", form.expression },
                             { "bubble_s", toSeconds(form.bubble) },
                             { "condition", form.condition },
                             { "holds", form.holds } };
    }
    return out;
}

Json scheduleObject(const Evaluation &e, JsonNumbers &number)
{
    Json out;
    out["name"] = std::string(name(e.scenario.plan.schedule));
    if (!e.valid) {
        for (const char *key : { "makespan_s", "ops", "bubble_fraction_mean", "bubble_fraction_worst" })
            out[key] = nullptr;
        out["bubble_s_per_rank"] = Json::array();
        out["closed_form"] = nullptr;
        out["peak_in_flight_per_rank"] = Json::array();
        return out;
    }
    out["makespan_s"] = toSeconds(e.timeline.makespan);
    out["ops"] = e.schedule.ops.size();
    out["bubble_fraction_mean"] = number("schedule.bubble_fraction_mean", e.time.bubbleFractionMean);
    out["bubble_fraction_worst"] = number("schedule.bubble_fraction_worst", e.time.bubbleFractionWorst);
    Json bubbles = Json::array();
    for (int rank = 0; rank < e.schedule.ranks; ++rank)
        bubbles.push_back(toSeconds(e.timeline.idle(rank)));
    out["bubble_s_per_rank"] = std::move(bubbles);
    out["closed_form"] = closedFormObject(e.closedForm);
    out["peak_in_flight_per_rank"] = e.timeline.peakInFlight;
    return out;
}

/// Allocated, reserved and device bytes at the five instants.
Json instantsObject(const RankMemory &rank)
{
    static constexpr std::array<std::pair<const char *, Instant>, instantCount> keys = {
        { { "after_init", Instant::AfterInit },
          { "first_step_peak", Instant::FirstStepPeak },
          { "later_peak", Instant::LaterPeak },
          { "after_optimizer", Instant::AfterOptimizer },
          { "bad_routing_peak", Instant::BadRoutingPeak } }
    };
    Json out;
    for (const auto &[key, instant] : keys) {
        const CountedBytes bytes = rank.at(instant);
        out[key] = { { "allocated", bytes.allocated }, { "reserved", bytes.reserved }, { "device", bytes.device } };
    }
    return out;
}

Json rankObject(const RankMemory &rank, bool withTensors)
{
    Json out;
    out["rank"] = rank.rank;
    out["stages"] = rank.stages;
    out["weights"] = rank.weights();
    out["weights_dense"] = rank.weightsDense;
    out["weights_expert"] = rank.weightsExpert;
    out["grads"] = rank.gradients;
    out["dummy_weight_gradients"] = rank.dummyWeightGradients;
    out["optimizer"] = rank.optimizer;
    out["activation_per_microbatch"] = rank.activationPerMicrobatch;
    out["activations_peak"] = rank.activationsPeak;
    out["transient"] = rank.transientPeak;
    out["buffers"] = rank.buffers;
    out["peak_allocated"] = rank.peakAllocated;
    out["peak_reserved"] = rank.peakReserved;
    out["peak"] = rank.peak;
    out["peak_phase"] = name(rank.phase);
    out["moments"] = rank.moments;
    out["host_optimizer"] = rank.hostOptimizer;
    out["instants"] = instantsObject(rank);
    out["peak_time_s"] = toSeconds(rank.peakTime);
    out["in_flight_at_peak"] = rank.inFlightAtPeak;
    if (!withTensors)
        return out;
    Json tensors = Json::array();
    for (const LedgerRow &row : rank.tensors) {
        tensors.push_back({ { "name", row.name },
                            { "shape", shapeText(row) },
                            { "dtype", row.dtype },
                            { "bytes", row.bytes },
                            { "kept_by", keptByText(row) },
                            { "count", row.count },
                            { "class", name(row.memoryClass) },
                            { "stage", row.stage < 0 ? Json() : Json(row.stage) },
                            { "place", name(row.place) },
                            { "split", splitText(row) },
                            { "alive", name(row.lifetime) },
                            { "on_host", row.host } });
    }
    out["tensors"] = std::move(tensors);
    return out;
}

Json memoryObject(const Evaluation &e, bool withTensors)
{
    Json out;
    out["capacity_bytes"] = e.memory.capacity;
    out["usable_bytes"] = e.memory.usable;
    out["verdict"] = name(e.memory.verdict);
    out["fits"] = e.memory.verdict == Verdict::Fits;
    out["peak_rank"] = e.memory.ranks.empty() ? Json() : Json(e.memory.peakRank);
    out["peak_bytes"] = e.memory.ranks.empty() ? Json() : Json(e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)].peak);
    out["blame"] = e.memory.blame;
    out["host_bytes_per_node"] = e.memory.hostPerNode;
    out["bad_routing_max_over_mean"] = e.memory.badRouting;
    Json ranks = Json::array();
    for (const RankMemory &rank : e.memory.ranks)
        ranks.push_back(rankObject(rank, withTensors));
    out["ranks"] = std::move(ranks);
    return out;
}

Json timeObject(const Evaluation &e, JsonNumbers &number)
{
    const StepTime &t = e.time;
    const std::pair<const char *, double> values[] = {
        { "step_s", t.step },
        { "pipeline_s", t.pipeline },
        { "optimizer_s", t.optimizer },
        { "compute_s", t.compute },
        { "exposed_comm_s", t.exposedComm },
        { "bubble_s", t.bubble },
        { "bubble_schedule_s", t.bubbleOfSchedule },
        { "bubble_imbalance_s", t.bubbleOfImbalance },
        { "f_s", t.f },
        { "b_s", t.b },
        { "bi_s", t.bi },
        { "w_s", t.w },
        { "fb_s", t.pair },
        { "dispatch_s", t.dispatch },
        { "combine_s", t.combine },
    };
    Json out;
    for (const auto &[key, value] : values)
        out[key] = e.valid ? number((std::string("time.") + key).c_str(), value) : Json();
    return out;
}

Json throughputObject(const Evaluation &e, JsonNumbers &number)
{
    const Throughput &t = e.throughput;
    const auto value = [&](const char *key, double v) {
        return e.valid ? number((std::string("throughput.") + key).c_str(), v) : Json();
    };
    Json out;
    out["tokens_per_s_per_gpu"] = value("tokens_per_s_per_gpu", t.tokensPerSecondPerGpu);
    out["model_tflops_per_gpu"] = value("model_tflops_per_gpu", t.modelTflopsPerGpu);
    out["mfu"] = value("mfu", t.mfu);
    out["mfu_peak_tflops"] = value("mfu_peak_tflops", t.mfuPeakTflops);
    out["mfu_peak_dtype"] = t.mfuPeakDtype;
    out["causal"] = t.causal;
    out["low"] = value("low", t.low);
    out["high"] = value("high", t.high);
    return out;
}

Json costObject(const Evaluation &e, JsonNumbers &number)
{
    Json out;
    out["gpu_hours_per_1t_tokens"] = e.valid ? number("cost.gpu_hours_per_1t_tokens", e.cost.gpuHoursPerTrillionTokens) : Json();
    out["usd_per_1t_tokens"] = e.valid ? number("cost.usd_per_1t_tokens", e.cost.usdPerTrillionTokens) : Json();
    out["usd_per_gpu_hour"] = number("cost.usd_per_gpu_hour", e.scenario.usdPerGpuHour);
    return out;
}

Json termsArray(const Terms &terms, JsonNumbers &number)
{
    Json out = Json::array();
    for (const Term &term : terms) {
        out.push_back({ { "id", term.id },
                        { "label", term.label },
                        { "value", number(("terms." + term.id).c_str(), term.value) },
                        { "unit", term.unit },
                        { "tag", name(term.tag) },
                        { "formula", term.formula },
                        { "inputs", term.inputs },
                        { "source", term.source } });
    }
    return out;
}

Json nearestArray(std::span<const NearbyPlan> nearest, JsonNumbers &number)
{
    Json out = Json::array();
    for (const NearbyPlan &plan : nearest) {
        Json row;
        row["label"] = plan.label;
        row["set"] = settingsObject(plan.set);
        if (plan.evaluation) {
            const MemoryResult &memory = plan.evaluation->memory;
            row["verdict"] = name(memory.verdict);
            row["peak_bytes"] =
                memory.ranks.empty() ? Json() : Json(memory.ranks[static_cast<std::size_t>(memory.peakRank)].peak);
            row["step_s"] = number("nearest.step_s", plan.evaluation->time.step);
        }
        out.push_back(std::move(row));
    }
    return out;
}

Json measuredArray(const Evaluation &e, JsonNumbers &number)
{
    Json out = Json::array();
    for (const MeasuredRow &row : compareMeasured(e)) {
        out.push_back({ { "quantity", row.quantity },
                        { "ours_s", number("measured.ours_s", row.ours) },
                        { "measured_s", row.measured != 0 ? number("measured.measured_s", row.measured) : Json() },
                        { "note", row.note } });
    }
    return out;
}

} // namespace

JsonNumbers::Json JsonNumbers::operator()(const char *key, double value)
{
    if (std::isfinite(value))
        return value;
    m_notes.push_back({ { "key", key }, { "reason", "the model gives no finite number for this plan" } });
    return nullptr;
}

nlohmann::ordered_json settingsObject(std::span<const Setting> settings)
{
    Json out = Json::object();
    for (const Setting &setting : settings)
        out[setting.path] = settingJson(setting.json);
    return out;
}

nlohmann::ordered_json diagnosticsArray(const Diagnostics &diagnostics)
{
    Json out = Json::array();
    for (const Diagnostic &d : diagnostics) {
        Json fixes = Json::array();
        for (const Fix &fix : d.fixes)
            fixes.push_back({ { "label", fix.label }, { "set", settingsObject(fix.set) } });
        out.push_back({ { "severity", name(d.severity) },
                        { "code", d.code },
                        { "field", d.field },
                        { "message", d.message },
                        { "fixes", std::move(fixes) } });
    }
    return out;
}

nlohmann::ordered_json evaluationObject(const Evaluation &e, bool withTensors, std::span<const NearbyPlan> nearest)
{
    JsonNumbers number;
    Json out;
    out["scenario"] = Json::parse(toJson(e.scenario), nullptr, false);
    out["valid"] = e.valid;
    out["diagnostics"] = diagnosticsArray(e.diagnostics);
    out["model"] = modelObject(e.scenario.model, e.flops);
    out["model"]["layers_requested"] = e.layout.layersRequested;
    out["model"]["layers_built"] = e.layout.layersBuilt;
    out["groups"] = groupsObject(e);
    out["stages"] = stagesArray(e);
    out["routing"] = routingObject(e, number);
    out["schedule"] = scheduleObject(e, number);
    out["memory"] = memoryObject(e, withTensors);
    out["time"] = timeObject(e, number);
    out["throughput"] = throughputObject(e, number);
    out["cost"] = costObject(e, number);
    out["terms"] = termsArray(e.terms, number);
    if (Json measured = measuredArray(e, number); !measured.empty())
        out["measured"] = std::move(measured);
    out["not_modelled"] = e.valid ? Json(notModelled(e)) : Json::array();
    if (!nearest.empty())
        out["nearest"] = nearestArray(nearest, number);
    Json notes = number.notes();
    if (!e.valid)
        notes.push_back({ { "key", "schedule, memory, time, throughput, cost" },
                          { "reason", "a diagnostic is an error: nothing was simulated" } });
    out["notes"] = std::move(notes);
    return out;
}

std::string evaluationJson(const Evaluation &evaluation, bool withTensors, std::span<const NearbyPlan> nearest)
{
    return evaluationObject(evaluation, withTensors, nearest).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string diagnosticsJson(const Evaluation &evaluation)
{
    Json out;
    out["diagnostics"] = diagnosticsArray(evaluation.diagnostics);
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace pipeloom
