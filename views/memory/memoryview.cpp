// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memoryview.h"

#include "core/exchange/memorytables.h"
#include "core/exchange/sentences.h"
#include "core/memory/explain.h"
#include "views/controls/format.h"
#include "views/controls/segments.h"
#include "views/controls/textlabel.h"
#include "views/memory/datatable.h"
#include "views/memory/instantcards.h"
#include "views/memory/leversearch.h"
#include "views/memory/leverspanel.h"
#include "views/memory/rankstrip.h"
#include "views/memory/stackedcurve.h"
#include "views/memory/tensorpanel.h"
#include "views/memory/treemap.h"
#include "views/plot/numbers.h"
#include "views/stylesheet.h"

#include <QDataStream>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr quint32 stateMagic = 0x6d656d31;
constexpr int topHeight = 61;
constexpr int compactHeight = 700;

QLabel *heading(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setFont(uiFont(13, QFont::Bold));
    return label;
}

TextLabel *note(QWidget *parent)
{
    auto *label = new TextLabel(parent);
    label->setTextFont(uiFont(11.5));
    label->setToken(&Theme::text2);
    label->setElided(true);
    return label;
}

QString stagesText(const RankMemory &rank)
{
    QStringList stages;
    for (const int stage : rank.stages) {
        stages += QString::number(stage);
    }
    return rank.stages.size() == 1 ? MemoryView::tr("stage %1").arg(stages.front())
                                   : MemoryView::tr("stages %1").arg(stages.join(MemoryView::tr(" and ")));
}

QString instantWords(Instant instant)
{
    switch (instant) {
    case Instant::AfterInit:
        return MemoryView::tr("after init");
    case Instant::FirstStepPeak:
        return MemoryView::tr("at the peak of the first step");
    case Instant::LaterPeak:
        return MemoryView::tr("at the peak");
    case Instant::AfterOptimizer:
        return MemoryView::tr("after the optimizer step");
    case Instant::BadRoutingPeak:
        return MemoryView::tr("at the peak under bad routing");
    }
    return {};
}

ExpertRank expertRank(ExpertPosition position)
{
    switch (position) {
    case ExpertPosition::Hottest:
        break;
    case ExpertPosition::Mean:
        return ExpertRank::Mean;
    case ExpertPosition::Coldest:
        return ExpertRank::Coldest;
    }
    return ExpertRank::Hottest;
}

QString firstError(const Evaluation &e)
{
    for (const Diagnostic &diagnostic : e.diagnostics) {
        if (diagnostic.severity == Severity::Error) {
            return QString::fromStdString(diagnostic.message);
        }
    }
    return {};
}

} // namespace

MemoryView::MemoryView(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_search(new LeverSearch(this))
{
    setObjectName(QStringLiteral("memory"));
    m_tensors = new TensorPanel(this);
    m_levers = new LeversPanel(this);
    m_ranks = new RankStrip(this);
    m_message = new QLabel(this);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setFont(uiFont(13));
    m_message->setMargin(40);

    m_left = new QSplitter(Qt::Vertical, this);
    m_left->addWidget(m_tensors);
    m_left->addWidget(m_levers);
    m_left->setChildrenCollapsible(false);
    m_right = new QSplitter(Qt::Vertical, this);
    m_right->addWidget(buildCurvePanel());
    m_right->addWidget(m_ranks);
    m_right->addWidget(buildTreemapPanel());
    m_right->setChildrenCollapsible(false);
    m_ranks->setFixedHeight(112);
    m_columns = new QSplitter(Qt::Horizontal, this);
    m_columns->addWidget(m_left);
    m_columns->addWidget(m_right);
    m_columns->setChildrenCollapsible(false);
    for (QSplitter *splitter : { m_left, m_right, m_columns }) {
        splitter->setHandleWidth(6);
    }
    m_left->setStretchFactor(0, 1);
    m_columns->setStretchFactor(1, 1);
    m_left->setMinimumWidth(420);
    m_right->setMinimumWidth(400);

    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_columns);
    m_pages->addWidget(m_message);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildTop());
    column->addWidget(m_pages, 1);
    connectParts();
}

MemoryView::~MemoryView() = default;

