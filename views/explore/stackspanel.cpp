// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/stackspanel.h"

#include "views/controls/textlabel.h"
#include "views/explore/opdetails.h"
#include "views/mostplans.h"
#include "views/plot/numbers.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace pipeloom
{

StacksPanel::StacksPanel(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_theme(lightTheme())
{
    setObjectName(QStringLiteral("stacks"));
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto *columns = new QHBoxLayout(this);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(0);
    auto *left = new QVBoxLayout;
    left->setSpacing(0);
    columns->addLayout(left, 1);

    auto *header = new QHBoxLayout;
    header->setContentsMargins(12, 4, 27, 0);
    header->setSpacing(0);
    m_title = new QLabel(tr("Memory per rank"), this);
    m_title->setFont(uiFont(14, QFont::Bold));
    m_title->setFixedHeight(headerHeight - 4);
    m_subtitle = new TextLabel(this);
    m_subtitle->setToken(&Theme::text2);
    m_subtitle->setElided(true);
    header->addWidget(m_title);
    header->addSpacing(16);
    header->addWidget(m_subtitle, 1);
    m_modes = new QButtonGroup(this);
    // All, each plan, and the difference of the first two.
    static_assert(mostPlans == 4);
    for (const StackMode mode :
         { StackMode::Both, StackMode::First, StackMode::Second, StackMode::Third, StackMode::Fourth, StackMode::Difference }) {
        auto *segment = new QToolButton(this);
        segment->setCheckable(true);
        segment->setChecked(mode == StackMode::Both);
        segment->setProperty("kind", QStringLiteral("segment"));
        segment->setProperty("place",
                             mode == StackMode::Both             ? QStringLiteral("first")
                                 : mode == StackMode::Difference ? QStringLiteral("last")
                                                                 : QStringLiteral("middle"));
        segment->setFocusPolicy(Qt::TabFocus);
        m_modes->addButton(segment, static_cast<int>(mode));
        header->addWidget(segment);
    }
    left->addLayout(header);

    m_plot = new PlotWidget(this);
    m_plot->setObjectName(QStringLiteral("stackPlot"));
    m_plot->setAccessibleName(tr("Memory per rank"));
    m_plot->setMinimumHeight(60);
    m_plot->plotLayout()->setMargins(QMargins());
    QCPAxisRect *rect = m_plot->axisRect();
    rect->setAutoMargins(QCP::msNone);
    rect->setMargins(QMargins(static_cast<int>(StackBarPlottable::leftMargin), static_cast<int>(StackBarPlottable::topMargin),
                              static_cast<int>(StackBarPlottable::rightMargin),
                              static_cast<int>(StackBarPlottable::labelHeight)));
    for (QCPAxis *axis : rect->axes()) {
        axis->setVisible(false);
        axis->grid()->setVisible(false);
    }
    m_bars = new StackBarPlottable(m_plot->xAxis, m_plot->yAxis);
    left->addWidget(m_plot, 1);
    m_table = new StackTable(this);
    columns->addWidget(m_table);

    connect(m_modes, &QButtonGroup::idClicked, this, [this](int mode) { setMode(static_cast<StackMode>(mode)); });
    connect(m_plot, &PlotWidget::resized, this, [this] { layOut(m_plot->size()); });
    connect(m_plot, &QCustomPlot::mousePress, this, [this](QMouseEvent *event) {
        const int rank = m_bars->rankAt(event->position());
        if (rank >= 0 && event->button() == Qt::LeftButton)
            m_state->setRank(rank);
    });
    connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        const int rank = m_bars->rankAt(event->position());
        emit rankHovered(rank);
        if (rank >= 0)
            emit hint(tr("Click selects rank %1; the strip, the table and the lane follow").arg(rank));
    });
    connect(m_plot, &PlotWidget::pointerLeft, this, [this] { emit rankHovered(-1); });
    setTheme(m_theme);
}

