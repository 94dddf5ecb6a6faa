// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/planpicture.h"
#include "views/theme.h"

#include <QColor>
#include <QString>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pipeloom
{

/// What a card says: a title with its colour, labelled rows, a formula.
struct CardContent
{
    QColor swatch;
    QString title;
    std::vector<std::pair<QString, QString>> rows;
    QString formula; ///< in words and symbols; may be empty
    QString source; ///< where the duration comes from, with its tag; may be empty
    bool operator==(const CardContent &) const = default;

    [[nodiscard]] QString text() const; ///< for the clipboard: one line a row, values with units
};

/// Everything known about one op, from the evaluation alone. Empty when the reference does not hold in this picture.
[[nodiscard]] std::optional<CardContent> opDetails(const PlanPicture &picture, const OpRef &op, const Theme &theme);

/// Why a rank idles at a time: what it waits for, since when, until when. Empty while it runs an op.
[[nodiscard]] std::optional<CardContent> bubbleDetails(const PlanPicture &picture, int rank, Nanoseconds time,
                                                       const Theme &theme);

/// The memory of one rank in one plan.
struct PlanRank
{
    QString letter;
    const RankMemory *memory = nullptr; ///< with a curve
};
/// The stack of a rank at a time, plan by plan: for the card over a bar or a curve. Empty when there is no plan.
[[nodiscard]] std::optional<CardContent> rankDetails(std::span<const PlanRank> plans, int rank, Nanoseconds time,
                                                     const Theme &theme);
[[nodiscard]] std::optional<CardContent> rankDetails(const std::vector<std::shared_ptr<const PlanPicture>> &pictures, int rank,
                                                     Nanoseconds time, const Theme &theme);

} // namespace pipeloom