QWidget *MemoryView::buildTop()
{
    auto *top = new QFrame(this);
    top->setProperty("panel", true);
    top->setFixedHeight(topHeight);
    m_cards = new InstantCards(top);
    auto *title = heading(tr("Instant"), top);
    m_rankNote = new QLabel(top);
    m_rankNote->setFont(uiFont(11.5));
    m_rankNote->setProperty("tone", QStringLiteral("2"));
    auto *name = new QVBoxLayout;
    name->setSpacing(1);
    name->addWidget(title);
    name->addWidget(m_rankNote);
    m_planSegments = new Segments({ tr("A"), tr("B"), tr("A vs B") }, top);
    m_positionSegments = new Segments({ tr("hottest"), tr("mean"), tr("coldest") }, top);
    m_positionSegments->setToolTip(tr("Expert-parallel rank"));
    auto *choices = new QGridLayout;
    choices->setContentsMargins(0, 0, 0, 0);
    choices->setHorizontalSpacing(10);
    choices->setVerticalSpacing(3);
    const auto add = [&](int row, const QString &text, QWidget *widget) {
        auto *label = new QLabel(text, top);
        label->setFont(uiFont(11.5));
        label->setProperty("tone", QStringLiteral("2"));
        choices->addWidget(label, row, 0);
        choices->addWidget(widget, row, 1, Qt::AlignLeft);
    };
    add(0, tr("Plan"), m_planSegments);
    add(1, tr("EP rank"), m_positionSegments);
    auto *row = new QHBoxLayout(top);
    row->setContentsMargins(14, 7, 12, 7);
    row->setSpacing(14);
    row->addLayout(name);
    row->addWidget(m_cards, 1);
    row->addLayout(choices);
    return top;
}

QWidget *MemoryView::buildCurvePanel()
{
    m_curvePanel = new QFrame(this);
    m_curvePanel->setProperty("panel", true);
    m_curveTitle = heading({}, m_curvePanel);
    m_curveNote = note(m_curvePanel);
    m_unitSegments = new Segments({ tr("GiB"), tr("% of HBM"), tr("reserved") }, m_curvePanel);
    m_showSegments = new Segments({ tr("curve"), tr("table"), tr("ranks") }, m_curvePanel);
    m_showSegments->setToolTip(tr("The curve, its numbers, or the numbers of all ranks"));
    m_rightSegments = new Segments({ tr("curve"), tr("table"), tr("ranks"), tr("tensors") }, m_curvePanel);
    m_rightSegments->hide();
    m_curve = new StackedCurve(m_curvePanel);
    m_curve->setMinimumHeight(140);
    m_numbers = new DataTable(m_curvePanel);
    m_curvePages = new QStackedWidget(m_curvePanel);
    m_curvePages->addWidget(m_curve);
    m_curvePages->addWidget(m_numbers);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 2);
    head->setSpacing(10);
    head->addWidget(m_curveTitle);
    head->addWidget(m_curveNote, 1);
    head->addWidget(m_showSegments);
    head->addWidget(m_rightSegments);
    head->addWidget(m_unitSegments);
    auto *column = new QVBoxLayout(m_curvePanel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_curvePages, 1);
    return m_curvePanel;
}

QWidget *MemoryView::buildTreemapPanel()
{
    m_treemapPanel = new QFrame(this);
    m_treemapPanel->setProperty("panel", true);
    m_treemapTitle = heading({}, m_treemapPanel);
    m_treemapNote = note(m_treemapPanel);
    m_modeSegments = new Segments({ tr("treemap"), tr("bars") }, m_treemapPanel);
    m_treemap = new Treemap(m_treemapPanel);
    m_treemap->setMinimumHeight(120);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 6);
    head->setSpacing(10);
    head->addWidget(m_treemapTitle);
    head->addWidget(m_treemapNote, 1);
    head->addWidget(m_modeSegments);
    auto *column = new QVBoxLayout(m_treemapPanel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    auto *body = new QHBoxLayout;
    body->setContentsMargins(14, 0, 12, 10);
    body->addWidget(m_treemap);
    column->addLayout(body, 1);
    return m_treemapPanel;
}

