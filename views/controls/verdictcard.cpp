// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/verdictcard.h"

#include "views/controls/format.h"
#include "views/controls/gaugebar.h"
#include "views/controls/planbadge.h"
#include "views/controls/textlabel.h"
#include "views/icons.h"
#include "views/planshape.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace pipeloom
{

namespace
{

/// The verdict as an engineer says it, its mark and its tone.
struct Wording
{
    QString word;
    Icon icon;
    TextLabel::Token tone;
};

Wording wordingOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits:
        return { VerdictCard::tr("Fits"), Icon::Ok, &Theme::ok };
    case Verdict::Tight:
        return { VerdictCard::tr("Tight"), Icon::Warning, &Theme::warn };
    case Verdict::Over:
        return { VerdictCard::tr("Does not fit"), Icon::Error, &Theme::err };
    case Verdict::Invalid:
        break;
    }
    return { VerdictCard::tr("Not valid"), Icon::Error, &Theme::err };
}

Verdict verdictOf(const ShownPlan &plan)
{
    return plan.latest && plan.latest->valid ? plan.latest->memory.verdict : Verdict::Invalid;
}

QString distanceText(const MemoryResult &memory)
{
    const ByteCount peak = memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak;
    switch (memory.verdict) {
    case Verdict::Fits:
        return VerdictCard::tr("%1 GiB left").arg(gibText(memory.usable - peak));
    case Verdict::Tight:
        return VerdictCard::tr("%1 GiB into the reserve").arg(gibText(peak - memory.usable));
    case Verdict::Over:
        return VerdictCard::tr("%1 GiB over").arg(gibText(peak - memory.usable));
    case Verdict::Invalid:
        break;
    }
    return {};
}

/// "Rank 0", "Ranks 1 to 6", "Ranks 0, 3 and 5".
QString ranksText(const std::vector<int> &ranks)
{
    if (ranks.size() == 1) {
        return VerdictCard::tr("Rank %1").arg(ranks.front());
    }
    if (ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()) && ranks.size() > 2) {
        return VerdictCard::tr("Ranks %1 to %2").arg(ranks.front()).arg(ranks.back());
    }
    QStringList parts;
    for (const int rank : ranks) {
        parts += QString::number(rank);
    }
    const QString last = parts.takeLast();
    return VerdictCard::tr("Ranks %1 and %2").arg(parts.join(QStringLiteral(", ")), last);
}

/// The ranks whose peak reads the same as the highest one.
std::vector<int> heaviestRanks(const MemoryResult &memory)
{
    const QString highest = gibText(memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak);
    std::vector<int> ranks;
    for (const RankMemory &rank : memory.ranks) {
        if (gibText(rank.peak) == highest) {
            ranks.push_back(rank.rank);
        }
    }
    return ranks;
}

QString sentence(const std::string &text)
{
    QString result = QString::fromStdString(text).trimmed();
    if (result.isEmpty()) {
        return result;
    }
    if (!result.endsWith(QLatin1Char('.'))) {
        result += QLatin1Char('.');
    }
    return result;
}

/// Which ranks need how much.
QString explanation(const Evaluation &evaluation)
{
    const MemoryResult &memory = evaluation.memory;
    const QString peak = gibText(memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak);
    const std::vector<int> ranks = heaviestRanks(memory);
    if (memory.verdict == Verdict::Fits) {
        return VerdictCard::tr("%1 %2 the heaviest with %3 GiB. The reserve is %4 % for fragmentation.")
            .arg(ranksText(ranks), ranks.size() == 1 ? VerdictCard::tr("is") : VerdictCard::tr("are"), peak,
                 fixedText((evaluation.scenario.memory.reserve - 1) * 100, 1));
    }
    return VerdictCard::tr("%1 %2 %3 GiB, usable %4.")
        .arg(ranksText(ranks), ranks.size() == 1 ? VerdictCard::tr("needs") : VerdictCard::tr("need"), peak,
             gibText(memory.usable));
}

QString causeText(const Evaluation &evaluation)
{
    const bool blamed = evaluation.memory.verdict != Verdict::Fits && !evaluation.memory.blame.empty();
    return blamed ? VerdictCard::tr("Cause: %1").arg(sentence(evaluation.memory.blame)) : QString();
}

/// The first error of a plan that cannot run.
QString firstReason(const Evaluation &evaluation)
{
    const auto error = std::ranges::find(evaluation.diagnostics, Severity::Error, &Diagnostic::severity);
    return error == evaluation.diagnostics.end() ? QString() : sentence(error->message);
}

