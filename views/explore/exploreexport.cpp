// SPDX-License-Identifier: GPL-3.0-or-later
// The view as a picture: PNG, SVG, PDF, clipboard. A second view draws it, so that the one on screen stays as it is.
#include "views/explore/exploreview.h"

#include "views/explore/legendrow.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/plot/exportplot.h"
#include "views/plot/paint.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLayout>
#include <QSplitter>

namespace pipeloom
{

namespace
{

constexpr int gapHeight = 6;

/// Everything below each other, in logical pixels.
void drawPicture(QCPPainter &painter, const ExploreView &view, const QSize &size, const Theme &theme)
{
    TimelinePlot &timelines = view.timelines();
    StacksPanel &stacks = view.stacks();
    const int legend = LegendRow::rowHeight;
    const int timelineHeight = timelines.height();
    const int stacksTop = legend + timelineHeight + gapHeight;
    const int stacksHeight = size.height() - stacksTop;
    painter.setAntialiasing(false);
    painter.fillRect(QRectF(QPointF(0, 0), QSizeF(size)), theme.panel);
    LegendRow::drawLegend(painter, QRectF(0, 0, size.width(), legend), view.legend(), view.legendRow().present(),
                          size.width() < 860, theme);

    painter.save();
    painter.translate(0, legend);
    timelines.toPainter(&painter, size.width(), timelineHeight);
    painter.restore();
    painter.setAntialiasing(false);
    painter.fillRect(QRectF(0, stacksTop - gapHeight, size.width(), gapHeight), theme.bg);

    const bool table = stacks.table().isVisibleTo(&stacks);
    const int tableWidth = table ? stacks.table().width() : 0;
    drawLine(painter, QRectF(12, stacksTop + 4, 140, StacksPanel::headerHeight - 4), Qt::AlignLeft | Qt::AlignVCenter,
             uiFont(14, QFont::Bold), theme.text, QObject::tr("Memory per rank"));
    drawLine(painter, QRectF(136, stacksTop + 4, size.width() - 136.0, StacksPanel::headerHeight - 4),
             Qt::AlignLeft | Qt::AlignVCenter, uiFont(12), theme.text2, stacks.subtitle());
    const QSize plotSize(size.width() - tableWidth, stacksHeight - StacksPanel::headerHeight);
    stacks.layOut(plotSize);
    painter.save();
    painter.translate(0, stacksTop + StacksPanel::headerHeight);
    stacks.plot().toPainter(&painter, plotSize.width(), plotSize.height());
    painter.restore();
    painter.setAntialiasing(false);
    if (table)
        StackTable::drawTable(painter, QRectF(plotSize.width() + 8, stacksTop + 4, tableWidth - 20, stacksHeight - 8),
                              stacks.tableContent(), theme);
}

/// A hidden view with the same content, size and settings in another theme.
std::unique_ptr<ExploreView> twin(const ExploreView &view, ViewState &state, const std::vector<ShownPlan> &plans,
                                  const Theme &theme)
{
    auto other = std::make_unique<ExploreView>(&state);
    other->setAttribute(Qt::WA_DontShowOnScreen);
    other->setTheme(theme);
    other->setPlans(plans);
    other->restoreState(view.saveState());
    other->resize(view.size());
    return other;
}

} // namespace

ExportPicture ExploreView::exportPicture(ViewState &state, const Theme &theme, std::unique_ptr<ExploreView> &other) const
{
    state.setExtent(m_state->extent());
    other = twin(*this, state, m_plans, theme);
    state.setRange(m_state->range());
    state.setPlayhead(m_state->playhead());
    state.setRank(m_state->rank());
    state.setSelection(m_state->selection());
    state.setMeasured(m_state->measured());
    // Layouts settle only in a shown widget.
    other->show();
    other->m_splitter->setSizes(m_splitter->sizes());
    other->layout()->activate();
    QCoreApplication::sendPostedEvents(other.get(), QEvent::LayoutRequest);
    other->m_timelines->updateView();
    other->m_stacks->refresh();
    const QSize size(width(), LegendRow::rowHeight + other->m_timelines->height() + gapHeight + other->m_stacks->height());
    const Theme colours = theme;
    ExploreView *drawn = other.get();
    return { size, [drawn, size, colours](QCPPainter &painter) { drawPicture(painter, *drawn, size, colours); } };
}

bool ExploreView::exportView(const QString &path, const QString &format, double scale, const Theme &theme, QString *errorOut)
{
    ViewState state;
    std::unique_ptr<ExploreView> other;
    const ExportPicture made = exportPicture(state, theme, other);
    return writePicture(made, path, format, scale, errorOut);
}

QImage ExploreView::image(double scale, const Theme &theme)
{
    ViewState state;
    std::unique_ptr<ExploreView> other;
    return paintImage(exportPicture(state, theme, other), scale);
}

} // namespace pipeloom