void MemoryView::connectParts()
{
    connect(m_cards, &InstantCards::chosen, this, &MemoryView::refreshTable);
    connect(m_planSegments, &Segments::chosen, this, [this](int index) {
        m_plan = index;
        refresh();
    });
    connect(m_positionSegments, &Segments::chosen, this, [this](int index) {
        m_position = static_cast<ExpertPosition>(index);
        refresh();
    });
    connect(m_unitSegments, &Segments::chosen, this, [this](int index) { m_curve->setUnit(static_cast<CurveUnit>(index)); });
    connect(m_modeSegments, &Segments::chosen, this, [this](int index) { m_treemap->setMode(static_cast<TreemapMode>(index)); });
    connect(m_rightSegments, &Segments::chosen, this, [this](int index) {
        if (index < 3) {
            m_showSegments->setCurrent(index);
        }
        arrange();
    });
    connect(m_showSegments, &Segments::chosen, this, [this](int index) {
        m_rightSegments->setCurrent(index);
        arrange();
    });
    connect(m_numbers, &DataTable::saveRequested, this, [this](const QString &csv) {
        emit saveRequested(csv, shownNumbers() == 2 ? tr("memory-ranks.csv") : tr("memory-rank-%1.csv").arg(m_state->rank()));
    });
    connect(m_tensors, &TensorPanel::groupingChosen, this, &MemoryView::refreshTable);
    connect(m_tensors, &TensorPanel::chosen, this, [this](std::optional<int> id) { m_treemap->setSelected(id); });
    connect(m_tensors, &TensorPanel::saveRequested, this,
            [this] { emit saveRequested(m_tensors->csv(), tr("tensors-rank-%1.csv").arg(m_state->rank())); });
    connect(m_treemap, &Treemap::chosen, this, [this](int id) { m_tensors->setCurrent(id); });
    connect(m_ranks, &RankStrip::rankChosen, m_state, &ViewState::setRank);
    connect(m_state, &ViewState::rankChanged, this, &MemoryView::refreshRank);
    connect(m_state, &ViewState::playheadChanged, this, [this] {
        if (isVisible()) {
            m_curve->setPlayhead(m_state->playhead());
        }
    });
    connect(m_curve, &StackedCurve::playheadRequested, m_state, &ViewState::setPlayhead);
    connect(m_levers, &LeversPanel::applied, this, [this](const std::vector<Setting> &settings) {
        emit fixRequested(base(), { tr("lever").toStdString(), settings });
    });
    connect(m_search, &LeverSearch::found, this, [this](const std::vector<MemoryLever> &levers) {
        m_levers->setLevers(levers, m_leversOf ? m_leversOf->time.step : 0);
        emit settled();
    });
}

void MemoryView::setPlans(const std::vector<ShownPlan> &plans)
{
    m_plans = plans;
    m_outdated = true;
    if (isVisible()) {
        refresh();
    }
}

void MemoryView::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_cards->setTheme(theme);
    m_tensors->setTheme(theme);
    m_levers->setTheme(theme);
    m_curve->setTheme(theme);
    m_ranks->setTheme(theme);
    m_treemap->setTheme(theme);
    m_curveNote->setTheme(theme);
    m_treemapNote->setTheme(theme);
    if (isVisible()) {
        refreshRank();
    }
}

void MemoryView::setPlan(int plan)
{
    m_planSegments->setCurrent(plan);
    m_plan = plan;
    refresh();
}

Instant MemoryView::instant() const { return m_cards->current(); }

void MemoryView::setInstant(Instant instant)
{
    m_cards->setCurrent(instant);
    refreshTable();
}

void MemoryView::setPosition(ExpertPosition position)
{
    m_positionSegments->setCurrent(static_cast<int>(position));
    m_position = position;
    refresh();
}

bool MemoryView::isSettled() const { return !m_search->isBusy(); }

const Evaluation *MemoryView::evaluation(int plan) const
{
    return plan < static_cast<int>(m_plans.size()) ? m_plans[static_cast<std::size_t>(plan)].shown.get() : nullptr;
}

