// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/measured.h"
#include "views/theme.h"

#include <QWidget>

#include <vector>

namespace pipeloom
{

/// The prediction of a published run beside what was measured, part by part.
class MeasuredTable : public QWidget
{
public:
    explicit MeasuredTable(QWidget *parent = nullptr);
    void setRows(const std::vector<MeasuredRow> &rows, const QString &source); ///< hidden when empty
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;
    [[nodiscard]] QSize sizeHint() const override;

private:
    std::vector<MeasuredRow> m_rows;
    QString m_source;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
