// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"
#include "core/scenario/partsjson.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr double mostSeconds = 10; ///< of one layer and microbatch
const std::array<std::string, 3> tagNames{ "measured", "fitted", "assumed" };
constexpr std::array<Provenance, 3> tags{ Provenance::Measured, Provenance::Calibrated, Provenance::Assumed };

void readQuantities(JsonReport &report, const Json &list, const std::string &where, TimingProfile &profile)
{
    if (!list.is_array()) {
        report.error(ErrorCode::WrongType, where, fmt::format("expects a list, found {}", quoted(list)));
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        ObjectReader reader(report, list[i], pointer(where, std::to_string(i)));
        TimingProfile::Quantity quantity;
        std::size_t tag = 0;
        reader.text("name", quantity.name, ObjectReader::Required);
        reader.number("value", quantity.value, -1e300, 1e300, ObjectReader::Required);
        reader.text("unit", quantity.unit);
        reader.choice("tag", tag, tagNames, ObjectReader::Required);
        reader.finish();
        quantity.tag = tags[tag];
        profile.quantities.push_back(std::move(quantity));
    }
}

void readLayer(JsonReport &report, const Json &value, const std::string &where, TimingProfile &profile)
{
    ObjectReader reader(report, value, where);
    reader.number("f_s", profile.f, 0, mostSeconds);
    reader.number("bi_s", profile.bi, 0, mostSeconds);
    reader.number("w_s", profile.w, 0, mostSeconds);
    reader.number("dispatch_f_s", profile.dispatchF, 0, mostSeconds);
    reader.number("combine_f_s", profile.combineF, 0, mostSeconds);
    reader.number("dispatch_b_s", profile.dispatchB, 0, mostSeconds);
    reader.number("combine_b_s", profile.combineB, 0, mostSeconds);
    reader.finish();
}

void readPairParts(JsonReport &report, const Json &value, const std::string &where, TimingProfile::PairParts &parts)
{
    ObjectReader reader(report, value, where);
    const std::pair<const char *, double *> fields[] = {
        { "attention_f_s", &parts.attentionF },
        { "dispatch_f_s", &parts.dispatchF },
        { "mlp_f_s", &parts.mlpF },
        { "combine_f_s", &parts.combineF },
        { "combine_b_s", &parts.combineB },
        { "mlp_b_s", &parts.mlpB },
        { "mlp_w_s", &parts.mlpW },
        { "dispatch_b_s", &parts.dispatchB },
        { "attention_b_s", &parts.attentionB },
        { "attention_w_s", &parts.attentionW },
    };
    for (const auto &[key, seconds] : fields)
        reader.number(key, *seconds, 1e-9, mostSeconds, ObjectReader::Required);
    reader.finish();
}

void readPair(JsonReport &report, const Json &value, const std::string &where, TimingProfile &profile)
{
    ObjectReader reader(report, value, where);
    reader.integer("layers", profile.pairLayers, 1, 10'000, ObjectReader::Required);
    reader.number("s", profile.pair, 1e-9, mostSeconds, ObjectReader::Required);
    if (const Json *parts = reader.find("parts"))
        readPairParts(report, *parts, reader.at("parts"), profile.pairParts);
    reader.finish();
}

void readKeys(ObjectReader &reader, TimingProfile &profile)
{
    reader.text("name", profile.name, ObjectReader::Required);
    reader.text("gpu", profile.gpu);
    reader.text("model", profile.model);
    reader.text("source", profile.source);
    reader.integer("seq", profile.seq, 1, 16'777'216, ObjectReader::Required);
    reader.integer("micro_batch", profile.microBatch, 1, 65'536, ObjectReader::Required);
    if (const Json *layer = reader.find("layer", ObjectReader::Required))
        readLayer(reader.report(), *layer, reader.at("layer"), profile);
    if (const Json *pair = reader.find("pair"))
        readPair(reader.report(), *pair, reader.at("pair"), profile);
    if (const Json *quantities = reader.find("quantities"))
        readQuantities(reader.report(), *quantities, reader.at("quantities"), profile);
    // Fitted efficiencies and contention would change the model's part of the durations. Ignoring them would show other numbers
    // than meant.
    for (const char *key : { "efficiency", "contention" })
        if (const Json *value = reader.find(key); value && !value->is_null() && !value->empty())
            reader.error(ErrorCode::Unsupported, key, "is not modelled yet", "remove it");
}

} // namespace

Expected<TimingProfile> parseProfile(std::string_view text, const std::string &file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.errors();
    JsonReport report(file, false);
    const auto format = document->is_object() ? document->find("format") : document->end();
    if (!document->is_object() || format == document->end() || *format != "pipeloom-profile")
        return Error{ ErrorCode::Syntax, "is not a profile: its format is not \"pipeloom-profile\"", file, "/format",
                      "name a profile that this program wrote" };
    ObjectReader reader(report, *document, "");
    reader.ignore("format");
    reader.ignore("order");
    TimingProfile profile;
    if (readSchema(reader, 1)) {
        readKeys(reader, profile);
        reader.finish();
    }
    if (report.failed())
        return report.takeErrors();
    return profile;
}

} // namespace pipeloom
