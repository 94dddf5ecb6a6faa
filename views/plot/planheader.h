// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/planpicture.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <memory>

namespace pipeloom
{

/// The line above a plan's lanes: badge, schedule, how it runs, and its three numbers. Part of the plot, so that exports have it.
class PlanHeader : public QCPLayoutElement
{
    Q_OBJECT
public:
    explicit PlanHeader(QCustomPlot *plot);

    void setPicture(std::shared_ptr<const PlanPicture> picture) { m_picture = std::move(picture); }
    void setTheme(const Theme &theme) { m_theme = theme; }
    void setLineAbove(bool line) { m_lineAbove = line; } ///< separates the second plan from the first
    void setMargins(double right) { m_right = right; } ///< x distance of the data's right edge from the element's
    /// A newer result is awaited for this long; -1 = it is not.
    void setUpdating(qint64 milliseconds) { m_updating = milliseconds; }

    /// What the last drawing left between the words and the numbers; empty when nothing.
    [[nodiscard]] QRectF freeArea() const { return m_free; }

    static constexpr int height = 26;
    static constexpr qint64 showsLineAfter = 150; ///< ms
    static constexpr qint64 showsAgeAfter = 1000; ///< ms

protected:
    void draw(QCPPainter *painter) override;
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    [[nodiscard]] QRect clipRect() const override;

private:
    double drawNumbers(QCPPainter &painter, const QRectF &area) const;

    std::shared_ptr<const PlanPicture> m_picture;
    Theme m_theme;
    bool m_lineAbove = false;
    double m_right = 42;
    qint64 m_updating = -1;
    QRectF m_free;
};

} // namespace pipeloom
