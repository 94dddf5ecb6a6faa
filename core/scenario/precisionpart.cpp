// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/partsjson.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace pipeloom
{

namespace
{

struct NumberFormat
{
    const char *name;
    double bytes;
};
constexpr std::array<NumberFormat, 5> numberFormats{
    { { "fp32", 4 }, { "bf16", 2 }, { "fp16", 2 }, { "fp8", 1 }, { "none", 0 } }
};

/// A format's name or a number of bytes: "bf16" and 2 are the same.
bool readBytes(ObjectReader &reader, const char *key, double &target, double least)
{
    constexpr double most = 64;
    const Json *value = reader.find(key);
    if (!value)
        return false;
    if (!value->is_string())
        return reader.number(key, target, least, most);
    const auto name = value->get<std::string>();
    std::vector<std::string> names;
    for (const NumberFormat &format : numberFormats) {
        if (name == format.name && format.bytes >= least) {
            target = format.bytes;
            return true;
        }
        names.emplace_back(format.name);
    }
    reader.error(ErrorCode::UnknownName, key, fmt::format("\"{}\" is not a number format", printable(name)),
                 "use " + joinOr(names) + " or bytes a parameter");
    return false;
}

/// null takes a number of bytes away again: then the weights' own counts.
void readOptionalBytes(ObjectReader &reader, const char *key, std::optional<double> &target)
{
    const Json *value = reader.find(key);
    if (value && value->is_null()) {
        target.reset();
        return;
    }
    double bytes = 0;
    if (value && readBytes(reader, key, bytes, 1.0 / 8))
        target = bytes;
}

Json optionalJson(const std::optional<double> &bytes) { return bytes ? Json(*bytes) : Json(nullptr); }

} // namespace

void readPrecisionKeys(ObjectReader &reader, Precision &precision)
{
    reader.text("name", precision.name);
    reader.text("title", precision.title);
    reader.text("source", precision.source);
    readBytes(reader, "weight", precision.weight, 1.0 / 8);
    readOptionalBytes(reader, "weight_other", precision.weightOther);
    readOptionalBytes(reader, "gathered", precision.gathered);
    readBytes(reader, "main_grad", precision.mainGrad, 0);
    readBytes(reader, "master", precision.master, 0);
    // Adam keeps two moments; the file names the format of one.
    double moment = precision.moments / 2;
    if (readBytes(reader, "moment", moment, 0))
        precision.moments = 2 * moment;
    reader.boolean("fp8_compute", precision.fp8Compute);
    reader.boolean("fp8_activations", precision.fp8Activations);
    reader.boolean("deepseek_activations", precision.deepseekActivations);
    reader.boolean("fp16", precision.fp16);
    if (precision.fp8Activations && precision.deepseekActivations)
        reader.error(ErrorCode::OutOfRange, "deepseek_activations", "activations are kept in one form, not in two",
                     "set fp8_activations or deepseek_activations to false");
}

Json precisionJson(const Precision &precision)
{
    Json out = Json::object();
    out["name"] = precision.name;
    out["title"] = precision.title;
    out["source"] = precision.source;
    out["weight"] = precision.weight;
    out["weight_other"] = optionalJson(precision.weightOther);
    out["gathered"] = optionalJson(precision.gathered);
    out["main_grad"] = precision.mainGrad;
    out["master"] = precision.master;
    out["moment"] = precision.moments / 2;
    out["fp8_compute"] = precision.fp8Compute;
    out["fp8_activations"] = precision.fp8Activations;
    out["deepseek_activations"] = precision.deepseekActivations;
    out["fp16"] = precision.fp16;
    return out;
}

} // namespace pipeloom
