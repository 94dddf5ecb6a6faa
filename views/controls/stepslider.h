// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QSlider>

#include <vector>

namespace pipeloom
{

/// A horizontal slider over a list of positions. A press anywhere on the groove takes the handle along; positions that no plan
/// can use are marked on the groove.
class StepSlider : public QSlider
{
    Q_OBJECT
public:
    explicit StepSlider(QWidget *parent = nullptr);

    /// One flag per position; empty = nothing is marked.
    void setInvalidPositions(std::vector<bool> invalid);
    void setTheme(const Theme &theme);
    /// Centre of the handle at a position, in widget coordinates.
    [[nodiscard]] int handleCentre(int position) const;

signals:
    void resetRequested(); ///< double click

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] int positionAt(int x) const;

    std::vector<bool> m_invalid;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
