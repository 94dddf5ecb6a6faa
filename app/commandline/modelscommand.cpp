// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/exchange/modelreport.h"
#include "core/model/configimport.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace pipeloom
{

namespace
{

constexpr std::array formats{ Format::Text, Format::Json };
constexpr std::int64_t longestSequence = 100'000'000;

/// A preset's name, else a path: a bare word that is neither gets the names.
Expected<DescribedModel> describe(const std::string &model)
{
    const std::vector<std::string> names = modelPresetNames();
    if (std::ranges::find(names, model) != names.end()) {
        Expected<ModelSpec> preset = modelPreset(model);
        if (!preset)
            return preset.errors();
        return DescribedModel{ *std::move(preset), {}, {} };
    }
    std::error_code ignored;
    const bool pathLike = model.find('/') != std::string::npos || model.ends_with(".json");
    if (!pathLike && !std::filesystem::exists(std::filesystem::path(model), ignored)) {
        return Error{ ErrorCode::UnknownName,
                      fmt::format("there is no model \"{}\"", printable(model)),
                      {},
                      "models",
                      knownNames(model, names) + "; or the path of a config.json" };
    }
    const Expected<std::string> text = readTextFile(model);
    if (!text)
        return text.errors();
    Expected<ImportedModel> imported = importConfig(*text, model);
    if (!imported)
        return imported.errors();
    return DescribedModel{ std::move(imported->model), std::move(imported->understood), std::move(imported->ignored) };
}

ExitCode listModels(Format format, int seq)
{
    std::vector<ModelSpec> models;
    for (const std::string &name : modelPresetNames()) {
        Expected<ModelSpec> model = modelPreset(name);
        if (!model)
            return report(model.errors());
        models.push_back(*std::move(model));
    }
    return printResult(format == Format::Json ? modelListJson(models, seq) : modelListText(models, seq));
}

} // namespace

ExitCode runModels(const ModelsOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, formats);
    if (!format)
        return reportUsage(format.errors());
    const Expected<std::int64_t> seq = parseWhole("--seq", options.seq, 1, longestSequence);
    if (!seq)
        return reportUsage(seq.errors());
    const int tokens = static_cast<int>(*seq);
    if (!options.model)
        return listModels(*format, tokens);
    if (options.model->empty()) {
        return reportUsage({ Error{ ErrorCode::OutOfRange,
                                    "an empty text is no name",
                                    {},
                                    "MODEL",
                                    "name a preset or a config.json; without MODEL all presets are listed" } });
    }
    const Expected<DescribedModel> model = describe(*options.model);
    if (!model)
        return report(model.errors());
    return printResult(*format == Format::Json ? modelJson(*model, tokens) : modelText(*model, tokens));
}

} // namespace pipeloom
