// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/verdictpanel.h"

#include "core/cost/measured.h"
#include "views/controls/comparetable.h"
#include "views/controls/format.h"
#include "views/controls/formulacard.h"
#include "views/controls/measuredtable.h"
#include "views/controls/otherplans.h"
#include "views/controls/panelsection.h"
#include "views/controls/stepbars.h"
#include "views/controls/termsdialog.h"
#include "views/controls/textlabel.h"
#include "views/planshape.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// One scale for every gauge: a quarter beyond the limit, or as far as the highest peak needs.
ByteCount gaugeScale(const std::vector<ShownPlan> &plans)
{
    ByteCount scale = 1;
    for (const ShownPlan &plan : plans) {
        if (plan.shown && !plan.shown->memory.ranks.empty()) {
            const MemoryResult &memory = plan.shown->memory;
            scale = std::max({ scale, memory.capacity + memory.capacity / 4,
                               memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak * 103 / 100 });
        }
    }
    return scale;
}

QPushButton *makeLink(const QString &text, QWidget *parent)
{
    auto *link = new QPushButton(text, parent);
    link->setProperty("kind", QStringLiteral("link"));
    link->setFont(uiFont(11.5, QFont::Medium));
    link->setCursor(Qt::PointingHandCursor);
    return link;
}

QString timingText(const Evaluation &evaluation)
{
    switch (evaluation.scenario.timing.source) {
    case TimingSource::Calibrated:
        return VerdictPanel::tr("durations calibrated on %1").arg(QString::fromStdString(evaluation.scenario.timing.profileName));
    case TimingSource::Manual:
        return VerdictPanel::tr("durations as typed");
    case TimingSource::Model:
        break;
    }
    return VerdictPanel::tr("durations modelled");
}

} // namespace

VerdictPanel::VerdictPanel(QWidget *parent)
    : QWidget(parent)
    , m_table(new CompareTable(this))
    , m_bars(new StepBars(this))
    , m_measured(new MeasuredTable(this))
    , m_others(new OtherPlans(this))
    , m_formula(new FormulaCard(this))
    , m_hoverTimer(new QTimer(this))
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(makeHairline(this));
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto *content = new QWidget(scroll);
    content->setProperty("scrolled", true);
    auto *rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        m_cards.at(i) = new VerdictCard(content);
        m_cardLines.at(i) = makeHairline(content);
        rows->addWidget(m_cards.at(i));
        rows->addWidget(m_cardLines.at(i));
        connect(m_cards.at(i), &VerdictCard::fixRequested, this,
                [this, i](const Fix &fix) { emit fixRequested(static_cast<int>(i), fix); });
    }
    rows->addSpacing(3);
    m_noFigures = makeCaption(content);
    m_noFigures->setContentsMargins(14, 5, 11, 8);
    m_noFigures->hide();
    rows->addWidget(m_noFigures);
    rows->addWidget(m_table);
    m_barsHeader = new QWidget(content);
    auto *barsHeader = new QHBoxLayout(m_barsHeader);
    barsHeader->setContentsMargins(14, 8, 11, 4);
    auto *barsTitle = new QLabel(tr("Where the step goes"), content);
    barsTitle->setFont(uiFont(12, QFont::Bold));
    barsTitle->setProperty("tone", QStringLiteral("2"));
    auto *barsCaption = new QLabel(tr("s, mean over ranks"), content);
    barsCaption->setFont(uiFont(11));
    barsCaption->setProperty("tone", QStringLiteral("2"));
    barsHeader->addWidget(barsTitle);
    barsHeader->addStretch(1);
    barsHeader->addWidget(barsCaption);
    rows->addWidget(m_barsHeader);
    rows->addWidget(m_bars);
    rows->addWidget(m_measured);
    rows->addWidget(m_others);
    rows->addStretch(1);
    rows->addWidget(makeFooter());
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
    m_hoverTimer->setSingleShot(true);
    m_hoverTimer->setInterval(100);
    connect(m_table, &CompareTable::rowHovered, this, &VerdictPanel::explainRow);
    connect(m_hoverTimer, &QTimer::timeout, this, &VerdictPanel::showCard);
    connect(m_others, &OtherPlans::compareRequested, this, &VerdictPanel::compareRequested);
    connect(m_others, &OtherPlans::removeRequested, this, &VerdictPanel::removeRequested);
}

QWidget *VerdictPanel::makeHeader()
{
    auto *header = new QWidget(this);
    header->setFixedHeight(38);
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(14, 0, 11, 0);
    auto *title = new QLabel(tr("Verdict"), header);
    title->setFont(uiFont(14, QFont::Bold));
    auto *scope = new QLabel(tr("hottest EP rank, whole step"), header);
    scope->setFont(uiFont(11));
    scope->setProperty("tone", QStringLiteral("2"));
    row->addWidget(title);
    row->addStretch(1);
    row->addWidget(scope);
    return header;
}

