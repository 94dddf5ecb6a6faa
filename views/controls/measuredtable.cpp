// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/measuredtable.h"

#include "views/controls/format.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace pipeloom
{

namespace
{

constexpr int headerHeight = 22;
constexpr int rowHeight = 19;
constexpr int margin = 14;
constexpr int oursFromRight = 98;
constexpr int measuredFromRight = 44;

} // namespace

MeasuredTable::MeasuredTable(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Prediction beside the measured run"));
    hide();
}

void MeasuredTable::setRows(const std::vector<MeasuredRow> &rows, const QString &source)
{
    const bool resized = rows.size() != m_rows.size();
    m_rows = rows;
    m_source = source;
    QString spoken = source;
    for (const MeasuredRow &row : rows) {
        spoken += QStringLiteral("; %1 %2 s").arg(QString::fromStdString(row.quantity), fixedText(row.ours, 3));
    }
    setAccessibleDescription(spoken);
    setVisible(!rows.empty());
    if (resized) {
        updateGeometry();
    }
    update();
}

void MeasuredTable::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

QSize MeasuredTable::sizeHint() const { return { 260, headerHeight + static_cast<int>(m_rows.size()) * rowHeight + 6 }; }

bool MeasuredTable::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int row = (help->pos().y() - headerHeight) / rowHeight;
        const bool known = help->pos().y() >= headerHeight && row < static_cast<int>(m_rows.size());
        QToolTip::showText(help->globalPos(),
                           known ? QString::fromStdString(m_rows[static_cast<std::size_t>(row)].note) : m_source, this);
        return true;
    }
    return QWidget::event(event);
}

void MeasuredTable::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const int right = width() - 11;
    const auto cell = [&](int x, int top, const QString &text, const QColor &colour, const QFont &font) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QRect(x - 80, top, 80, rowHeight), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(uiFont(12, QFont::Bold));
    painter.setPen(m_theme.text2);
    painter.drawText(QRect(margin, 0, 150, headerHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("Against the run"));
    const QFont small = uiFont(11);
    cell(right - oursFromRight, 2, tr("ours s"), m_theme.text3, small);
    cell(right - measuredFromRight, 2, tr("measured"), m_theme.text3, small);
    cell(right, 2, tr("diff."), m_theme.text3, small);
    int top = headerHeight;
    for (const MeasuredRow &row : m_rows) {
        const QFont number = uiFont(11.5, QFont::Medium);
        const QString ours = fixedText(row.ours, 2);
        const int room = right - oursFromRight - QFontMetrics(number).horizontalAdvance(ours) - 6 - margin;
        painter.setFont(uiFont(11));
        painter.setPen(m_theme.text);
        painter.drawText(QRect(margin, top, room, rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(QString::fromStdString(row.quantity), Qt::ElideRight, room));
        cell(right - oursFromRight, top, ours, m_theme.text, number);
        if (row.measured > 0) {
            cell(right - measuredFromRight, top, fixedText(row.measured, 2), m_theme.text, number);
            cell(right, top, delta(row.ours, row.measured, DeltaStyle::Percent).text, m_theme.text2, number);
        } else {
            cell(right - measuredFromRight, top, QStringLiteral("–"), m_theme.text3, number);
        }
        top += rowHeight;
    }
}

} // namespace pipeloom
