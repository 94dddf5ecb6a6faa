// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariofile.h"

#include "core/base/jsonreader.h"
#include "core/scenario/embedded.h"

#include <algorithm>
#include <string>
#include <vector>

namespace pipeloom
{

namespace
{

std::vector<Sample> load()
{
    constexpr std::string_view suffix = ".loom.json";
    std::vector<Sample> out;
    for (const samplefiles::File &file : samplefiles::files()) {
        Sample sample;
        sample.name = file.name.substr(0, file.name.size() - suffix.size());
        sample.text = file.text;
        sample.title = sample.name;
        if (const auto document = parseJson(file.text, sample.name);
            document && document->is_object() && document->contains("name"))
            sample.title = document->value("name", sample.name);
        out.push_back(std::move(sample));
    }
    // Their numbers put them in order: 01-, 02-, ...
    std::ranges::sort(out, {}, &Sample::name);
    return out;
}

} // namespace

const std::vector<Sample> &samples()
{
    static const std::vector<Sample> all = load();
    return all;
}

} // namespace pipeloom
