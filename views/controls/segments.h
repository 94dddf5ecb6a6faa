// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace pipeloom
{

/// A row of joined buttons of which one is on.
class Segments : public QWidget
{
    Q_OBJECT
public:
    explicit Segments(const QStringList &labels, QWidget *parent = nullptr);
    [[nodiscard]] int current() const;
    void setCurrent(int index);

signals:
    void chosen(int index);

private:
    QButtonGroup *m_group;
};

} // namespace pipeloom