void MemoryView::refresh()
{
    m_outdated = false;
    const bool two = m_plans.size() > 1 && evaluation(1) != nullptr;
    if (!two && m_plan > 0) {
        m_plan = 0;
        m_planSegments->setCurrent(0);
    }
    m_planSegments->setEnabled(two);
    m_bad = {};
    m_memory = {};
    for (int plan = 0; plan < 2; ++plan) {
        const Evaluation *e = evaluation(plan);
        if (e == nullptr) {
            continue;
        }
        auto &memory = m_memory[static_cast<std::size_t>(plan)];
        if (m_position == ExpertPosition::Hottest || e->scenario.model.moe.experts == 0) {
            memory = { m_plans[static_cast<std::size_t>(plan)].shown, &e->memory };
        } else {
            memory = std::make_shared<const MemoryResult>(memoryAt(*e, expertRank(m_position)));
        }
    }
    const Evaluation *shown = evaluation(base());
    if (shown == nullptr) {
        const auto &plan = m_plans.empty() ? nullptr : m_plans[static_cast<std::size_t>(base())].latest;
        m_message->setText(plan ? tr("No valid plan yet. %1").arg(firstError(*plan)) : tr("The plan is being evaluated."));
        m_pages->setCurrentWidget(m_message);
        m_cards->setEnabled(false);
        return;
    }
    m_pages->setCurrentWidget(m_columns);
    m_cards->setEnabled(true);
    m_positionSegments->setEnabled(shown->scenario.model.moe.experts > 0);
    refreshRank();
    askLevers();
}

CurvePlan MemoryView::curvePlan(int plan) const
{
    const Evaluation *e = evaluation(plan);
    if (e == nullptr) {
        return {};
    }
    const ShownPlan &shown = m_plans[static_cast<std::size_t>(plan)];
    return { shown.letter, m_memory[static_cast<std::size_t>(plan)], fromSeconds(e->time.step), shown.stale() };
}

const RankMemory *MemoryView::rankOf(int plan) const
{
    const auto &memory = m_memory[static_cast<std::size_t>(plan)];
    const auto rank = static_cast<std::size_t>(m_state->rank());
    return memory && rank < memory->ranks.size() ? &memory->ranks[rank] : nullptr;
}

const RankMemory *MemoryView::badRankOf(int plan) const
{
    const Evaluation *e = evaluation(plan);
    if (e == nullptr) {
        return nullptr;
    }
    auto &bad = m_bad[static_cast<std::size_t>(plan)];
    if (!bad) {
        bad = std::make_shared<const MemoryResult>(memoryAt(*e, ExpertRank::BadRouting));
    }
    const auto rank = static_cast<std::size_t>(m_state->rank());
    return rank < bad->ranks.size() ? &bad->ranks[rank] : nullptr;
}

std::vector<BreakdownRow> MemoryView::rows(int plan) const
{
    const RankMemory *rank = instant() == Instant::BadRoutingPeak ? badRankOf(plan) : rankOf(plan);
    return rank == nullptr ? std::vector<BreakdownRow>{} : breakdown(*rank, instant());
}

void MemoryView::refreshRank()
{
    if (!isVisible() || evaluation(base()) == nullptr) {
        m_outdated = true;
        return;
    }
    const CurvePlan main = curvePlan(base());
    std::optional<CurvePlan> other;
    if (evaluation(1 - base()) != nullptr) {
        other = curvePlan(1 - base());
    }
    const int rank = m_state->rank();
    m_curve->setPlans(main, other);
    m_curve->setRank(rank);
    m_curve->setPlayhead(m_state->playhead());
    m_ranks->setPlans(main, other);
    m_ranks->setRank(rank);
    refreshNumbers();
    describeCurve();
    refreshCards();
    refreshTable();
}