void StacksPanel::setPictures(const Pictures &pictures)
{
    m_pictures = pictures;
    m_bars->setPictures(pictures);
    if (!offers(mode()))
        setMode(StackMode::Both);
    const auto letter = [&](std::size_t plan) { return plan < pictures.size() ? pictures[plan]->letter : QString(); };
    const std::array<QString, stackModeCount> words{ pictures.size() > 2 ? tr("All") : tr("%1 and %2").arg(letter(0), letter(1)),
                                                     letter(0),
                                                     letter(1),
                                                     tr("%1 − %2").arg(letter(0), letter(1)),
                                                     letter(2),
                                                     letter(3) };
    for (int i = 0; i < stackModeCount; ++i) {
        QAbstractButton *segment = m_modes->button(i);
        const bool offered = pictures.size() > 1 && offers(static_cast<StackMode>(i));
        segment->setText(offered ? words[static_cast<std::size_t>(i)] : QString());
        segment->setAccessibleName(pictures.size() > 2 && i == 0 ? tr("Stacks of every plan")
                                                                 : tr("Stacks of %1").arg(segment->text()));
        segment->setVisible(offered && anyEvaluation(pictures));
    }
    m_table->setVisible(m_tableWanted && anyEvaluation(pictures));
    QStringList peaks;
    for (const auto &picture : pictures) {
        if (picture->evaluation && !picture->evaluation->memory.ranks.empty()) {
            const MemoryResult &memory = picture->evaluation->memory;
            peaks.append(tr("Plan %1 peaks at %2 on rank %3, usable %4.")
                             .arg(picture->letter, gibWithUnit(memory.ranks[static_cast<std::size_t>(memory.peakRank)].peak))
                             .arg(memory.peakRank)
                             .arg(gibWithUnit(memory.usable)));
        }
    }
    m_plot->setAccessibleDescription(peaks.join(QLatin1Char(' ')));
}

void StacksPanel::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_plot->setTheme(theme);
    m_bars->setTheme(theme);
    m_table->setTheme(theme);
    m_subtitle->setTheme(theme);
}

void StacksPanel::setTableVisible(bool visible)
{
    m_tableWanted = visible;
    m_table->setVisible(visible && anyEvaluation(m_pictures));
}

bool StacksPanel::offers(StackMode mode) const
{
    switch (mode) {
    case StackMode::Both:
    case StackMode::First:
        return true;
    case StackMode::Second:
    case StackMode::Difference:
        return m_pictures.size() > 1;
    case StackMode::Third:
        return m_pictures.size() > 2;
    case StackMode::Fourth:
        break;
    }
    return m_pictures.size() > 3;
}

void StacksPanel::setMode(StackMode mode)
{
    m_bars->setMode(mode);
    m_modes->button(static_cast<int>(mode))->setChecked(true);
    m_plot->replot(QCustomPlot::rpQueuedRefresh);
}

QString StacksPanel::subtitle() const
{
    if (!m_bars->emptySentence().isEmpty())
        return {};
    const TimeUnit unit = TimeUnit::forView(m_state->extent(), 1e9);
    QString text = tr("at %1, hottest EP rank").arg(unit.text(static_cast<double>(m_state->playhead())));
    return text + lastValid();
}

/// "; A and B: last valid plan, PP 8, EP 64, M 20": grey bars say which plan they belong to.
QString StacksPanel::lastValid() const
{
    QString text;
    if (m_pictures.size() == 2 && m_pictures[0]->lastValid == m_pictures[1]->lastValid)
        return m_pictures[0]->lastValid.isEmpty()
            ? QString()
            : tr("; %1 and %2: %3").arg(m_pictures[0]->letter, m_pictures[1]->letter, m_pictures[0]->lastValid);
    for (const auto &picture : m_pictures) {
        if (!picture->lastValid.isEmpty())
            text += tr("; %1: %2").arg(picture->letter, picture->lastValid);
    }
    return text;
}

StackTable::Content StacksPanel::tableContent() const { return { m_pictures, m_state->rank(), m_state->playhead() }; }

void StacksPanel::layOut(const QSize &size)
{
    m_bars->setArea(QRectF(StackBarPlottable::leftMargin, StackBarPlottable::topMargin,
                           std::max(20.0, size.width() - StackBarPlottable::leftMargin - StackBarPlottable::rightMargin),
                           std::max(20.0, size.height() - StackBarPlottable::topMargin - StackBarPlottable::labelHeight)));
}

void StacksPanel::refresh()
{
    layOut(m_plot->size());
    m_bars->setTime(m_state->playhead());
    m_bars->setSelectedRank(m_state->rank());
    m_plot->xAxis->setRange(0, std::max(1, m_bars->ranks()));
    m_plot->yAxis->setRange(m_bars->lowest(), m_bars->highest());
    const QString text = subtitle();
    m_subtitle->setText(text);
    if (m_table->isVisibleTo(this)) {
        m_table->setContent(tableContent());
        const auto details = rankDetails(m_pictures, m_state->rank(), m_state->playhead(), m_theme);
        m_table->setAccessibleDescription(details ? details->text() : QString());
    }
    m_plot->replot(QCustomPlot::rpQueuedRefresh);
}

} // namespace pipeloom
