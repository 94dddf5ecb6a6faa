// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/comparetable.h"

#include "views/plot/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace pipeloom
{

namespace
{

constexpr int headerHeight = 24;
constexpr int rowHeight = 23;
constexpr int noteHeight = 17;
constexpr int margin = 14;

int heightOf(const CompareRow &row) { return row.note.isEmpty() ? rowHeight : rowHeight + noteHeight; }

/// What stands for a figure that a plan does not have.
QString none() { return QStringLiteral("–"); }

/// Fills the values of a row from both results.
struct RowMaker
{
    const Evaluation *a;
    const Evaluation *b;

    template<class Read, class Write>
    [[nodiscard]] CompareRow make(const QString &label, const QString &unit, Read read, Write write, DeltaStyle style, int better,
                                  const char *term) const
    {
        CompareRow row;
        row.label = label;
        row.unit = unit;
        row.a = a != nullptr ? write(read(*a)) : none();
        row.b = b != nullptr ? write(read(*b)) : none();
        if (a != nullptr && b != nullptr) {
            row.difference = delta(read(*a), read(*b), style);
        }
        row.better = better;
        row.term = term;
        row.termB = term;
        return row;
    }
};

double bubblePercent(const Evaluation &e) { return 100 * e.time.bubbleFractionWorst; }

/// The closed form as a share of the makespan; negative when none is right for this plan.
double closedFormPercent(const Evaluation &e)
{
    const std::optional<ClosedForm::Shown> form = e.closedForm.shown();
    return !form || e.timeline.makespan <= 0 ? -1
                                             : 100 * static_cast<double>(form->bubble) / static_cast<double>(e.timeline.makespan);
}

/// "closed form 6.8 and 25.9 %": beside the simulated value, as a warning when they differ by more than half a point.
void addClosedForm(CompareRow &row, const Evaluation *a, const Evaluation *b)
{
    if (a == nullptr && b == nullptr) {
        return;
    }
    QStringList values;
    bool differs = false;
    bool any = false;
    for (const Evaluation *e : { a, b }) {
        if (e == nullptr) {
            continue;
        }
        const double percent = closedFormPercent(*e);
        any = any || percent >= 0;
        values += percent < 0 ? CompareTable::tr("none") : fixedText(percent, 1);
        differs = differs || (percent >= 0 && std::abs(percent - bubblePercent(*e)) > 0.5);
    }
    if (!any) {
        row.note = CompareTable::tr("no closed form for this plan");
        return;
    }
    row.note = CompareTable::tr("closed form %1 %").arg(values.join(CompareTable::tr(" and ")));
    row.note += differs ? CompareTable::tr(", for equal stages") : CompareTable::tr(", as simulated");
    row.noteWarns = differs;
}

QString dtypeOf(const Evaluation &e) { return QString::fromLatin1(e.throughput.mfuPeakDtype).toUpper(); }

void addMfuDivision(CompareRow &row, const Evaluation *a, const Evaluation *b)
{
    const Evaluation *first = a != nullptr ? a : b;
    if (first == nullptr) {
        return;
    }
    QString numerators = fixedText(first->throughput.modelTflopsPerGpu, 0);
    if (a != nullptr && b != nullptr) {
        numerators = CompareTable::tr("%1 and %2").arg(numerators, fixedText(b->throughput.modelTflopsPerGpu, 0));
    }
    row.note = CompareTable::tr("%1 of %2 TFLOP/s %3%4")
                   .arg(numerators, fixedText(first->throughput.mfuPeakTflops, 1), dtypeOf(*first),
                        first->throughput.causal ? CompareTable::tr(", causal") : QString());
}

std::string peakTerm(const Evaluation *e)
{
    return e == nullptr ? std::string() : "memory.rank" + std::to_string(e->memory.peakRank) + ".peak";
}

double peakGib(const Evaluation &e)
{
    return static_cast<double>(e.memory.ranks.at(static_cast<std::size_t>(e.memory.peakRank)).peak) / bytesPerGiB;
}

} // namespace

std::vector<CompareRow> compareRows(const Evaluation *a, const Evaluation *b)
{
    const RowMaker maker{ a, b };
    const auto decimals = [](int count) { return [count](double value) { return fixedText(value, count); }; };
    const auto tr = [](const char *text) { return CompareTable::tr(text); };
    std::vector<CompareRow> rows;
    rows.push_back(maker.make(
        tr("Step time"), QStringLiteral("s"), [](const Evaluation &e) { return e.time.step; }, decimals(2), DeltaStyle::Percent,
        -1, "time.step"));
    rows.push_back(
        maker.make(tr("Bubble"), tr("%, worst rank"), bubblePercent, decimals(1), DeltaStyle::Points, -1, "time.bubble"));
    addClosedForm(rows.back(), a, b);
    rows.push_back(maker.make(
        tr("Imbalance"), tr("%, mean"),
        [](const Evaluation &e) { return e.time.pipeline > 0 ? 100 * e.time.bubbleOfImbalance / e.time.pipeline : 0; },
        decimals(1), DeltaStyle::Points, -1, "time.bubblesplit"));
    rows.push_back(maker.make(
        tr("Exposed comm."), QStringLiteral("s"), [](const Evaluation &e) { return e.time.exposedComm; }, decimals(2),
        DeltaStyle::Percent, -1, "time.exposed"));
    rows.push_back(maker.make(
        tr("Tokens/s/GPU"), QString(), [](const Evaluation &e) { return e.throughput.tokensPerSecondPerGpu; }, decimals(0),
        DeltaStyle::Percent, 1, "throughput.tokens"));
    rows.push_back(maker.make(
        tr("MFU"), QStringLiteral("%"), [](const Evaluation &e) { return 100 * e.throughput.mfu; }, decimals(1),
        DeltaStyle::Points, 1, "throughput.mfu"));
    addMfuDivision(rows.back(), a, b);
    rows.push_back(maker.make(tr("Peak memory"), tr("GiB"), peakGib, decimals(1), DeltaStyle::Percent, -1, ""));
    rows.back().term = peakTerm(a);
    rows.back().termB = peakTerm(b);
    rows.push_back(maker.make(
        tr("GPU-hours"), tr("per 1T"), [](const Evaluation &e) { return e.cost.gpuHoursPerTrillionTokens; }, thousandsText,
        DeltaStyle::Percent, -1, "cost.gpuhours"));
    rows.push_back(maker.make(
        tr("Cost"), tr("$ per 1T"), [](const Evaluation &e) { return e.cost.usdPerTrillionTokens; }, thousandsText,
        DeltaStyle::Thousands, -1, "cost.usd"));
    if (const Evaluation *first = a != nullptr ? a : b) {
        rows.back().note = tr("1T tokens at $%1 per GPU-hour, no restarts").arg(fixedText(first->cost.usdPerGpuHour, 2));
    }
    return rows;
}

CompareTable::CompareTable(QWidget *parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Plan A against plan B"));
}

void CompareTable::setPlans(const std::vector<ShownPlan> &plans)
{
    const Evaluation *a = plans.empty() ? nullptr : plans[0].shown.get();
    const Evaluation *b = plans.size() > 1 ? plans[1].shown.get() : nullptr;
    m_letterB = plans.size() > 1 ? plans[1].letter : QString();
    m_staleA = !plans.empty() && plans[0].stale();
    m_staleB = plans.size() > 1 && plans[1].stale();
    const int before = sizeHint().height();
    m_rows = compareRows(a, b);
    if (m_staleA || m_staleB) {
        // A difference to a plan that is no longer there would mislead, and so would a warning about it.
        for (CompareRow &row : m_rows) {
            row.difference = { none(), 0 };
            row.noteWarns = false;
        }
    }
    if (sizeHint().height() != before) {
        updateGeometry();
    }
    setAccessibleDescription(text());
    update();
}

void CompareTable::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

QString CompareTable::text() const
{
    QString result = m_letterB.isEmpty() ? tr("Quantity\tA\n") : tr("Quantity\tA\tB\tA vs B\n");
    for (const CompareRow &row : m_rows) {
        const QString label = row.unit.isEmpty() ? row.label : QStringLiteral("%1 (%2)").arg(row.label, row.unit);
        result += m_letterB.isEmpty() ? QStringLiteral("%1\t%2\n").arg(label, row.a)
                                      : QStringLiteral("%1\t%2\t%3\t%4\n").arg(label, row.a, row.b, row.difference.text);
    }
    return result;
}

QSize CompareTable::sizeHint() const
{
    int total = headerHeight;
    for (const CompareRow &row : m_rows) {
        total += heightOf(row);
    }
    return { 260, total + 2 };
}

QRect CompareTable::rowRect(int row) const
{
    int top = headerHeight;
    for (int i = 0; i < row; ++i) {
        top += heightOf(m_rows[static_cast<std::size_t>(i)]);
    }
    return { 0, top, width(), heightOf(m_rows[static_cast<std::size_t>(row)]) };
}

int CompareTable::rightOf(int column) const
{
    const int last = width() - 11;
    if (m_letterB.isEmpty()) {
        return last;
    }
    return column == 2 ? last : column == 1 ? last - 55 : last - 108;
}

void CompareTable::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawPlanBadge(painter, QRectF(rightOf(0) - 17, 3, 18, 18), QStringLiteral("A"), m_theme);
    if (!m_letterB.isEmpty()) {
        drawPlanBadge(painter, QRectF(rightOf(1) - 17, 3, 18, 18), m_letterB, m_theme);
        painter.setFont(uiFont(11));
        painter.setPen(m_theme.text2);
        painter.drawText(QRect(rightOf(2) - 60, 0, 60, headerHeight), Qt::AlignRight | Qt::AlignVCenter,
                         tr("A vs %1").arg(m_letterB));
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QRect box = rowRect(static_cast<int>(i));
        if (static_cast<int>(i) == m_hovered) {
            painter.fillRect(box.adjusted(4, 0, -2, 0), m_theme.accentBg);
        }
        paintRow(painter, m_rows[i], box);
        painter.fillRect(margin, box.bottom(), width() - margin - 11, 1, m_theme.grid);
    }
    if (hasFocus()) {
        painter.setPen(m_theme.accent);
        painter.drawRect(rect().adjusted(4, 0, -3, -1));
    }
}