QWidget *VerdictPanel::makeFooter()
{
    auto *footer = new QWidget(this);
    auto *column = new QVBoxLayout(footer);
    column->setContentsMargins(14, 8, 11, 8);
    column->setSpacing(1);
    m_band = makeCaption(footer);
    column->addWidget(m_band);
    auto *links = new QHBoxLayout;
    links->setSpacing(14);
    m_why = makeLink(tr("Why these numbers"), footer);
    m_missing = makeLink(tr("Not modelled"), footer);
    links->addWidget(m_why);
    links->addWidget(m_missing);
    links->addStretch(1);
    column->addLayout(links);
    connect(m_why, &QPushButton::clicked, this, &VerdictPanel::showTerms);
    connect(m_missing, &QPushButton::clicked, this, &VerdictPanel::showNotModelled);
    return footer;
}

void VerdictPanel::setPlans(const std::vector<ShownPlan> &plans)
{
    m_plans = plans;
    const ByteCount scale = gaugeScale(plans);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const bool there = i < plans.size();
        m_cards.at(i)->setVisible(there);
        m_cardLines.at(i)->setVisible(there);
        if (there) {
            m_cards.at(i)->setPlan(plans[i], scale);
        }
    }
    const std::vector<ShownPlan> compared(plans.begin(), plans.begin() + std::min<std::ptrdiff_t>(std::ssize(plans), 2));
    const bool figures = plans.empty() || haveFigures(compared);
    m_noFigures->setText(compared.size() > 1 ? tr("No figures yet: neither plan passes the checks.")
                                             : tr("No figures yet: the plan does not pass the checks."));
    m_noFigures->setVisible(!figures);
    for (QWidget *part : std::array<QWidget *, 5>{ m_table, m_barsHeader, m_bars, m_why, m_missing }) {
        part->setVisible(figures);
    }
    m_table->setPlans(plans);
    m_bars->setPlans(plans);
    m_others->setPlans(plans);
    showMeasured();
    showBand();
}

void VerdictPanel::setNearest(int plan, const NearestState &nearest)
{
    if (plan >= 0 && static_cast<std::size_t>(plan) < m_cards.size()) {
        m_cards.at(static_cast<std::size_t>(plan))->setNearest(nearest);
    }
}

/// A published measurement, as long as plan A is the run that was measured.
void VerdictPanel::showMeasured()
{
    const auto &evaluation = m_plans.empty() ? nullptr : m_plans.front().shown;
    if (evaluation && !m_plans.front().stale() && evaluation->scenario.measured) {
        m_measured->setRows(compareMeasured(*evaluation), QString::fromStdString(evaluation->scenario.measured->source));
    } else {
        m_measured->setRows({}, {});
    }
}

void VerdictPanel::setTheme(const Theme &theme)
{
    for (VerdictCard *card : m_cards) {
        card->setTheme(theme);
    }
    m_table->setTheme(theme);
    m_bars->setTheme(theme);
    m_measured->setTheme(theme);
    m_others->setTheme(theme);
    m_formula->setTheme(theme);
    m_band->setTheme(theme);
    m_noFigures->setTheme(theme);
}

void VerdictPanel::showBand()
{
    const auto &evaluation = m_plans.empty() ? nullptr : m_plans.front().shown;
    if (!evaluation) {
        m_band->setText(QString());
        return;
    }
    const Throughput &t = evaluation->throughput;
    const double middle = t.tokensPerSecondPerGpu;
    if (middle <= 0 || t.low <= 0 || t.high <= 0) {
        m_band->setText(timingText(*evaluation));
        return;
    }
    const int below = static_cast<int>(std::lround(100 * (1 - t.low / middle)));
    const int above = static_cast<int>(std::lround(100 * (t.high / middle - 1)));
    const QString band = below == above ? tr("±%1 %").arg(above) : tr("−%1 to +%2 %").arg(below).arg(above);
    m_band->setText(tr("Estimate %1, %2").arg(band, timingText(*evaluation)));
    m_band->setToolTip(tr("Plan A: %1 to %2 tokens/s/GPU").arg(fixedText(t.low, 0), fixedText(t.high, 0)));
}

void VerdictPanel::explainRow(int row)
{
    m_hoverRow = row;
    if (row < 0) {
        m_hoverTimer->stop();
        m_formula->hide();
    } else if (m_formula->isVisible()) {
        showCard();
    } else {
        m_hoverTimer->start();
    }
}

void VerdictPanel::showCard()
{
    if (m_hoverRow < 0 || static_cast<std::size_t>(m_hoverRow) >= m_table->rows().size()) {
        return;
    }
    const CompareRow &row = m_table->rows()[static_cast<std::size_t>(m_hoverRow)];
    std::vector<LetteredTerm> terms;
    for (std::size_t i = 0; i < m_plans.size() && i < 2; ++i) {
        const auto &shown = m_plans[i].shown;
        const Term *term = shown ? findTerm(shown->terms, i == 0 ? row.term : row.termB) : nullptr;
        if (term != nullptr) {
            terms.push_back({ m_plans[i].letter, *term });
        }
    }
    const QRect box = m_table->rowRect(m_hoverRow);
    m_formula->showTerms(terms, QRect(m_table->mapToGlobal(box.topLeft()), box.size()));
}

void VerdictPanel::showTerms()
{
    auto *dialog = new TermsDialog(m_plans, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void VerdictPanel::showNotModelled()
{
    const auto found = std::ranges::find_if(m_plans, [](const ShownPlan &plan) { return plan.shown != nullptr; });
    if (found != m_plans.end()) {
        auto *dialog = new NotModelledDialog(*found->shown, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
}

} // namespace pipeloom