void MemoryView::refreshCards()
{
    const Evaluation &e = *evaluation(base());
    const ShownPlan &plan = m_plans[static_cast<std::size_t>(base())];
    m_rankNote->setText(tr("rank %1, plan %2").arg(m_state->rank()).arg(plan.letter));
    std::array<InstantValue, instantCount> values;
    const RankMemory *rank = rankOf(base());
    for (std::size_t i = 0; i < instantCount; ++i) {
        const auto which = static_cast<Instant>(i);
        values[i].title = QString::fromLatin1(name(which));
        if (rank == nullptr) {
            values[i].value = QStringLiteral("-");
            values[i].note = tr("plan %1 has no such rank").arg(plan.letter);
            continue;
        }
        const CountedBytes bytes = rank->at(which);
        const ByteCount shown = bytes.allocated + rank->buffers;
        values[i].value = gib(shown);
        values[i].over = shown > e.memory.usable;
        values[i].details = tr("allocated %1 GiB, reserved %2 GiB, device %3 GiB")
                                .arg(gib(bytes.allocated), gib(bytes.reserved), gib(bytes.device));
        switch (which) {
        case Instant::AfterInit:
            values[i].note = tr("no moments yet");
            break;
        case Instant::FirstStepPeak:
            values[i].note = tr("moments still absent");
            break;
        case Instant::LaterPeak:
            values[i].note = tr("%1, at %2").arg(QString::fromLatin1(name(rank->phase)), durationText(rank->peakTime));
            break;
        case Instant::AfterOptimizer:
            values[i].note = tr("activations freed");
            break;
        case Instant::BadRoutingPeak:
            values[i].note = e.scenario.model.moe.experts > 0
                ? tr("σ %1, max/mean %2").arg(fixedText(e.scenario.memory.badRoutingSigma, 2), fixedText(e.memory.badRouting, 2))
                : tr("no experts: as above");
            break;
        }
    }
    m_cards->setValues(values, plan.stale());
}

void MemoryView::refreshTable()
{
    const Evaluation *e = evaluation(base());
    if (!isVisible() || e == nullptr) {
        m_outdated = true;
        return;
    }
    const ShownPlan &plan = m_plans[static_cast<std::size_t>(base())];
    const std::vector<BreakdownRow> own = rows(base());
    const std::vector<BreakdownRow> other = m_plan == 2 ? rows(1) : std::vector<BreakdownRow>{};
    TensorTable table = tensorTable(own, m_tensors->grouping(), m_plan == 2 ? &other : nullptr);
    std::vector<TreemapItem> items;
    for (const TensorLine &line : table.lines) {
        const auto c = static_cast<std::size_t>(line.tensor.row.memoryClass);
        const auto group = static_cast<std::size_t>(line.group);
        items.push_back({ line.id, line.group,
                          QString::fromUtf8(line.tensor.row.name.data(), static_cast<qsizetype>(line.tensor.row.name.size())),
                          table.groups[group].title, line.bytes, m_theme.memory[c], QColor() });
    }
    m_treemap->setItems(std::move(items));
    const RankMemory *rank = rankOf(base());
    const QString where = rank == nullptr ? QString() : tr("%1, %2").arg(stagesText(*rank), instantWords(instant()));
    m_treemapTitle->setText(tr("What fills rank %1").arg(m_state->rank()));
    m_treemapNote->setText(
        tr("area is GiB, %1 in total, %2; double click opens a group").arg(gib(table.total), instantWords(instant())));
    m_tensors->setExplain([scenario = e->scenario](const TensorLine &line) { return explain(line.tensor, scenario); },
                          plan.letter);
    m_tensors->setTable(std::move(table), tr("Tensors on rank %1").arg(m_state->rank()), where, plan.stale());
    m_treemap->setSelected(m_tensors->current());
}

void MemoryView::askLevers()
{
    const ShownPlan &plan = m_plans[static_cast<std::size_t>(base())];
    if (plan.shown) {
        m_levers->setVerdict(QString::fromStdString(verdictSentence(*plan.shown)), plan.shown->memory.verdict);
    }
    if (m_leversOf == plan.shown || plan.shown == nullptr) {
        return;
    }
    m_leversOf = plan.shown;
    m_levers->setLevers(std::nullopt, plan.shown->time.step);
    m_search->request(plan.shown->scenario);
}

void MemoryView::describeCurve()
{
    const int shown = shownNumbers();
    m_curveTitle->setText(shown == 2 ? tr("All ranks") : tr("Over the step, rank %1").arg(m_state->rank()));
    if (evaluation(base()) == nullptr) {
        return;
    }
    const ShownPlan &plan = m_plans[static_cast<std::size_t>(base())];
    const QString &letter = plan.letter;
    if (plan.stale()) {
        m_curveNote->setText(tr("plan %1 is not valid: the last valid one is shown").arg(letter));
        return;
    }
    if (shown == 1 || shown == 2) {
        m_curveNote->setText(tr("plan %1, GiB; Ctrl+C copies the rows in bytes").arg(letter));
        return;
    }
    QString text = tr("plan %1 stacked").arg(letter);
    if (evaluation(1 - base()) != nullptr) {
        text += tr(", plan %1 as dashed total").arg(m_plans[static_cast<std::size_t>(1 - base())].letter);
    }
    m_curveNote->setText(text);
}

