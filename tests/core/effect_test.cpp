// SPDX-License-Identifier: GPL-3.0-or-later
// A field that cannot change the numbers says so, and what it says is true: the plan with the field at its default gives the
// same.
#include "core/exchange/quantity.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace pipeloom
{
namespace
{

struct Case
{
    const char *sample;
    std::vector<Setting> with; ///< what makes the field useless, or useful
    Setting field;
    bool warns;
};

void PrintTo(const Case &c, std::ostream *out)
{
    *out << c.sample;
    for (const Setting &setting : c.with)
        *out << ' ' << setting.path << '=' << setting.json;
    *out << ' ' << c.field.path << '=' << c.field.json;
}

Scenario sampleScenario(std::string_view start)
{
    for (const Sample &sample : samples()) {
        if (sample.name.starts_with(start))
            return parseScenario(sample.text)->scenario;
    }
    ADD_FAILURE() << "no sample " << start;
    return {};
}

std::vector<double> numbers(const Evaluation &e)
{
    std::vector<double> out;
    for (const Quantity &q : quantities(e)) {
        // What a value is not known by stands as NaN, which equals nothing.
        if (q.known())
            out.push_back(q.value);
    }
    return out;
}

class Effects : public testing::TestWithParam<Case>
{
};

TEST_P(Effects, areMissingExactlyWhereTheWarningSaysSo)
{
    const Case &c = GetParam();
    const auto base = applySettings(sampleScenario(c.sample), c.with);
    ASSERT_TRUE(base) << text(base.errors());
    const auto changed = applySettings(*base, std::vector<Setting>{ c.field });
    ASSERT_TRUE(changed) << text(changed.errors());
    const auto before = evaluate(*base);
    const auto after = evaluate(*changed);
    ASSERT_TRUE(before->valid && after->valid);
    const auto warning = std::ranges::find_if(
        after->diagnostics, [&](const Diagnostic &d) { return d.code == "no-effect" && d.field == c.field.path; });
    EXPECT_EQ(warning != after->diagnostics.end(), c.warns);
    EXPECT_EQ(numbers(*before) == numbers(*after), c.warns) << "the warning and the numbers disagree";
    if (warning == after->diagnostics.end())
        return;
    EXPECT_EQ(warning->severity, Severity::Warning);
    EXPECT_NE(warning->message.find("has no effect: "), std::string::npos) << warning->message;
    for (const Fix &fix : warning->fixes) {
        const auto repaired = applySettings(*changed, fix.set);
        ASSERT_TRUE(repaired) << text(repaired.errors());
        const auto result = evaluate(*repaired);
        for (const Diagnostic &d : result->diagnostics)
            EXPECT_FALSE(d.code == "no-effect" && d.field == c.field.path) << d.message;
    }
}

const Setting oneF = { "plan.schedule", "\"1f1b\"" };
const Setting xmoe = { "runtime.moe", "\"x-moe-ssmb\"" };
const Setting quarter = { "runtime.capacity_factor", "1.25" };

INSTANTIATE_TEST_SUITE_P(
    Fields, Effects,
    testing::Values(
        Case{ "01", {}, { "plan.interleave_group", "10" }, true }, Case{ "01", {}, { "plan.vpp", "2" }, true },
        Case{ "01", { oneF }, { "plan.vpp", "3" }, true },
        Case{
            "01",
            { { "plan.schedule", "\"interleaved\"" }, { "plan.vpp", "2" }, { "plan.pp", "4" }, { "plan.global_batch", "4096" } },
            { "plan.interleave_group", "8" },
            false },
        Case{ "01", { oneF }, { "runtime.overlap", "false" }, true }, Case{ "01", {}, { "runtime.overlap", "false" }, false },
        Case{ "01", {}, { "routing.seed", "7" }, true },
        Case{ "01", { { "routing.exact", "true" }, { "routing.sigma", "0.5" } }, { "routing.seed", "7" }, false },
        Case{ "01", { { "routing.family", "\"uniform\"" } }, { "routing.sigma", "0.5" }, true },
        Case{ "01", { { "routing.family", "\"uniform\"" } }, { "routing.exact", "true" }, true },
        Case{ "01", { { "routing.sigma", "0" } }, { "routing.seed", "7" }, true },
        Case{ "01", {}, { "routing.sigma", "0.5" }, false }, Case{ "01", {}, { "routing.exact", "true" }, false },
        Case{ "01", {}, { "routing.node_limit", "2" }, false },
        Case{ "01", { { "routing.node_limit", "0" } }, { "routing.node_limit", "8" }, true },
        Case{ "03", { { "routing.node_limit", "0" } }, { "routing.node_limit", "2" }, true },
        Case{ "01", {}, { "plan.placement", "\"dp-first\"" }, false },
        Case{ "03", { { "plan.ep", "1" }, { "plan.etp", "1" } }, { "plan.placement", "\"dp-first\"" }, true },
        Case{ "01", {}, { "routing.layers", "\"independent\"" }, false },
        Case{ "04", {}, { "routing.layers", "\"independent\"" }, true },
        Case{ "01", { { "routing.sigma", "0" } }, { "routing.layers", "\"independent\"" }, true },
        Case{ "04", {}, { "routing.sigma", "0.5" }, true }, Case{ "04", {}, { "routing.seed", "7" }, true },
        Case{ "04", {}, { "routing.exact", "true" }, true }, Case{ "04", {}, { "routing.node_limit", "2" }, true },
        Case{ "04", {}, { "plan.placement", "\"dp-first\"" }, true },
        Case{ "04", {}, { "runtime.moe", "\"megatron-alltoall\"" }, true },
        Case{ "03", { { "runtime.moe", "\"megatron-alltoall\"" } }, { "runtime.moe", "\"deepep\"" }, false },
        Case{ "04", {}, { "timing.profile", "\"deepseek-v3-h800\"" }, true }, Case{ "04", {}, { "timing.f", "0.5" }, true },
        Case{ "04", { { "timing", R"({"source":"manual","f":0.1,"b":0.2,"w":0.1})" } }, { "timing.fb", "0.25" }, true },
        Case{ "01", { { "timing", R"({"source":"manual","f":0.1,"b":0.2,"w":0.1})" } }, { "timing.fb", "0.25" }, false },
        Case{ "01", { { "timing", R"({"source":"manual","f":0.1,"b":0.2,"w":0.1})" } }, { "runtime.overlap", "false" }, true },
        Case{ "04", { { "plan.gpus", "16" }, { "plan.global_batch", "32" } }, { "plan.zero", "3" }, true },
        Case{ "01", { xmoe, { "plan.tp", "2" } }, { "plan.sequence_parallel", "false" }, true },
        Case{ "01", { xmoe }, { "runtime.dummy_wgrad", "false" }, true },
        Case{ "03", {}, { "runtime.dummy_wgrad", "false" }, false },
        Case{ "01", { xmoe, quarter }, { "runtime.pad_to_capacity", "true" }, true },
        Case{ "01", { { "runtime.moe", "\"tutel\"" }, quarter }, { "runtime.pad_to_capacity", "true" }, true },
        Case{ "01", { quarter }, { "runtime.pad_to_capacity", "true" }, false }, Case{ "04", {}, { "plan.zero", "3" }, false },
        Case{ "04", { { "plan.fsdp", "true" } }, { "plan.zero", "2" }, true }));

TEST(Effects, theSamplesAskForNothingInVain)
{
    for (const Sample &sample : samples()) {
        const Scenario scenario = parseScenario(sample.text)->scenario;
        for (std::size_t plan = 0; plan <= scenario.alternatives.size(); ++plan) {
            const auto result = evaluate(*planScenario(scenario, plan));
            for (const Diagnostic &d : result->diagnostics)
                EXPECT_NE(d.code, "no-effect") << sample.name << ", plan " << plan << ": " << d.message;
        }
    }
}

TEST(Effects, pairsAreInTheOrdersOfTheSchedulesThatClaimThem)
{
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (!canGenerate(kind))
            continue;
        const auto schedule = generate({ kind, 4, 16, 2 });
        ASSERT_TRUE(schedule) << name(kind);
        EXPECT_EQ(std::ranges::count(schedule->ops, OpKind::FB, &Op::kind) > 0, hasPairs(kind)) << name(kind);
        const auto grouped = generate({ kind, 4, 16, 2, 8 });
        ASSERT_TRUE(grouped) << name(kind);
        EXPECT_EQ(grouped->ops != schedule->ops, takesGroup(kind)) << name(kind);
        const auto chunked = generate({ kind, 4, 16, 3 });
        ASSERT_TRUE(chunked) << name(kind);
        EXPECT_EQ(chunked->chunks != schedule->chunks, takesChunks(kind)) << name(kind);
    }
}

} // namespace
} // namespace pipeloom
