// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariofile.h"
#include "core/schedule/schedulekind.h"
#include "views/controls/format.h"
#include "views/controls/planfields.h"
#include "views/plot/counted.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

QString tr(const char *text) { return QCoreApplication::translate("PlanFields", text); }

QString fromView(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// Titles of presets, read once: the lists do not change while the program runs.
template<class Names, class Read>
std::vector<ComboItem> presetItems(const Names &names, const Read &title)
{
    std::vector<ComboItem> items;
    for (const std::string &name : names) {
        items.push_back({ title(name), jsonString(QString::fromStdString(name)) });
    }
    return items;
}

std::vector<ComboItem> modelItems(const Scenario &)
{
    static const std::vector<ComboItem> items = presetItems(modelPresetNames(), [](const std::string &name) {
        const auto model = modelPreset(name);
        return QString::fromStdString(model ? model->title : name);
    });
    return items;
}

ComboItem modelChosen(const Scenario &scenario)
{
    const QString json = QString::fromStdString(settingValue(scenario, "model"));
    QString text = QString::fromStdString(scenario.model.title);
    if (!scenario.modelChoice.overrides.empty()) {
        text += tr(", changed");
    }
    return { text, json };
}

/// "H800 80 GB, 128 nodes × 8": the nodes follow the plan's GPUs.
QString clusterText(const Cluster &cluster, std::int64_t gpus)
{
    const QString title = QString::fromStdString(cluster.title);
    const int node = std::max(1, cluster.gpusPerNode);
    return gpus > 0 && gpus % node == 0 ? tr("%1, %2 × %3").arg(title, countedText(gpus / node, "node")).arg(node) : title;
}

std::vector<ComboItem> clusterItems(const Scenario &scenario)
{
    std::vector<ComboItem> items;
    static const std::vector<Cluster> clusters = [] {
        std::vector<Cluster> all;
        for (const std::string &name : clusterPresetNames()) {
            if (auto cluster = clusterPreset(name)) {
                all.push_back(std::move(cluster).value());
            }
        }
        return all;
    }();
    for (const Cluster &cluster : clusters) {
        const bool current = cluster.name == scenario.clusterChoice.preset;
        items.push_back({ current ? clusterText(cluster, scenario.plan.gpus) : QString::fromStdString(cluster.title),
                          jsonString(QString::fromStdString(cluster.name)) });
    }
    return items;
}

ComboItem clusterChosen(const Scenario &scenario)
{
    return { clusterText(scenario.cluster, scenario.plan.gpus), QString::fromStdString(settingValue(scenario, "cluster")) };
}

std::vector<ComboItem> scheduleItems(const Scenario &)
{
    std::vector<ComboItem> items;
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (canGenerate(kind)) {
            items.push_back({ fromView(title(kind)), jsonString(fromView(name(kind))) });
        }
    }
    return items;
}

ComboItem scheduleChosen(const Scenario &scenario)
{
    return { fromView(title(scenario.plan.schedule)), jsonString(fromView(name(scenario.plan.schedule))) };
}

std::vector<ComboItem> timingItems(const Scenario &)
{
    std::vector<ComboItem> items = { { tr("Model"), QStringLiteral("{\"source\":\"model\"}") } };
    for (const std::string &profile : profilePresetNames()) {
        const QString profileName = QString::fromStdString(profile);
        items.push_back({ tr("Profile %1").arg(profileName),
                          QStringLiteral("{\"source\":\"calibrated\",\"profile\":%1}").arg(jsonString(profileName)) });
    }
    return items;
}

ComboItem timingChosen(const Scenario &scenario)
{
    const Timing &timing = scenario.timing;
    switch (timing.source) {
    case TimingSource::Model:
        return timingItems(scenario).front();
    case TimingSource::Calibrated: {
        const QString profile = QString::fromStdString(timing.profileName);
        return { tr("Profile %1").arg(QFileInfo(profile).fileName()),
                 QStringLiteral("{\"source\":\"calibrated\",\"profile\":%1}").arg(jsonString(profile)) };
    }
    case TimingSource::Manual:
        break;
    }
    return { tr("Typed durations"), QString::fromStdString(settingValue(scenario, "timing")) };
}

