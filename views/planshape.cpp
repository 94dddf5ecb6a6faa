// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/planshape.h"

#include "views/plot/numbers.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace pipeloom
{

namespace
{

QString tr(const char *text) { return QCoreApplication::translate("PlanShape", text); }

/// What the shape does not tell and the plan has changed since it was valid.
QStringList changedSince(const Scenario &valid, const Scenario &latest)
{
    QStringList parts;
    if (valid.model.title != latest.model.title)
        parts += QString::fromStdString(valid.model.title);
    if (valid.plan.schedule != latest.plan.schedule)
        parts += QString::fromUtf8(title(valid.plan.schedule).data(), static_cast<qsizetype>(title(valid.plan.schedule).size()));
    if (valid.plan.gpus != latest.plan.gpus)
        parts += tr("%1 GPUs").arg(wholeNumber(valid.plan.gpus));
    if (valid.plan.vpp != latest.plan.vpp)
        parts += tr("VPP %1").arg(valid.plan.vpp);
    if (valid.plan.microBatch != latest.plan.microBatch)
        parts += tr("micro-batch %1").arg(valid.plan.microBatch);
    if (valid.plan.seq != latest.plan.seq)
        parts += tr("sequence %1").arg(wholeNumber(valid.plan.seq));
    return parts;
}

} // namespace

QString planShape(const Evaluation &evaluation)
{
    const ParallelPlan &plan = evaluation.scenario.plan;
    QStringList parts = { tr("PP %1").arg(plan.pp) };
    if (plan.tp > 1)
        parts += tr("TP %1").arg(plan.tp);
    if (plan.cp > 1)
        parts += tr("CP %1").arg(plan.cp);
    if (evaluation.scenario.model.moe.experts > 0)
        parts += tr("EP %1").arg(plan.ep);
    if (evaluation.groups.microbatches > 0)
        parts += tr("M %1").arg(wholeNumber(evaluation.groups.microbatches));
    return parts.join(QStringLiteral(", "));
}

QString lastValidText(const ShownPlan &plan)
{
    if (!plan.stale() || !plan.shown)
        return {};
    const QStringList parts = changedSince(plan.shown->scenario, plan.latest->scenario) + QStringList{ planShape(*plan.shown) };
    return tr("last valid plan, %1").arg(parts.join(QStringLiteral(", ")));
}

bool haveFigures(const std::vector<ShownPlan> &plans)
{
    return std::ranges::any_of(plans, [](const ShownPlan &plan) { return plan.shown || !plan.latest; });
}

} // namespace pipeloom
