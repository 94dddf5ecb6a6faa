// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/stacktable.h"
#include "views/plot/plotwidget.h"
#include "views/plot/stackbars.h"

#include <memory>
#include <vector>

class QButtonGroup;
class QLabel;

namespace pipeloom
{

class TextLabel;

/// Memory per rank at the playhead: header with the choice of plans, the stacks, the table of the selected rank.
class StacksPanel : public QWidget
{
    Q_OBJECT
public:
    explicit StacksPanel(ViewState *state, QWidget *parent = nullptr);

    using Pictures = std::vector<std::shared_ptr<const PlanPicture>>;
    void setPictures(const Pictures &pictures);
    void setTheme(const Theme &theme);
    void setTableVisible(bool visible);
    [[nodiscard]] StackMode mode() const { return m_bars->mode(); }
    void setMode(StackMode mode);
    [[nodiscard]] bool offers(StackMode mode) const; ///< its plans are shown

    /// Takes over playhead and rank; replots the stacks.
    void refresh();
    /// Lays the stacks out for `size` without a replot: for exports.
    void layOut(const QSize &size);

    [[nodiscard]] PlotWidget &plot() const { return *m_plot; }
    [[nodiscard]] StackTable &table() const { return *m_table; }
    [[nodiscard]] StackBarPlottable &bars() const { return *m_bars; }
    [[nodiscard]] QString subtitle() const; ///< the time, and which plan the grey bars belong to
    [[nodiscard]] StackTable::Content tableContent() const;

    static constexpr int headerHeight = 30;

signals:
    void rankHovered(int rank); ///< -1 = none
    void hint(const QString &text);

private:
    [[nodiscard]] QString lastValid() const;

    ViewState *m_state;
    Theme m_theme;
    Pictures m_pictures;
    bool m_tableWanted = true;
    PlotWidget *m_plot = nullptr;
    StackBarPlottable *m_bars = nullptr;
    StackTable *m_table = nullptr;
    QLabel *m_title = nullptr;
    TextLabel *m_subtitle = nullptr;
    QButtonGroup *m_modes = nullptr;
};

} // namespace pipeloom
