// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/modelreport.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/exchange/document.h"
#include "core/exchange/evaluationjson.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

using Json = nlohmann::ordered_json;

std::string dumped(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

std::string layersText(const ModelSpec &model)
{
    if (model.moe.experts == 0)
        return fmt::format("{} dense", model.layers);
    return model.denseLayers == 0 ? fmt::format("{} MoE", model.layers)
                                  : fmt::format("{} dense + {} MoE", model.denseLayers, model.layers - model.denseLayers);
}

std::string shapeText(const WeightMatrix &matrix)
{
    return matrix.cols == 1 ? formatCount(matrix.rows)
                            : fmt::format("{} x {}", formatCount(matrix.rows), formatCount(matrix.cols));
}

const char *placeText(WeightPlace place)
{
    switch (place) {
    case WeightPlace::DenseLayer:
        return "dense layer";
    case WeightPlace::MoeLayer:
        return "MoE layer";
    case WeightPlace::EveryLayer:
        return "every layer";
    case WeightPlace::Embedding:
        return "embedding";
    case WeightPlace::Head:
        return "head";
    case WeightPlace::Mtp:
        return "MTP module";
    }
    return "";
}

const char *splitText(WeightSplit split)
{
    switch (split) {
    case WeightSplit::Replicated:
        return "replicated";
    case WeightSplit::Tensor:
        return "over TP";
    case WeightSplit::Expert:
        return "whole experts over EP, each over ETP";
    case WeightSplit::Vocabulary:
        return "vocabulary over TP";
    }
    return "";
}

ReportTable countsTable(const ModelSpec &model, int seq)
{
    const ParameterCounts p = countParameters(model);
    const FlopCounts f = countFlops(model, seq);
    const auto gf = [](double flops) { return formatFixed(flops / 1e9, 2) + " GFLOP"; };
    ReportTable table{ "Counts", {}, { { "quantity" }, { "value", true } }, {} };
    const auto add = [&table](const char *label, std::string value) { table.rows.push_back({ label, std::move(value) }); };
    add("Parameters", formatCount(p.total));
    if (p.mtp > 0)
        add("  MTP modules beside it", formatCount(p.mtp));
    add("Active, head counted, embedding not", formatCount(p.activeWithHead));
    add("  embedding and head counted", formatCount(p.activeWithBoth));
    add("  neither counted", formatCount(p.activeBlocks));
    add("Attention of a layer, projections", formatCount(p.attentionPerLayer));
    if (p.denseLayer > 0)
        add("A dense layer", formatCount(p.denseLayer));
    if (p.moeLayer > 0) {
        add("An MoE layer", formatCount(p.moeLayer));
        add("A routed expert", formatCount(p.routedExpert));
    }
    add("Embedding", formatCount(p.embedding));
    add("Head", p.head > 0 ? formatCount(p.head) : "tied to the embedding");
    add("Trained token, causal attention", gf(f.trainPerToken));
    add("  non-causal attention", gf(f.trainPerTokenNonCausal));
    if (model.mtpDepth > 0)
        add("  with MTP", gf(f.trainPerTokenWithMtp));
    return table;
}

ReportTable listTable(const char *title, const std::vector<std::string> &lines)
{
    ReportTable table{ title, {}, { { "key" } }, {} };
    for (const std::string &line : lines)
        table.rows.push_back({ line });
    return table;
}

} // namespace

std::string modelJson(const DescribedModel &described, int seq)
{
    Json out = modelObject(described.model, countFlops(described.model, seq));
    out["seq"] = seq;
    out["understood"] = described.understood;
    out["ignored"] = described.ignored;
    return dumped(out);
}

std::string modelText(const DescribedModel &described, int seq)
{
    const ModelSpec &model = described.model;
    ReportDocument document{ fmt::format("{} ({})", model.title, model.name),
                             { fmt::format("{}: {}; hidden {}, vocabulary {}, sequence {}.", formatCounted(model.layers, "layer"),
                                           layersText(model), formatCount(model.hidden), formatCount(model.vocab),
                                           formatCount(seq)) },
                             { countsTable(model, seq) },
                             model.source.empty() ? std::string() : "Source: " + model.source };
    ReportTable table{ "Weight matrices",
                       {},
                       { { "name" }, { "shape", true }, { "copies", true }, { "in" }, { "split" }, { "parameters", true } },
                       {} };
    for (const WeightMatrix &matrix : weightMatrices(model)) {
        table.rows.push_back({ std::string(matrix.name), shapeText(matrix), formatCount(matrix.count), placeText(matrix.place),
                               splitText(matrix.split), formatCount(matrix.parameters()) });
    }
    document.tables.push_back(std::move(table));
    if (!described.understood.empty())
        document.tables.push_back(listTable("Understood", described.understood));
    if (!described.ignored.empty())
        document.tables.push_back(listTable("Ignored, they change no shape", described.ignored));
    return toText(document);
}

std::string modelListJson(std::span<const ModelSpec> models, int seq)
{
    Json out = Json::array();
    for (const ModelSpec &model : models) {
        Json object = modelObject(model, countFlops(model, seq));
        object.erase("matrices");
        out.push_back(std::move(object));
    }
    return dumped(out);
}

std::string modelListText(std::span<const ModelSpec> models, int seq)
{
    ReportDocument document{
        "Models", {}, {}, "models NAME shows one with every weight matrix. Active parameters count the head, not the embedding."
    };
    ReportTable table{
        fmt::format("Presets, FLOPs of a trained token at a sequence of {}", formatCount(seq)),
        {},
        { { "name" }, { "parameters", true }, { "active", true }, { "GFLOP/token", true }, { "layers" }, { "experts", true } },
        {}
    };
    for (const ModelSpec &model : models) {
        const ParameterCounts counts = countParameters(model);
        table.rows.push_back(
            { model.name, formatParameters(counts.total), formatParameters(counts.activeWithHead),
              formatFixed(countFlops(model, seq).trainPerToken / 1e9, 2), layersText(model),
              model.moe.experts > 0 ? fmt::format("{} of {}", model.moe.topK, model.moe.experts) : std::string() });
    }
    document.tables.push_back(std::move(table));
    return toText(document);
}

} // namespace pipeloom
