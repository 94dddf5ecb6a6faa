// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <qcustomplot.h>

namespace pipeloom
{

/// A QCustomPlot whose input goes to signals only (QCustomPlot itself would hit-test every layerable and replot on each event),
/// that follows the device pixel ratio of its screen, knows the theme, and says when a picture has reached the window.
class PlotWidget : public QCustomPlot
{
    Q_OBJECT
public:
    explicit PlotWidget(QWidget *parent = nullptr);

    virtual void setTheme(const Theme &theme);
    [[nodiscard]] const Theme &theme() const { return m_theme; }
    /// Colours of an axis; QCustomPlot knows no palette.
    static void styleAxis(QCPAxis &axis, const Theme &theme);

signals:
    void painted();
    void keyPressed(QKeyEvent *event); ///< accept() it when used
    void pointerLeft();
    void resized();
    void ratioChanged(); ///< another screen: the picture is made again

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    Theme m_theme;
    bool m_keyboardFocus = false; ///< focus came by keyboard: show the frame
};

} // namespace pipeloom
