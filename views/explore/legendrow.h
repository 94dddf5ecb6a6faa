// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/simulated.h"
#include "views/theme.h"

#include <QAbstractButton>

#include <vector>

class QLabel;
class QToolButton;

namespace pipeloom
{

/// What the timelines show: one bit for each class of ops, and the bubbles.
struct LegendState
{
    OpClassMask classes = allOpClasses;
    bool bubbles = true;
    bool operator==(const LegendState &) const = default;
};

/// One entry: swatch and word. Click toggles it, Alt+click shows only it, double click shows all.
class LegendEntry : public QAbstractButton
{
    Q_OBJECT
public:
    LegendEntry(int index, QWidget *parent);

    void setTheme(const Theme &theme);
    void setCompact(bool compact);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

    static constexpr int bubbleIndex = static_cast<int>(opClassCount);
    static constexpr int count = bubbleIndex + 1;
    [[nodiscard]] static QString word(int index, bool compact);
    static void drawSwatch(QPainter &painter, const QRectF &rect, int index, const Theme &theme);

signals:
    void onlyThis();
    void all();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    int m_index;
    bool m_compact = false;
    bool m_keyboardFocus = false;
    bool m_isolated = false; ///< this press was an Alt+click
    Theme m_theme;
};

/// The line above the timelines: what the colours mean, the shared axis, fit.
class LegendRow : public QWidget
{
    Q_OBJECT
public:
    explicit LegendRow(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void setCompact(bool compact);
    /// The classes that the shown plans have: only they are listed.
    void setPresent(OpClassMask present);
    [[nodiscard]] OpClassMask present() const { return m_present; }
    void setLinkVisible(bool visible); ///< with one plan there is nothing to link
    void setLinked(bool linked);
    [[nodiscard]] LegendState state() const { return m_state; }
    void setState(const LegendState &state);

    static constexpr int rowHeight = 30;
    /// The same line for an export.
    static void drawLegend(QPainter &painter, const QRectF &rect, const LegendState &state, OpClassMask present, bool compact,
                           const Theme &theme);

signals:
    void changed(const pipeloom::LegendState &state);
    void linkToggled(bool linked);
    void fitRequested();
    void hint(const QString &text);

private:
    void toggle(int index, bool shown);

    LegendState m_state;
    OpClassMask m_present = allOpClasses;
    std::vector<LegendEntry *> m_entries;
    QLabel *m_title = nullptr;
    QToolButton *m_link = nullptr;
    QToolButton *m_fit = nullptr;
};

} // namespace pipeloom