void CompareTable::paintRow(QPainter &painter, const CompareRow &row, const QRect &box) const
{
    const QRect line(box.left(), box.top(), box.width(), rowHeight);
    const auto cell = [&](int column, const QString &text, const QColor &colour, QFont::Weight weight) {
        painter.setFont(uiFont(12.5, weight));
        painter.setPen(colour);
        painter.drawText(QRect(rightOf(column) - 70, line.top(), 70, line.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(uiFont(12));
    painter.setPen(m_theme.text);
    painter.drawText(line.adjusted(margin, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, row.label);
    const int labelWidth = painter.fontMetrics().horizontalAdvance(row.label);
    painter.setFont(uiFont(10.5));
    painter.setPen(m_theme.text3);
    painter.drawText(line.adjusted(margin + labelWidth + 5, 1, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, row.unit);
    cell(0, row.a, m_staleA ? m_theme.text3 : m_theme.text, QFont::Medium);
    if (!m_letterB.isEmpty()) {
        cell(1, row.b, m_staleB ? m_theme.text3 : m_theme.text, QFont::Medium);
        const QColor tone = row.difference.tone == 0 ? m_theme.text2
            : row.difference.tone == row.better      ? m_theme.ok
                                                     : m_theme.err;
        cell(2, row.difference.text, m_staleA || m_staleB ? m_theme.text3 : tone, QFont::Medium);
    }
    if (!row.note.isEmpty()) {
        painter.setFont(uiFont(10.5));
        painter.setPen(row.noteWarns ? m_theme.warn : m_theme.text3);
        painter.drawText(QRect(margin + 8, line.bottom() - 2, width() - margin - 8, noteHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         row.note);
    }
}

void CompareTable::setHovered(int row)
{
    if (row != m_hovered) {
        m_hovered = row;
        update();
        emit rowHovered(row);
    }
}

void CompareTable::mouseMoveEvent(QMouseEvent *event)
{
    int found = -1;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (rowRect(static_cast<int>(i)).contains(event->position().toPoint())) {
            found = static_cast<int>(i);
        }
    }
    setHovered(found);
}

void CompareTable::leaveEvent(QEvent *) { setHovered(-1); }

void CompareTable::focusOutEvent(QFocusEvent *event)
{
    setHovered(-1);
    update();
    QWidget::focusOutEvent(event);
}

void CompareTable::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_rows.size()) - 1;
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(text());
    } else if (event->key() == Qt::Key_Down) {
        setHovered(std::min(last, m_hovered + 1));
    } else if (event->key() == Qt::Key_Up) {
        setHovered(std::max(0, m_hovered - 1));
    } else if (event->key() == Qt::Key_Escape) {
        setHovered(-1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace pipeloom
