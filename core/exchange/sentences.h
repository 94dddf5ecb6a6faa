// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/quantity.h"
#include "core/scenario/evaluation.h"

#include <span>
#include <string>

namespace pipeloom
{

/// "DeepSeek-V3 on 1,024 x H800 80 GB: DualPipe, PP 8, TP 1, EP 64, DP 128, 20 microbatches of 1 x 4,096 tokens."
[[nodiscard]] std::string planSentence(const Evaluation &evaluation);

/// "Does not fit: rank 0 needs 92.2 GiB, 17.1 GiB over the usable 75.1 GiB. ..."; of an invalid plan its first error.
[[nodiscard]] std::string verdictSentence(const Evaluation &evaluation);

/// Step, tokens/s/GPU and its band, MFU with its division. Precondition: evaluation.valid.
[[nodiscard]] std::string speedSentence(const Evaluation &evaluation);

/// What the tags mean.
[[nodiscard]] std::string tagLegend();

[[nodiscard]] const char *severityWord(Severity severity);

/// "--set plan.pp=8 --set plan.schedule=1f1b", quoted for a shell where it needs to be.
[[nodiscard]] std::string setOptions(std::span<const Setting> settings);

/// "Use 1F1B instead (--set plan.schedule=1f1b)"
[[nodiscard]] std::string repair(const Fix &fix);

/// All digits for a spreadsheet; empty when the plan does not have the number. Bytes and counts are whole.
[[nodiscard]] std::string plainNumber(const Quantity &quantity);

} // namespace pipeloom
