// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/scenariopanel.h"

#include "views/controls/format.h"
#include "views/controls/panelsection.h"
#include "views/controls/segments.h"
#include "views/controls/skewpicture.h"
#include "views/controls/textlabel.h"
#include "views/plot/counted.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr std::size_t mostPlans = 2;

QString sectionTitle(int section)
{
    static const std::array<const char *, panelSectionCount> titles = {
        QT_TRANSLATE_NOOP("ScenarioPanel", "Model and cluster"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Parallelism"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Batch"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Schedule"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Memory policy"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Routing skew"),
        QT_TRANSLATE_NOOP("ScenarioPanel", "Assumptions"),
    };
    return ScenarioPanel::tr(titles.at(static_cast<std::size_t>(section)));
}

QString letterOf(std::size_t plan) { return QString(QChar(u'A' + static_cast<char16_t>(plan))); }

QString milliseconds(double seconds)
{
    const double value = seconds * 1e3;
    return fixedText(value, value < 9.95 ? 1 : 0);
}

} // namespace

ScenarioPanel::ScenarioPanel(QWidget *parent)
    : QWidget(parent)
    , m_scroll(new QScrollArea(this))
    , m_idle(new QTimer(this))
    , m_nearest(mostPlans)
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(makeHairline(this));
    QScrollArea *scroll = m_scroll;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto *content = new QWidget(scroll);
    content->setObjectName(QStringLiteral("scenarioContent"));
    content->setProperty("scrolled", true);
    auto *rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    for (int i = 0; i < panelSectionCount; ++i) {
        const bool foldable = static_cast<PanelSection>(i) == PanelSection::Assumptions;
        m_sections.at(static_cast<std::size_t>(i)) = new PanelSectionBox(sectionTitle(i), foldable, content);
        rows->addWidget(m_sections.at(static_cast<std::size_t>(i)));
        if (i + 1 < panelSectionCount) {
            rows->addWidget(makeHairline(content));
        }
    }
    rows->addStretch(1);
    makeSections();
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
    section(PanelSection::Assumptions)->setOpen(false);
    m_idle->setSingleShot(true);
    m_idle->setInterval(200);
    connect(m_idle, &QTimer::timeout, this, &ScenarioPanel::markImpossible);
}

void ScenarioPanel::markImpossible()
{
    m_idle->stop();
    for (FieldLines *lines : m_fields) {
        if (auto *number = qobject_cast<NumberLines *>(lines)) {
            number->markImpossible(m_scenarios);
        }
    }
}

QWidget *ScenarioPanel::makeHeader()
{
    auto *header = new QWidget(this);
    header->setFixedHeight(38);
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(12, 0, 10, 0);
    auto *title = new QLabel(tr("Scenario"), header);
    title->setFont(uiFont(14, QFont::Bold));
    m_segments = new Segments({ tr("A and B"), tr("Only A"), tr("Only B") }, header);
    m_segments->setToolTip(tr("Which plan an edit changes"));
    row->addWidget(title);
    row->addStretch(1);
    row->addWidget(m_segments);
    connect(m_segments, &Segments::chosen, this, &ScenarioPanel::targetChanged);
    return header;
}

void ScenarioPanel::makeSections()
{
    for (const ChoiceField &field : choiceFields()) {
        addField(new ChoiceLines(field, this), field.section);
        if (field.section == PanelSection::ModelAndCluster) {
            TextLabel *&caption = m_modelCaption == nullptr ? m_modelCaption : m_clusterCaption;
            caption = makeCaption(this);
            caption->setContentsMargins(0, 0, 0, m_clusterCaption == nullptr ? 3 : 1);
            section(field.section)->rows()->addWidget(caption);
        }
    }
    for (const NumberField &field : numberFields()) {
        addField(new NumberLines(field, this), field.section);
    }
    m_skew = new SkewPicture(this);
    section(PanelSection::RoutingSkew)->rows()->addWidget(m_skew);
}

void ScenarioPanel::addField(FieldLines *lines, PanelSection where)
{
    section(where)->rows()->addWidget(lines);
    m_fields.push_back(lines);
    connect(lines, &FieldLines::edited, this,
            [this, lines](const std::string &json, int plan, bool dragging) { emitEdit(lines->path(), json, plan, dragging); });
    connect(lines, &FieldLines::rejectedChanged, this, &ScenarioPanel::checkRejected);
    connect(lines, &FieldLines::fixRequested, this,
            [this](int plan, const Fix &fix) { emit edited(fix.set, EditTarget{ plan }, false); });
}

void ScenarioPanel::emitEdit(const std::string &path, const std::string &json, int plan, bool dragging)
{
    const EditTarget where = plan == EditTarget::everyPlan ? target() : EditTarget{ plan };
    emit edited({ { path, json } }, where, dragging);
}

EditTarget ScenarioPanel::target() const
{
    if (m_scenarios.size() < 2) {
        return EditTarget{ EditTarget::everyPlan };
    }
    return EditTarget{ m_segments->current() - 1 };
}

