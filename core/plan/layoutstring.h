// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"

#include <string_view>
#include <vector>

namespace pipeloom
{

/// What one stage of a layout string lists.
struct LayoutStage
{
    int embeddings = 0; ///< E
    int layers = 0; ///< t
    int mtpModules = 0; ///< m
    int losses = 0; ///< L
    bool anyBeforeEmbedding = false; ///< its E does not come first
    bool anyAfterLoss = false; ///< its L does not come last
    bool layerAfterMtp = false; ///< holds a t although an m came before, here or in an earlier stage
    bool operator==(const LayoutStage &) const = default;
};

/// Reads Megatron's pipeline layout: stages separated by '|', letters E t m L, "(...)*n" and "x*n" repeat, commas and blanks are
/// cosmetic, a stage may be empty. Stage index = chunk x PP + rank. Refuses unknown letters, unbalanced brackets, counts that are
/// missing or above 4,096 and more than 32,767 stages; `where` names the character.
[[nodiscard]] Expected<std::vector<LayoutStage>> parseLayout(std::string_view text);

} // namespace pipeloom
