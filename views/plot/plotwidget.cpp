// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/plotwidget.h"

#include "views/plot/paint.h"

#include <cmath>

namespace pipeloom
{

PlotWidget::PlotWidget(QWidget *parent)
    : QCustomPlot(parent)
    , m_theme(lightTheme())
{
    setNotAntialiasedElements(QCP::aeAll);
    setInteractions(QCP::iNone);
    setNoAntialiasingOnDrag(false);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    // Two paint buffers at most: each costs a blit of the whole plot per frame.
    if (QCPLayer *overlay = layer(QStringLiteral("overlay")))
        overlay->setMode(QCPLayer::lmBuffered);
}

void PlotWidget::setTheme(const Theme &theme)
{
    m_theme = theme;
    setBackground(QBrush(theme.panel));
}

void PlotWidget::styleAxis(QCPAxis &axis, const Theme &theme)
{
    axis.setBasePen(Qt::NoPen);
    axis.setTickPen(QPen(theme.text3, 0));
    axis.setSubTickPen(QPen(theme.text3, 0));
    axis.setTickLabelColor(theme.text3);
    axis.setLabelColor(theme.text3);
    axis.setTickLabelFont(uiFont(11));
    axis.grid()->setVisible(false);
}

void PlotWidget::paintEvent(QPaintEvent *event)
{
    if (std::abs(devicePixelRatioF() - bufferDevicePixelRatio()) > 1e-6) {
        // The ratio is read once in the constructor; another screen needs new buffers and, for whole pixels, a new layout.
        setBufferDevicePixelRatio(devicePixelRatioF());
        emit ratioChanged();
        replot(rpQueuedRefresh);
    }
    QCustomPlot::paintEvent(event);
    if (m_keyboardFocus) {
        QPainter painter(this);
        drawFrame(painter, QRectF(rect()), 2, m_theme.accent);
    }
    emit painted();
}

void PlotWidget::resizeEvent(QResizeEvent *event)
{
    setViewport(rect());
    emit resized();
    QCustomPlot::resizeEvent(event);
}

void PlotWidget::mousePressEvent(QMouseEvent *event)
{
    m_keyboardFocus = false;
    emit mousePress(event);
    event->accept();
}

void PlotWidget::mouseMoveEvent(QMouseEvent *event)
{
    emit mouseMove(event);
    event->accept();
}

void PlotWidget::mouseReleaseEvent(QMouseEvent *event)
{
    emit mouseRelease(event);
    event->accept();
}

void PlotWidget::mouseDoubleClickEvent(QMouseEvent *event)
{
    emit mouseDoubleClick(event);
    event->accept();
}

void PlotWidget::wheelEvent(QWheelEvent *event)
{
    emit mouseWheel(event);
    event->accept();
}

void PlotWidget::keyPressEvent(QKeyEvent *event)
{
    event->ignore();
    emit keyPressed(event);
    if (!event->isAccepted())
        QCustomPlot::keyPressEvent(event);
}

void PlotWidget::leaveEvent(QEvent *event)
{
    emit pointerLeft();
    QCustomPlot::leaveEvent(event);
}

void PlotWidget::focusInEvent(QFocusEvent *event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason
        || event->reason() == Qt::ShortcutFocusReason;
    update();
    QCustomPlot::focusInEvent(event);
}

void PlotWidget::focusOutEvent(QFocusEvent *event)
{
    m_keyboardFocus = false;
    update();
    QCustomPlot::focusOutEvent(event);
}

} // namespace pipeloom