int MemoryView::shownNumbers() const { return m_compact ? m_rightSegments->current() : m_showSegments->current(); }

void MemoryView::refreshNumbers()
{
    const int shown = shownNumbers();
    const std::shared_ptr<const MemoryResult> memory = m_memory[static_cast<std::size_t>(base())];
    if (shown == 0 || shown == 3 || !memory) {
        return;
    }
    const auto table = [memory, shown, rank = m_state->rank()](TableNumbers numbers) {
        const auto index = static_cast<std::size_t>(rank);
        return shown == 2 ? rankTable(*memory, numbers)
                          : curveTable(index < memory->ranks.size() ? &memory->ranks[index] : nullptr, numbers);
    };
    m_numbers->setTable(table(TableNumbers::Readable), [table] { return table(TableNumbers::Exact); });
}

void MemoryView::arrange()
{
    const bool compact = height() < compactHeight;
    const bool changed = compact != m_compact;
    m_compact = compact;
    m_rightSegments->setVisible(compact);
    m_showSegments->setVisible(!compact);
    const bool map = !compact || shownNumbers() == 3;
    m_curvePages->setVisible(!compact || !map);
    m_curvePages->setCurrentWidget(shownNumbers() == 0 ? static_cast<QWidget *>(m_curve) : m_numbers);
    m_unitSegments->setVisible(shownNumbers() == 0);
    refreshNumbers();
    describeCurve();
    m_curvePanel->setMaximumHeight(compact && map ? 40 : QWIDGETSIZE_MAX);
    m_treemapPanel->setVisible(map);
    if (changed || m_left->sizes().value(1) == 0) {
        m_left->setSizes(compact ? QList<int>{ 280, 175 } : QList<int>{ 590, 220 });
        m_right->setSizes({ 300, 112, 350 });
        m_columns->setSizes({ width() * 44 / 100, width() * 56 / 100 });
    }
}

void MemoryView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    arrange();
    if (m_outdated) {
        refresh();
    }
}

void MemoryView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

QByteArray MemoryView::saveState() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << stateMagic << qint32(m_plan) << qint32(static_cast<int>(instant())) << qint32(static_cast<int>(m_position))
           << qint32(static_cast<int>(m_tensors->grouping())) << qint32(m_unitSegments->current())
           << qint32(m_modeSegments->current()) << m_columns->saveState() << m_left->saveState() << m_right->saveState();
    return state;
}

bool MemoryView::restoreState(const QByteArray &state)
{
    QDataStream stream(state);
    quint32 magic = 0;
    qint32 plan = 0;
    qint32 instant = 0;
    qint32 position = 0;
    qint32 grouping = 0;
    qint32 unit = 0;
    qint32 mode = 0;
    QByteArray columns;
    QByteArray left;
    QByteArray right;
    stream >> magic >> plan >> instant >> position >> grouping >> unit >> mode >> columns >> left >> right;
    const auto within = [](qint32 value, qint32 count) { return value >= 0 && value < count; };
    if (stream.status() != QDataStream::Ok || magic != stateMagic || !within(plan, 3)
        || !within(instant, static_cast<qint32>(instantCount)) || !within(position, 3) || !within(grouping, 3) || !within(unit, 3)
        || !within(mode, 2)) {
        return false;
    }
    m_plan = plan;
    m_planSegments->setCurrent(plan);
    m_cards->setCurrent(static_cast<Instant>(instant));
    m_position = static_cast<ExpertPosition>(position);
    m_positionSegments->setCurrent(position);
    m_tensors->setGrouping(static_cast<TensorGrouping>(grouping));
    m_unitSegments->setCurrent(unit);
    m_curve->setUnit(static_cast<CurveUnit>(unit));
    m_modeSegments->setCurrent(mode);
    m_treemap->setMode(static_cast<TreemapMode>(mode));
    m_columns->restoreState(columns);
    m_left->restoreState(left);
    m_right->restoreState(right);
    m_outdated = true;
    if (isVisible()) {
        refresh();
    }
    return true;
}

} // namespace pipeloom