std::vector<ComboItem> precisionItems(const Scenario &)
{
    static const std::vector<ComboItem> items = presetItems(precisionPresetNames(), [](const std::string &name) {
        const auto precision = precisionPreset(name);
        return QString::fromStdString(precision ? precision->title : name);
    });
    return items;
}

ComboItem precisionChosen(const Scenario &scenario)
{
    return { QString::fromStdString(scenario.precision.title), QString::fromStdString(settingValue(scenario, "precision")) };
}

QString recomputeTitle(const std::string &name)
{
    if (name == "none") {
        return tr("Nothing");
    }
    if (name == "deepseek-v3") {
        return tr("Norms, MLA up, SwiGLU");
    }
    if (name == "selective") {
        return tr("Selective: MLA up, act, norm");
    }
    if (name == "full") {
        return tr("Full, every layer");
    }
    return QString::fromStdString(name);
}

std::vector<ComboItem> recomputeItems(const Scenario &)
{
    static const std::vector<ComboItem> items = presetItems(recomputePresetNames(), recomputeTitle);
    return items;
}

ComboItem recomputeChosen(const Scenario &scenario)
{
    return { recomputeTitle(scenario.recompute.name), QString::fromStdString(settingValue(scenario, "recompute")) };
}

std::vector<ComboItem> zeroItems(const Scenario &)
{
    std::vector<ComboItem> items;
    for (int level = 0; level <= 3; ++level) {
        items.push_back({ zeroTitle(level), QString::number(level) });
    }
    return items;
}

ComboItem zeroChosen(const Scenario &scenario) { return { zeroTitle(scenario.plan.zero), QString::number(scenario.plan.zero) }; }

const std::array<ChoiceField, 7> &choiceTable()
{
    using P = PanelSection;
    static const std::array<ChoiceField, 7> table = { {
        { "model", QT_TRANSLATE_NOOP("PlanFields", "Model"), P::ModelAndCluster, false, modelItems, modelChosen },
        { "cluster", QT_TRANSLATE_NOOP("PlanFields", "Cluster"), P::ModelAndCluster, false, clusterItems, clusterChosen },
        { "plan.schedule", QT_TRANSLATE_NOOP("PlanFields", "Schedule"), P::Schedule, true, scheduleItems, scheduleChosen },
        { "timing", QT_TRANSLATE_NOOP("PlanFields", "Durations"), P::Assumptions, false, timingItems, timingChosen },
        { "precision", QT_TRANSLATE_NOOP("PlanFields", "Precision"), P::MemoryPolicy, false, precisionItems, precisionChosen },
        { "recompute", QT_TRANSLATE_NOOP("PlanFields", "Recompute"), P::MemoryPolicy, false, recomputeItems, recomputeChosen },
        { "plan.zero", QT_TRANSLATE_NOOP("PlanFields", "ZeRO"), P::MemoryPolicy, false, zeroItems, zeroChosen },
    } };
    return table;
}

} // namespace

std::span<const ChoiceField> choiceFields() { return choiceTable(); }

PanelSection sectionOf(const std::string &field)
{
    const auto starts = [&field](const char *prefix) { return field.rfind(prefix, 0) == 0; };
    if (starts("model") || starts("cluster")) {
        return PanelSection::ModelAndCluster;
    }
    if (starts("plan.micro_batch") || starts("plan.global_batch") || starts("plan.seq")) {
        return PanelSection::Batch;
    }
    if (starts("plan.schedule") || starts("plan.interleave") || starts("timing") || starts("runtime")) {
        return PanelSection::Schedule;
    }
    if (starts("memory") || starts("precision") || starts("recompute") || starts("plan.zero") || starts("plan.fsdp")
        || starts("plan.optimizer")) {
        return PanelSection::MemoryPolicy;
    }
    if (starts("routing")) {
        return PanelSection::RoutingSkew;
    }
    return starts("money") ? PanelSection::Assumptions : PanelSection::Parallelism;
}

QString jsonString(const QString &text)
{
    QString escaped = text;
    escaped.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
    return QLatin1Char('"') + escaped + QLatin1Char('"');
}

} // namespace pipeloom
