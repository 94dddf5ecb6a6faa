// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

namespace pipeloom
{

/// Pages that ask only for the room of the one that is shown: a hidden workspace must not squeeze the panels beside this one.
class PageStack : public QStackedWidget
{
public:
    explicit PageStack(QWidget *parent)
        : QStackedWidget(parent)
    {
        connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry);
    }

    [[nodiscard]] QSize minimumSizeHint() const override
    {
        return currentWidget() != nullptr ? currentWidget()->minimumSizeHint() : QSize();
    }
};

} // namespace pipeloom