QString peakAndStep(const NearbyPlan &plan, const std::shared_ptr<const Evaluation> &reference)
{
    const MemoryResult &memory = plan.evaluation->memory;
    QString text = VerdictCard::tr("%1 GiB, step %2 s")
                       .arg(gibText(memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak),
                            fixedText(plan.evaluation->time.step, 2));
    if (reference && reference->valid) {
        text += QStringLiteral(" (%1)").arg(delta(plan.evaluation->time.step, reference->time.step, DeltaStyle::Percent).text);
    }
    return text;
}

} // namespace

Fix fixOf(const NearbyPlan &plan) { return { plan.label, plan.set }; }

VerdictCard::VerdictCard(QWidget *parent)
    : QWidget(parent)
    , m_badge(new PlanBadge(QString(), false, this))
    , m_name(new TextLabel(this))
    , m_shape(new TextLabel(this))
    , m_icon(new QLabel(this))
    , m_word(new TextLabel(this))
    , m_distance(new TextLabel(this))
    , m_gauge(new GaugeBar(this))
    , m_text(new TextLabel(this))
    , m_cause(new TextLabel(this))
    , m_nearest(new QFrame(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 6, 11, 11);
    column->setSpacing(0);
    auto *first = new QHBoxLayout;
    first->setSpacing(8);
    first->addWidget(m_badge);
    first->addWidget(m_name, 1);
    first->addWidget(m_shape);
    m_name->setTextFont(uiFont(13, QFont::Bold));
    m_name->setElided(true); // the shape beside it has a fixed wording, so a long name gives way
    m_shape->setTextFont(uiFont(11.5));
    m_shape->setToken(&Theme::text2);
    auto *second = new QHBoxLayout;
    second->setContentsMargins(0, 3, 0, 3);
    second->setSpacing(8);
    second->addWidget(m_icon);
    second->addWidget(m_word);
    second->addStretch(1);
    second->addWidget(m_distance, 0, Qt::AlignVCenter);
    m_word->setTextFont(uiFont(19, QFont::Bold));
    m_distance->setTextFont(uiFont(13, QFont::Medium));
    m_text->setWordWrap(true);
    m_text->setContentsMargins(0, 2, 0, 0);
    m_cause->setWordWrap(true);
    m_cause->setToken(&Theme::text2);
    column->addLayout(first);
    column->addLayout(second);
    column->addWidget(m_gauge);
    column->addWidget(m_text);
    column->addWidget(m_cause);
    column->addSpacing(6);
    column->addWidget(m_nearest);
    makeNearest();
}

void VerdictCard::makeNearest()
{
    m_nearest->setProperty("card", true);
    m_nearestTitle = new QLabel(tr("Nearest plan that fits"), m_nearest);
    m_nearestName = new TextLabel(m_nearest);
    m_nearestText = new TextLabel(m_nearest);
    m_apply = new QPushButton(tr("Apply"), m_nearest);
    m_others = new QPushButton(m_nearest);
    m_nearestTitle->setFont(uiFont(11, QFont::Medium));
    m_nearestTitle->setProperty("tone", QStringLiteral("2"));
    m_nearestName->setTextFont(uiFont(13, QFont::Bold));
    m_nearestText->setTextFont(uiFont(11.5));
    m_nearestText->setToken(&Theme::text2);
    m_nearestText->setElided(true);
    m_apply->setProperty("kind", QStringLiteral("primary"));
    m_apply->setFont(uiFont(12, QFont::Medium));
    m_apply->setFixedWidth(62);
    m_others->setProperty("kind", QStringLiteral("link"));
    m_others->setFont(uiFont(11.5, QFont::Medium));
    m_others->setCursor(Qt::PointingHandCursor);
    auto *row = new QHBoxLayout(m_nearest);
    row->setContentsMargins(9, 6, 7, 6);
    auto *left = new QVBoxLayout;
    left->setSpacing(1);
    left->addWidget(m_nearestTitle);
    left->addWidget(m_nearestName);
    left->addWidget(m_nearestText);
    auto *right = new QVBoxLayout;
    right->setSpacing(0);
    right->addStretch(1);
    right->addWidget(m_apply);
    right->addWidget(m_others);
    row->addLayout(left, 1);
    row->addLayout(right);
    m_nearest->hide();
    connect(m_apply, &QPushButton::clicked, this, [this] {
        if (m_state.plans && !m_state.plans->empty()) {
            const Fix fix = fixOf(m_state.plans->front());
            emit fixRequested(fix);
        }
    });
    connect(m_others, &QPushButton::clicked, this, &VerdictCard::showOthers);
}