FieldLines *ScenarioPanel::field(const std::string &path) const
{
    const auto found = std::ranges::find_if(m_fields, [&path](const FieldLines *each) { return path == each->path(); });
    return found == m_fields.end() ? nullptr : *found;
}

std::vector<ScenarioPanel::FoundField> ScenarioPanel::fieldNames() const
{
    std::vector<FoundField> found;
    for (const FieldLines *lines : m_fields) {
        found.push_back({ lines->name(), lines->path() });
    }
    return found;
}

void ScenarioPanel::focusField(const std::string &path)
{
    FieldLines *lines = field(path);
    if (lines == nullptr) {
        return;
    }
    for (PanelSectionBox *box : m_sections) {
        if (box->isAncestorOf(lines)) {
            box->setOpen(true);
        }
    }
    m_scroll->ensureWidgetVisible(lines);
    lines->takeFocus();
}

void ScenarioPanel::setPlans(const std::vector<Scenario> &scenarios, const std::vector<ShownPlan> &plans)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(scenarios.size(), mostPlans));
    m_plans = plans;
    if (m_scenarios.size() != static_cast<std::size_t>(shown)
        || !std::equal(m_scenarios.begin(), m_scenarios.end(), scenarios.begin())) {
        m_scenarios.assign(scenarios.begin(), scenarios.begin() + shown);
        m_segments->setVisible(m_scenarios.size() > 1);
        showValues();
        m_idle->start();
    }
    showDiagnostics();
    showCaptions();
}

void ScenarioPanel::showValues()
{
    for (FieldLines *lines : m_fields) {
        lines->setPlans(m_scenarios);
    }
}

void ScenarioPanel::setPresets(const Scenario &opened)
{
    for (FieldLines *lines : m_fields) {
        lines->setPreset(opened);
    }
}

void ScenarioPanel::setNearest(int plan, const Fix &fix)
{
    if (plan >= 0 && static_cast<std::size_t>(plan) < m_nearest.size() && m_nearest[static_cast<std::size_t>(plan)] != fix) {
        m_nearest[static_cast<std::size_t>(plan)] = fix;
        showDiagnostics();
    }
}

void ScenarioPanel::showRejected(const std::vector<Setting> &settings, const Errors &errors)
{
    for (const Setting &setting : settings) {
        if (FieldLines *lines = field(setting.path)) {
            const Error &error = errors.front();
            QString message = QString::fromStdString(error.message);
            if (!error.hint.empty()) {
                message += QStringLiteral("; ") + QString::fromStdString(error.hint);
            }
            lines->showProblem(message);
        }
    }
}

void ScenarioPanel::giveUpRejected()
{
    for (FieldLines *lines : m_fields) {
        lines->giveUpRejected();
    }
}

void ScenarioPanel::checkRejected()
{
    const bool holds = std::ranges::any_of(m_fields, &FieldLines::holdsRejected);
    if (holds != m_holdsRejected) {
        m_holdsRejected = holds;
        emit rejectedChanged(holds);
    }
}

void ScenarioPanel::setTheme(const Theme &theme)
{
    for (FieldLines *lines : m_fields) {
        lines->setTheme(theme);
    }
    for (PanelSectionBox *box : m_sections) {
        box->setTheme(theme);
    }
    m_skew->setTheme(theme);
    m_modelCaption->setTheme(theme);
    m_clusterCaption->setTheme(theme);
}

/// A plan above the limit is not a broken rule, but it stands among them: it is what the user has to mend next.
void ScenarioPanel::addMemoryFinding(std::vector<PlanDiagnostic> &list, std::size_t plan) const
{
    const auto &evaluation = m_plans[plan].latest;
    if (!evaluation || !evaluation->valid || evaluation->memory.ranks.empty()) {
        return;
    }
    const MemoryResult &memory = evaluation->memory;
    if (memory.verdict != Verdict::Over && memory.verdict != Verdict::Tight) {
        return;
    }
    const ByteCount peak = memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak;
    const bool over = memory.verdict == Verdict::Over;
    const QString who = m_plans.size() > 1 ? m_plans[plan].letter : tr("The plan");
    Diagnostic diagnostic;
    diagnostic.severity = over ? Severity::Error : Severity::Warning;
    diagnostic.code = "memory-limit";
    const QString size = gibText(peak - memory.usable);
    diagnostic.message =
        (over ? tr("%1 is %2 GiB over").arg(who, size) : tr("%1 is %2 GiB into the reserve").arg(who, size)).toStdString();
    if (over && !m_nearest[plan].label.empty()) {
        diagnostic.fixes = { m_nearest[plan] };
    }
    list.push_back({ diagnostic, QString(), static_cast<int>(plan) });
}

