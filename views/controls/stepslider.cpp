// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/stepslider.h"

#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionSlider>

namespace pipeloom
{

namespace
{
constexpr int handleWidth = 13;
}

StepSlider::StepSlider(QWidget *parent)
    : QSlider(Qt::Horizontal, parent)
{
    setSingleStep(1);
    setPageStep(4);
    setFocusPolicy(Qt::StrongFocus);
}

void StepSlider::setInvalidPositions(std::vector<bool> invalid)
{
    if (invalid != m_invalid) {
        m_invalid = std::move(invalid);
        update();
    }
}

void StepSlider::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

int StepSlider::handleCentre(int position) const
{
    return QStyle::sliderPositionFromValue(minimum(), maximum(), position, width() - handleWidth) + handleWidth / 2;
}

int StepSlider::positionAt(int x) const
{
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - handleWidth / 2, width() - handleWidth);
}

void StepSlider::mousePressEvent(QMouseEvent *event)
{
    const int x = qRound(event->position().x());
    if (event->button() == Qt::LeftButton && qAbs(x - handleCentre(sliderPosition())) > handleWidth / 2 + 1) {
        // The style would page towards the press; here the handle jumps and follows.
        setSliderDown(true);
        setSliderPosition(positionAt(x));
        QMouseEvent onHandle(event->type(), QPointF(handleCentre(sliderPosition()), height() / 2.0), event->globalPosition(),
                             event->button(), event->buttons(), event->modifiers());
        QSlider::mousePressEvent(&onHandle);
        return;
    }
    QSlider::mousePressEvent(event);
}

void StepSlider::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
    emit resetRequested();
}

void StepSlider::wheelEvent(QWheelEvent *event)
{
    // A panel that scrolls under the wheel must not change values on the way.
    if (hasFocus()) {
        QSlider::wheelEvent(event);
    } else {
        event->ignore();
    }
}

void StepSlider::paintEvent(QPaintEvent *event)
{
    QSlider::paintEvent(event);
    if (m_invalid.empty() || !isEnabled()) {
        return;
    }
    QPainter painter(this);
    const int middle = height() / 2;
    const int handle = handleCentre(sliderPosition());
    for (std::size_t i = 0; i < m_invalid.size(); ++i) {
        const int x = handleCentre(static_cast<int>(i));
        if (m_invalid[i] && qAbs(x - handle) > handleWidth / 2 + 1) {
            painter.fillRect(x - 1, middle - 1, 2, 3, m_theme.panel); // a gap in the groove
        }
    }
}

} // namespace pipeloom