void VerdictCard::setPlan(const ShownPlan &plan, ByteCount gaugeScale)
{
    m_plan = plan;
    m_badge->setLetter(plan.letter);
    m_name->setText(plan.name);
    if (plan.shown) {
        m_gauge->setMemory(plan.shown->memory, gaugeScale);
    }
    showVerdict();
    showNearest();
}

void VerdictCard::setNearest(const NearestState &nearest)
{
    m_state = nearest;
    showNearest();
}

void VerdictCard::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_badge->setTheme(theme);
    m_gauge->setTheme(theme);
    for (TextLabel *label : { m_name, m_shape, m_word, m_distance, m_text, m_cause, m_nearestName, m_nearestText }) {
        label->setTheme(theme);
    }
    showVerdict();
}

QString VerdictCard::word() const { return m_word->text(); }

QString VerdictCard::cause() const { return m_cause->text(); }

void VerdictCard::showVerdict()
{
    if (!m_plan.latest) {
        return;
    }
    const Evaluation &latest = *m_plan.latest;
    const Verdict verdict = verdictOf(m_plan);
    const Wording wording = wordingOf(verdict);
    if (m_iconKey != std::pair(wording.icon, m_theme.dark)) {
        m_iconKey = std::pair(wording.icon, m_theme.dark);
        m_icon->setPixmap(statusPixmap(wording.icon, m_theme, 19, devicePixelRatioF()));
    }
    m_word->setText(wording.word);
    m_word->setToken(wording.tone);
    m_distance->setToken(wording.tone);
    m_shape->setText(planShape(latest));
    m_distance->setText(verdict == Verdict::Invalid ? QString() : distanceText(latest.memory));
    m_text->setText(verdict == Verdict::Invalid ? firstReason(latest) : explanation(latest));
    const QString valid = lastValidText(m_plan);
    const QString cause = verdict != Verdict::Invalid ? causeText(latest)
        : valid.isEmpty()                             ? QString()
                                                      : tr("Figures: %1.").arg(valid);
    m_cause->setText(cause);
    m_cause->setToken(verdict == Verdict::Invalid ? &Theme::text3 : &Theme::text2);
    m_cause->setVisible(!cause.isEmpty());
    m_gauge->setVisible(m_plan.shown != nullptr);
    m_gauge->setEnabled(verdict != Verdict::Invalid);
    setAccessibleName(tr("Plan %1, %2").arg(m_plan.letter, m_plan.name));
    setAccessibleDescription(verdict == Verdict::Invalid ? tr("%1. %2 %3").arg(m_word->text(), m_text->text(), cause).trimmed()
                                                         : tr("%1, %2").arg(m_word->text(), m_distance->text()));
}

void VerdictCard::showNearest()
{
    const Verdict verdict = verdictOf(m_plan);
    const bool wanted = m_plan.latest && (verdict == Verdict::Over || verdict == Verdict::Tight);
    const bool found = m_state.plans && !m_state.plans->empty();
    m_nearest->setVisible(wanted && (m_state.searching || m_state.plans));
    if (!wanted) {
        return;
    }
    m_apply->setVisible(found);
    m_apply->setEnabled(!m_state.searching); // while a newer search runs, the old answer is only shown
    m_others->setVisible(found && m_state.plans->size() > 1);
    m_nearestName->setVisible(found);
    if (!found) {
        m_nearestText->setText(m_state.plans ? tr("No plan within two changes fits.") : tr("Looking for it"));
        return;
    }
    const NearbyPlan &best = m_state.plans->front();
    m_nearestName->setText(QString::fromStdString(best.label));
    m_nearestText->setText(peakAndStep(best, m_plan.latest));
    m_others->setText(tr("%n others", nullptr, static_cast<int>(m_state.plans->size()) - 1));
    if (m_state.plans->size() == 2) {
        m_others->setText(tr("1 other"));
    }
}

void VerdictCard::showOthers()
{
    QMenu menu(this);
    for (std::size_t i = 1; i < m_state.plans->size(); ++i) {
        const NearbyPlan &plan = m_state.plans->at(i);
        QAction *action =
            menu.addAction(QStringLiteral("%1   %2").arg(QString::fromStdString(plan.label), peakAndStep(plan, m_plan.latest)));
        connect(action, &QAction::triggered, this, [this, fix = fixOf(plan)] { emit fixRequested(fix); });
    }
    menu.exec(m_others->mapToGlobal(QPoint(0, m_others->height())));
}

} // namespace pipeloom