std::vector<PlanDiagnostic> ScenarioPanel::collectDiagnostics() const
{
    std::vector<PlanDiagnostic> list;
    const std::size_t count = std::min(m_plans.size(), mostPlans);
    for (std::size_t plan = 0; plan < count; ++plan) {
        if (!m_plans[plan].latest) {
            continue;
        }
        for (const Diagnostic &diagnostic : m_plans[plan].latest->diagnostics) {
            if (diagnostic.code == "memory") {
                continue; // said below, with its repair
            }
            const auto same = std::ranges::find(list, diagnostic, &PlanDiagnostic::diagnostic);
            const bool saidBefore = diagnostic.severity == Severity::Info
                && std::ranges::any_of(list, [&](const PlanDiagnostic &each) { return each.diagnostic.code == diagnostic.code; });
            if (same != list.end()) {
                same->plan = EditTarget::everyPlan;
                same->letter.clear();
            } else if (!saidBefore) { // a rule that holds is said once
                list.push_back({ diagnostic, count > 1 ? letterOf(plan) : QString(),
                                 count > 1 ? static_cast<int>(plan) : EditTarget::everyPlan });
            }
        }
    }
    for (std::size_t plan = 0; plan < count; ++plan) {
        addMemoryFinding(list, plan);
    }
    return list;
}

void ScenarioPanel::showDiagnostics()
{
    std::vector<std::vector<PlanDiagnostic>> perField(m_fields.size());
    std::array<std::vector<PlanDiagnostic>, panelSectionCount> perSection;
    IssueCounts counts;
    for (const PlanDiagnostic &each : collectDiagnostics()) {
        const Severity severity = each.diagnostic.severity;
        counts.errors += severity == Severity::Error ? 1 : 0;
        counts.warnings += severity == Severity::Warning ? 1 : 0;
        counts.satisfied += severity == Severity::Info ? 1 : 0;
        const auto owner =
            std::ranges::find_if(m_fields, [&each](const FieldLines *lines) { return each.diagnostic.field == lines->path(); });
        // A satisfied rule is said once at the end of its section; what needs a hand stands under its control.
        if (owner != m_fields.end() && severity != Severity::Info) {
            perField[static_cast<std::size_t>(owner - m_fields.begin())].push_back(each);
        } else {
            perSection.at(static_cast<std::size_t>(sectionOf(each.diagnostic.field))).push_back(each);
        }
    }
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        m_fields[i]->setDiagnostics(perField[i]);
    }
    for (std::size_t i = 0; i < perSection.size(); ++i) {
        m_sections.at(i)->diagnostics()->setDiagnostics(perSection.at(i));
    }
    if (counts != m_issues) {
        m_issues = counts;
        emit issuesChanged();
    }
}

void ScenarioPanel::showCaptions()
{
    const Scenario &a = m_scenarios.front();
    const std::shared_ptr<const Evaluation> evaluation = m_plans.empty() ? nullptr : m_plans.front().latest;
    QString model = countedText(a.model.layers, "layer");
    if (a.model.moe.experts > 0) {
        model = tr("%1 (%2 dense), %3, top %4")
                    .arg(model)
                    .arg(a.model.denseLayers)
                    .arg(countedText(a.model.moe.experts, "expert"))
                    .arg(a.model.moe.topK);
    }
    if (evaluation && evaluation->scenario.model == a.model) {
        model += tr(". %1 parameters, %2 active.")
                     .arg(shortCount(static_cast<double>(evaluation->parameters.total)),
                          shortCount(static_cast<double>(evaluation->parameters.activeWithHead)));
    }
    m_modelCaption->setText(model);
    m_clusterCaption->setText(tr("HBM %1 GiB, node %2 and network %3 GB/s")
                                  .arg(gibText(a.cluster.hbmBytes), fixedText(a.cluster.scaleUpBandwidth / 1e9, 0),
                                       fixedText(a.cluster.scaleOutBandwidth / 1e9, 1)));
    section(PanelSection::Assumptions)
        ->setCaption(tr("%1 % reserve, %2 GiB, $%3/h")
                         .arg(fixedText((a.memory.reserve - 1) * 100, 1), fixedText(a.memory.contextGib, 1),
                              fixedText(a.usdPerGpuHour, 2)));
    const bool sparse = a.model.moe.experts > 0;
    // The picture of the last valid load stays, greyed: a row that comes and goes would move the panel under the hand.
    const std::shared_ptr<const Evaluation> shown = m_plans.empty() ? nullptr : m_plans.front().shown;
    m_skew->setVisible(sparse && (shown != nullptr || evaluation == nullptr));
    m_skew->setStale(shown != nullptr && m_plans.front().stale());
    if (sparse && shown) {
        m_skew->setLoad(shown->routing);
    }
    if (!evaluation || !evaluation->valid) {
        section(PanelSection::Schedule)->setCaption({});
        section(PanelSection::RoutingSkew)->setCaption({});
        return;
    }
    const StepTime &time = evaluation->time;
    QString durations = tr("F %1, B %2, W %3").arg(milliseconds(time.f), milliseconds(time.bi), milliseconds(time.w));
    if (time.pair > 0) {
        durations += tr(", F&B %1").arg(milliseconds(time.pair));
    }
    section(PanelSection::Schedule)->setCaption(durations + tr(" ms"));
    section(PanelSection::RoutingSkew)
        ->setCaption(a.routing.exact ? tr("one permutation, seed %1").arg(static_cast<qulonglong>(a.routing.seed))
                                     : tr("expected value"));
}

} // namespace pipeloom
