// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/diagnostic.h"
#include "core/plan/groups.h"
#include "views/controls/planfields.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pipeloom
{

namespace
{

QString tr(const char *text) { return QCoreApplication::translate("PlanFields", text); }

// Sensible values
// ----------------------------------------------------------------------------------------------------------------

std::vector<double> powersOfTwo(double last)
{
    std::vector<double> values;
    for (double value = 1; value <= last; value *= 2) {
        values.push_back(value);
    }
    return values;
}

std::vector<double> gpuValues(const Scenario &scenario)
{
    const double node = std::max(1, scenario.cluster.gpusPerNode);
    std::vector<double> values;
    for (double nodes = 1; nodes <= 2048; nodes *= 2) {
        values.push_back(nodes * node);
        if (nodes >= 2) {
            values.push_back(nodes * 1.5 * node);
        }
    }
    return values;
}

/// Any number, thinned out above 16: every second, then every fourth.
std::vector<double> pipelineValues(const Scenario &scenario)
{
    const int last = std::clamp(scenario.model.layers, 1, 64);
    std::vector<double> values;
    for (int value = 1; value <= last; value += value < 16 ? 1 : value < 32 ? 2 : 4) {
        values.push_back(value);
    }
    return values;
}

std::vector<double> tensorValues(const Scenario &scenario)
{
    std::vector<double> values = powersOfTwo(64);
    std::erase_if(values, [&scenario](double value) { return scenario.model.attention.heads % static_cast<int>(value) != 0; });
    return values;
}

std::vector<double> contextValues(const Scenario &) { return powersOfTwo(64); }

std::vector<double> expertValues(const Scenario &scenario)
{
    std::vector<double> values;
    const int experts = std::max(1, scenario.model.moe.experts);
    for (int value = 1; value <= experts; ++value) {
        if (experts % value == 0) {
            values.push_back(value);
        }
    }
    return values;
}

std::vector<double> virtualValues(const Scenario &scenario)
{
    std::vector<double> values;
    const int perRank = std::max(1, scenario.model.layers / std::max(1, scenario.plan.pp));
    for (int value = 1; value <= std::min(perRank, 16); ++value) {
        values.push_back(value);
    }
    return values;
}

std::vector<double> microBatchValues(const Scenario &) { return { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16 }; }

/// Whole numbers of microbatches: 1 to 32, then ever wider steps.
std::vector<double> globalBatchValues(const Scenario &scenario)
{
    const ParallelPlan &plan = scenario.plan;
    const double model = std::max(1.0, double(plan.tp) * plan.cp * plan.pp);
    const double replicas = std::max(1.0, std::floor(static_cast<double>(plan.gpus) / model));
    const double unit = replicas * std::max(1, plan.microBatch);
    std::vector<double> values;
    for (int count = 1; count <= 512; count += count < 32 ? 1 : count < 64 ? 2 : count < 128 ? 8 : 32) {
        values.push_back(count * unit);
    }
    return values;
}

std::vector<double> sequenceValues(const Scenario &)
{
    return { 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768, 65536, 131072 };
}

std::vector<double> steps(double first, double last, double step)
{
    std::vector<double> values;
    const auto count = static_cast<int>(std::lround((last - first) / step));
    for (int i = 0; i <= count; ++i) {
        values.push_back(std::round((first + i * step) * 1e6) / 1e6);
    }
    return values;
}

std::vector<double> sigmaValues(const Scenario &) { return steps(0, 1.5, 0.01); }

std::vector<double> reserveValues(const Scenario &) { return steps(0, 20, 0.1); }

std::vector<double> contextGibValues(const Scenario &) { return steps(0, 6, 0.1); }

std::vector<double> priceValues(const Scenario &) { return steps(0, 12, 0.1); }

// Why a field is fixed
// -------------------------------------------------------------------------------------------------------------

QString editable(std::span<const Scenario>) { return {}; }

bool interleaves(ScheduleKind kind) { return chunksPerRank(kind, 3) == 3; }

/// "2 stages fixed by A": which plan's schedule fixes the number of chunks.
QString virtualReason(std::span<const Scenario> plans)
{
    for (const Scenario &plan : plans) {
        if (interleaves(plan.plan.schedule)) {
            return {};
        }
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (chunksPerRank(plans[i].plan.schedule, 1) == 2) {
            return plans.size() > 1 ? tr("2 stages fixed by %1").arg(QChar(u'A' + static_cast<char16_t>(i)))
                                    : tr("2 stages by schedule");
        }
    }
    return tr("1 stage by schedule");
}

QString expertReason(std::span<const Scenario> plans)
{
    for (const Scenario &plan : plans) {
        if (plan.model.moe.experts > 0) {
            return {};
        }
    }
    return tr("dense model");
}

QString derivedReason(std::span<const Scenario>) { return tr("derived"); }

// Reading and writing
// ----------------------------------------------------------------------------------------------------------------

std::string wholeText(double value) { return std::to_string(static_cast<long long>(value)); }

std::string plainText(double value) { return QString::number(value, 'g', 12).toStdString(); }

/// The panel speaks of 5.3 % reserve; the scenario holds reserved / allocated.
std::string reserveText(double percent) { return plainText(std::round((1 + percent / 100) * 1e6) / 1e6); }

double reservePercent(const Scenario &scenario) { return std::round((scenario.memory.reserve - 1) * 1e6) / 1e4; }

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();

double dataParallel(const Scenario &scenario)
{
    const ParallelPlan &plan = scenario.plan;
    const std::int64_t model = std::int64_t(plan.tp) * plan.cp * plan.pp;
    // A degree that does not come out whole is none.
    return model > 0 && plan.gpus > 0 && plan.gpus % model == 0 ? static_cast<double>(plan.gpus / model) : noNumber;
}

constexpr auto noPut = nullptr;

const std::array<NumberField, 14> &numberTable()
{
    using P = PanelSection;
    static const std::array<NumberField, 14> table = { {
        { "plan.gpus", QT_TRANSLATE_NOOP("PlanFields", "GPUs"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.gpus); }, gpuValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.gpus = std::int64_t(v); } },
        { "plan.pp", QT_TRANSLATE_NOOP("PlanFields", "Pipeline PP"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.pp); }, pipelineValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.pp = int(v); } },
        { "plan.vpp", QT_TRANSLATE_NOOP("PlanFields", "Virtual VPP"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.vpp); }, virtualValues, virtualReason, wholeText,
          [](ParallelPlan &p, double v) { p.vpp = int(v); } },
        { "plan.tp", QT_TRANSLATE_NOOP("PlanFields", "Tensor TP"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.tp); }, tensorValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.tp = int(v); } },
        { "plan.cp", QT_TRANSLATE_NOOP("PlanFields", "Context CP"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.cp); }, contextValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.cp = int(v); } },
        { "plan.ep", QT_TRANSLATE_NOOP("PlanFields", "Expert EP"), P::Parallelism, 0,
          [](const Scenario &s) { return double(s.plan.ep); }, expertValues, expertReason, wholeText,
          [](ParallelPlan &p, double v) { p.ep = int(v); } },
        { "plan.dp", QT_TRANSLATE_NOOP("PlanFields", "Data DP"), P::Parallelism, 0, dataParallel, contextValues, derivedReason,
          wholeText, noPut },
        { "plan.micro_batch", QT_TRANSLATE_NOOP("PlanFields", "Micro-batch"), P::Batch, 0,
          [](const Scenario &s) { return double(s.plan.microBatch); }, microBatchValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.microBatch = int(v); } },
        { "plan.global_batch", QT_TRANSLATE_NOOP("PlanFields", "Global batch"), P::Batch, 0,
          [](const Scenario &s) { return double(s.plan.globalBatch); }, globalBatchValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.globalBatch = std::int64_t(v); } },
        { "plan.seq", QT_TRANSLATE_NOOP("PlanFields", "Sequence"), P::Batch, 0,
          [](const Scenario &s) { return double(s.plan.seq); }, sequenceValues, editable, wholeText,
          [](ParallelPlan &p, double v) { p.seq = int(v); } },
        { "routing.sigma", QT_TRANSLATE_NOOP("PlanFields", "Lognormal σ"), P::RoutingSkew, 2,
          [](const Scenario &s) { return s.routing.sigma; }, sigmaValues, expertReason, plainText, noPut },
        { "memory.reserve", QT_TRANSLATE_NOOP("PlanFields", "Reserve %"), P::Assumptions, 1, reservePercent, reserveValues,
          editable, reserveText, noPut },
        { "memory.context_gib", QT_TRANSLATE_NOOP("PlanFields", "Context GiB"), P::Assumptions, 1,
          [](const Scenario &s) { return s.memory.contextGib; }, contextGibValues, editable, plainText, noPut },
        { "money.usd_per_gpu_hour", QT_TRANSLATE_NOOP("PlanFields", "$ per GPU-hour"), P::Assumptions, 2,
          [](const Scenario &s) { return s.usdPerGpuHour; }, priceValues, editable, plainText, noPut },
    } };
    return table;
}

} // namespace

std::span<const NumberField> numberFields() { return numberTable(); }

std::vector<double> impossibleValues(const Scenario &scenario, const NumberField &field)
{
    std::vector<double> impossible;
    if (field.put == nullptr) {
        return impossible;
    }
    const std::vector<double> values = field.values(scenario);
    for (const double value : values) {
        ParallelPlan plan = scenario.plan;
        field.put(plan, value);
        if (!planRuns(scenario.model, scenario.cluster, plan)) {
            impossible.push_back(value);
        }
    }
    // A fault that no value of this field mends is not this field's.
    return impossible.size() == values.size() ? std::vector<double>() : impossible;
}

} // namespace pipeloom
