// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/leverspanel.h"

#include "views/controls/format.h"
#include "views/controls/textlabel.h"
#include "views/icons.h"
#include "views/plot/numbers.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

namespace
{

enum Column
{
    Lever,
    Note,
    Step,
    Peak,
    Moves,
    Try,
    columnCount,
};

constexpr int rowHeight = 23;

QString stepText(const MemoryLever &lever, double base)
{
    if (!lever.stepModelled) {
        return LeversPanel::tr("not modelled");
    }
    const Delta change = delta(lever.step, base, DeltaStyle::Percent);
    return change.text.isEmpty() ? QStringLiteral("0 %") : change.text;
}

QString movesText(const MemoryLever &lever)
{
    return LeversPanel::tr("rank %1, %2").arg(lever.peakRank).arg(QString::fromLatin1(name(lever.phase)));
}

} // namespace

LeversPanel::LeversPanel(QWidget *parent)
    : QWidget(parent)
    , m_state(new QLabel(this))
    , m_verdictLabel(new TextLabel(this))
    , m_table(new QTableWidget(0, columnCount, this))
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto *title = new QLabel(tr("Levers on the peak"), this);
    title->setFont(uiFont(13, QFont::Bold));
    m_state->setFont(uiFont(11.5));
    m_state->setProperty("tone", QStringLiteral("2"));
    auto *head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 4);
    head->setSpacing(10);
    head->addWidget(title);
    head->addWidget(m_state, 1);
    m_table->setHorizontalHeaderLabels(
        { tr("Change"), tr("How"), tr("step time"), tr("new peak"), tr("peak moves to"), QString() });
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    for (const int column : { Lever, Note, Moves }) {
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    }
    for (const int column : { Step, Peak }) {
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignVCenter | Qt::AlignRight);
    }
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setAccessibleName(tr("Levers on the peak"));
    m_table->setFont(uiFont(12));
    m_table->installEventFilter(this);
    QHeaderView *header = m_table->horizontalHeader();
    header->setFont(uiFont(11.5));
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(Note, QHeaderView::Stretch);
    for (const auto &[column, width] : { std::pair(Lever, 158), { Step, 78 }, { Peak, 66 }, { Moves, 146 }, { Try, 40 } }) {
        header->resizeSection(column, width);
    }
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    m_verdictLabel->setTextFont(uiFont(12));
    m_verdictLabel->setWordWrap(true);
    auto *verdict = new QHBoxLayout;
    verdict->setContentsMargins(14, 0, 12, 5);
    verdict->addWidget(m_verdictLabel);
    column->addLayout(verdict);
    column->addWidget(m_table, 1);
}

void LeversPanel::setLevers(const std::optional<std::vector<MemoryLever>> &levers, double baseStep)
{
    m_baseStep = baseStep;
    m_searching = !levers;
    showVerdict();
    if (!levers) {
        m_state->setText(tr("trying changes"));
        return; // the last ones stay until the new ones are there
    }
    m_levers = *levers;
    m_state->setText(m_levers.empty() ? tr("no single change lowers the peak")
                                      : tr("each the new peak of the whole plan, allocated + buffers"));
    showVerdict();
    fill();
}

void LeversPanel::setVerdict(const QString &sentence, Verdict verdict)
{
    m_sentence = sentence;
    m_verdict = verdict;
    showVerdict();
}

QString LeversPanel::verdictText() const { return m_verdictLabel->text(); }

void LeversPanel::showVerdict()
{
    QString text = m_sentence;
    const auto fitting = std::ranges::find(m_levers, Verdict::Fits, &MemoryLever::verdict);
    if (m_verdict != Verdict::Fits && !m_searching) {
        text += fitting == m_levers.end() ? tr(" No single change fits.")
                                          : tr(" It fits with %1.").arg(QString::fromStdString(fitting->label));
    }
    m_verdictLabel->setText(text);
    m_verdictLabel->setToken(m_verdict == Verdict::Fits        ? &Theme::text2
                                 : m_verdict == Verdict::Tight ? &Theme::warn
                                                               : &Theme::err);
}

void LeversPanel::fill()
{
    m_table->setRowCount(static_cast<int>(m_levers.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const MemoryLever &lever = m_levers[static_cast<std::size_t>(row)];
        const bool fits = lever.verdict == Verdict::Fits;
        const auto put = [&](int column, const QString &text, bool right) {
            auto *item = new QTableWidgetItem(text);
            item->setTextAlignment(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
            item->setToolTip(text);
            m_table->setItem(row, column, item);
            return item;
        };
        QTableWidgetItem *change = put(Lever, QString::fromStdString(lever.label), false);
        change->setToolTip(QString::fromStdString(lever.label + ": " + lever.note));
        change->setIcon(QIcon(statusPixmap(fits                                  ? Icon::Ok
                                               : lever.verdict == Verdict::Tight ? Icon::Warning
                                                                                 : Icon::Error,
                                           m_theme, 14)));
        put(Note, QString::fromStdString(lever.note), false)->setForeground(m_theme.text2);
        put(Step, stepText(lever, m_baseStep), true);
        QTableWidgetItem *peak = put(Peak, gib(lever.peak), true);
        peak->setFont(uiFont(12, QFont::Bold));
        peak->setForeground(fits ? m_theme.ok : m_theme.err);
        put(Moves, movesText(lever), false)->setForeground(m_theme.text2);
        auto *button = new QToolButton(m_table);
        button->setText(tr("try"));
        button->setProperty("kind", QStringLiteral("link"));
        button->setToolTip(tr("Apply %1 to the plan").arg(QString::fromStdString(lever.label)));
        connect(button, &QToolButton::clicked, this, [this, set = lever.set] { emit applied(set); });
        m_table->setCellWidget(row, Try, button);
    }
}

void LeversPanel::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_verdictLabel->setTheme(theme);
    fill();
}

void LeversPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    constexpr int compactWidth = 640; // below it hardly a word of how a lever works can be read
    const bool compact = width() < compactWidth;
    m_table->setColumnHidden(Note, compact);
    m_table->horizontalHeader()->setSectionResizeMode(Lever, compact ? QHeaderView::Stretch : QHeaderView::Fixed);
    m_state->setVisible(!compact);
}

QString LeversPanel::csv() const
{
    QString out = QStringLiteral("lever,verdict,step_s,step_modelled,peak_bytes,peak_rank,peak_phase\n");
    for (const MemoryLever &lever : m_levers) {
        out += QStringLiteral("\"%1\",%2,%3,%4,%5,%6,%7\n")
                   .arg(QString::fromStdString(lever.label), QString::fromLatin1(name(lever.verdict)))
                   .arg(lever.step, 0, 'g', 9)
                   .arg(lever.stepModelled ? 1 : 0)
                   .arg(lever.peak)
                   .arg(lever.peakRank)
                   .arg(QString::fromLatin1(name(lever.phase)));
    }
    return out;
}

bool LeversPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Copy)) {
            QApplication::clipboard()->setText(csv());
            return true;
        }
        const int row = m_table->currentRow();
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && row >= 0) {
            emit applied(m_levers[static_cast<std::size_t>(row)].set);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace pipeloom
