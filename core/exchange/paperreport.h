// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/reference/papercorrections.h"

#include <string>

namespace pipeloom
{

/// {"paper":{"layers","dp","edp","parameters","zero","tensors","activations"},"corrections":[{"id","what","unit","paper",
/// "corrected","cause","source","tag"}],"stages":[{"rank","stages","states","in_flight","activations","transient",
/// "peak_allocated"}]}. Bytes are integers where they are ours; the paper's shards need not be whole.
[[nodiscard]] std::string paperJson(const PaperComparison &comparison);
[[nodiscard]] std::string paperText(const PaperComparison &comparison);
[[nodiscard]] std::string paperMarkdown(const PaperComparison &comparison);
[[nodiscard]] std::string paperHtml(const PaperComparison &comparison);
/// The corrections, one a line.
[[nodiscard]] std::string paperCsv(const PaperComparison &comparison);

} // namespace pipeloom
