// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/cause.h"
#include "core/exchange/decimalscale.h"
#include "core/exchange/document.h"
#include "core/exchange/quantity.h"
#include "core/exchange/report.h"
#include "core/exchange/schedulereport.h"
#include "core/exchange/selfcheck.h"
#include "core/exchange/sentences.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{

using namespace pipeloom;

TEST(DecimalScale, isAsFineAsTheDurationsNeed)
{
    const auto decimals = [](std::vector<double> values) { return DecimalScale::forValues(values, 1000).decimals(); };
    EXPECT_EQ(decimals({ 1, 2, 3 }), 0);
    EXPECT_EQ(decimals({ 1000000 }), 0);
    EXPECT_EQ(decimals({ 77.3, 127.5, 29.8, 129 }), 1);
    EXPECT_EQ(decimals({ 0.05, 2.272 }), 3);
    EXPECT_EQ(decimals({ 1e-7 }), 7);
    EXPECT_EQ(decimals({ 0.1 + 0.2 }), 15) << "0.30000000000000004 needs 17, 15 are kept";
    EXPECT_EQ(decimals({ 1e12, 0.123456789 }), 3) << "fewer decimals where the sum would overflow";
}

TEST(DecimalScale, goesToWholeTicksAndBack)
{
    for (const double value : { 0.0, 1.0, 0.05, 2.272, 77.3, 129.0, 1234567.891 }) {
        const std::vector<double> values = { value, 0.001 };
        const DecimalScale scale = DecimalScale::forValues(values, 1000);
        EXPECT_EQ(scale.toUnits(scale.toTicks(value)), value);
    }
    const std::vector<double> values = { 0.1 };
    const DecimalScale scale = DecimalScale::forValues(values, 1000);
    Nanoseconds sum = 0;
    for (int i = 0; i < 653; ++i)
        sum += scale.toTicks(0.1);
    EXPECT_EQ(scale.text(sum), "65.3");
    EXPECT_EQ(scale.toUnits(sum, 3), 65300.0);
}

TEST(DecimalScale, refusesWhatWouldOverflow)
{
    EXPECT_TRUE(DecimalScale::fits(1e12, 1e6));
    EXPECT_FALSE(DecimalScale::fits(1e12, 1e7));
}

TEST(ScheduleExchange, refusesDurationsThatAreNone)
{
    const ScheduleRequest request{ ScheduleKind::OneForwardOneBackward, 4, 8, 1, {} };
    for (const double bad : { std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0, 1e300 }) {
        UnitDurations durations;
        durations.f = bad;
        EXPECT_FALSE(runSchedule(request, durations).hasValue()) << bad;
    }
    UnitDurations durations;
    durations.w = durations.b + 1;
    const auto refused = runSchedule(request, durations);
    ASSERT_FALSE(refused.hasValue());
    EXPECT_EQ(refused.error().where, "w");
}

ReportDocument sampleDocument()
{
    return { "A <b>title</b> | x",
             { "One sentence." },
             { { "Table", {}, { { "key" }, { "value", true } }, { { "a|b", "1" }, { "<i>", "1,000" }, { "−µ", "22" } } } },
             "Footer" };
}

TEST(ReportDocuments, textAlignsByLettersNotBytes)
{
    EXPECT_EQ(toText(sampleDocument()),
              "A <b>title</b> | x\nOne sentence.\n\nTable\nkey  value\na|b      1\n<i>  1,000\n−µ      22\n\nFooter\n");
}

TEST(ReportDocuments, markdownAndHtmlEscapeWhatUsersWrite)
{
    const std::string markdown = toMarkdown(sampleDocument());
    EXPECT_NE(markdown.find("| a\\|b | 1 |"), std::string::npos) << markdown;
    EXPECT_EQ(markdown.find("<b>"), std::string::npos);
    EXPECT_NE(markdown.find("| --- | ---: |"), std::string::npos);
    const std::string html = toHtml(sampleDocument());
    EXPECT_NE(html.find("A &lt;b&gt;title&lt;/b&gt; | x</h1>"), std::string::npos);
    EXPECT_EQ(html.find("<i>"), std::string::npos);
    EXPECT_NE(html.find("<td class=\"n\">1,000</td>"), std::string::npos);
}

TEST(ReportDocuments, csvQuotesAndDefusesFormulas)
{
    const ReportTable table{
        {}, {}, { { "a" }, { "b" } }, { { "x,y", "say \"hi\"" }, { "=1+1", "-5" }, { "@cmd", "-x" }, { "two\nlines", "+3" } }
    };
    EXPECT_EQ(toCsv(table), "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n'=1+1,-5\r\n'@cmd,'-x\r\n\"two\nlines\",+3\r\n");
}

std::shared_ptr<const Evaluation> evaluated(const std::vector<Setting> &settings)
{
    const auto loaded = parseScenario(samples().front().text, "sample");
    if (!loaded)
        return nullptr;
    const auto scenario = applySettings(loaded->scenario, settings);
    return scenario ? evaluate(*scenario) : nullptr;
}

TEST(Quantities, knowUnitTagAndValueOfEachNumber)
{
    const auto evaluation = evaluated({});
    ASSERT_TRUE(evaluation && evaluation->valid);
    for (const Quantity &q : quantities(*evaluation)) {
        EXPECT_TRUE(q.known()) << q.id;
        EXPECT_FALSE(q.unit.empty()) << q.id;
        EXPECT_EQ(displayed(q).find("nan"), std::string::npos) << q.id;
    }
    const auto find = [&](const char *id) {
        const auto all = quantities(*evaluation);
        return *std::ranges::find(all, id, &Quantity::id);
    };
    EXPECT_EQ(find("time.step_s").value, evaluation->time.step);
    EXPECT_FALSE(find("time.step_s").source.empty()) << "its term was not found";
    EXPECT_FALSE(find("memory.activations").source.empty()) << "its term was not found";
    EXPECT_FALSE(find("cost.usd_per_1t_tokens").source.empty()) << "its term was not found";
}

/// The parts listed under the peak add up to it.
TEST(Quantities, memoryPartsAddUpToThePeak)
{
    const auto evaluation = evaluated({});
    double parts = 0;
    double peak = 0;
    for (const Quantity &q : quantities(*evaluation)) {
        if (q.id == "memory.peak")
            peak = q.value;
        else if (q.label.starts_with("  ") && q.id.starts_with("memory."))
            parts += q.value;
    }
    EXPECT_EQ(parts, peak);
}

TEST(Quantities, oneRankIsNotOneRanks)
{
    const auto e = evaluated({ { "plan.pp", "16" } });
    std::vector<std::string> shown;
    for (const Quantity &q : quantities(*e))
        shown.push_back(displayed(q));
    EXPECT_NE(std::ranges::find(shown, "1 rank"), shown.end()) << "EDP is 1024 / (64 x 16)";
    EXPECT_NE(std::ranges::find(shown, "64 ranks"), shown.end());
    EXPECT_NE(std::ranges::find(shown, "40 microbatches"), shown.end());
}

TEST(Causes, nameTheFieldThatWasChanged)
{
    const auto base = evaluated({});
    const struct
    {
        Setting setting;
        const char *fields;
    } cases[] = {
        { { "plan.pp", "16" }, "PP 16 instead of 8" },
        { { "plan.schedule", "\"1f1b\"" }, "1F1B instead of DualPipe" },
        { { "plan.zero", "2" }, "ZeRO 2 instead of 1" },
        { { "plan.global_batch", "5120" }, "global batch 5,120 instead of 2,560" },
        { { "recompute", "\"full\"" }, "recompute full instead of deepseek-v3" },
        { { "precision", "\"megatron-bf16\"" }, "precision megatron-bf16 instead of deepseek-v3-fp8" },
    };
    for (const auto &[setting, fields] : cases) {
        const auto other = evaluated({ setting });
        ASSERT_TRUE(other && other->valid) << setting.path;
        EXPECT_EQ(changedFields(*base, *other), fields);
        std::string cause = causeOf("memory.peak", *base, *other);
        if (cause == "equal")
            cause = causeOf("time.step_s", *base, *other);
        EXPECT_NE(cause.find(fields), std::string::npos) << cause;
    }
    EXPECT_EQ(changedFields(*base, *base), "");
    for (const Quantity &q : quantities(*base))
        EXPECT_EQ(causeOf(q.id, *base, *base), "equal") << q.id;
}

TEST(Causes, pointAtTheLargestPart)
{
    const auto base = evaluated({});
    // Full recompute takes the activations away and adds a forward to the backward.
    const auto full = evaluated({ { "recompute", "\"full\"" } });
    EXPECT_TRUE(causeOf("memory.peak", *base, *full).starts_with("Activations")) << causeOf("memory.peak", *base, *full);
    EXPECT_NE(causeOf("time.step_s", *base, *full).find("Compute +"), std::string::npos) << causeOf("time.step_s", *base, *full);
    // ZeRO 2 shards the gradients.
    const auto sharded = evaluated({ { "plan.zero", "2" } });
    EXPECT_TRUE(causeOf("memory.peak", *base, *sharded).starts_with("Gradients ")) << causeOf("memory.peak", *base, *sharded);
    // A dearer GPU-hour changes money alone.
    const auto dear = evaluated({ { "money.usd_per_gpu_hour", "4" } });
    EXPECT_NE(causeOf("cost.usd_per_1t_tokens", *base, *dear).find("4.00 USD a GPU-hour instead of 2.00"), std::string::npos);
    EXPECT_EQ(causeOf("time.step_s", *base, *dear), "equal");
}

TEST(Sentences, settingsReadBackAsTyped)
{
    const std::vector<Setting> settings = { { "plan.pp", "16" },
                                            { "plan.schedule", "\"1f1b\"" },
                                            { "plan.layout", "[16,15,15,15]" },
                                            { "name", "\"16\"" },
                                            { "name", "\"two words\"" } };
    EXPECT_EQ(
        setOptions(settings),
        "--set plan.pp=16 --set plan.schedule=1f1b --set 'plan.layout=[16,15,15,15]' --set 'name=\"16\"' --set 'name=two words'");
}

TEST(Reports, invalidPlansAreWrittenWithReasonsInsteadOfNumbers)
{
    const auto invalid = evaluated({ { "plan.global_batch", "640" } });
    ASSERT_TRUE(invalid);
    ASSERT_FALSE(invalid->valid);
    const auto json = nlohmann::json::parse(evaluationJson(*invalid));
    EXPECT_TRUE(json.at("time").at("step_s").is_null());
    EXPECT_EQ(json.at("memory").at("verdict"), "invalid");
    EXPECT_FALSE(json.at("notes").empty());
    EXPECT_NE(evaluationText(*invalid).find("Not valid: "), std::string::npos);
    EXPECT_NE(evaluationText(*invalid).find("not computed"), std::string::npos);
    EXPECT_NE(evaluationCsv(*invalid).find("time.step_s,Step time,,s,"), std::string::npos);
}

TEST(SelfCheck, aRowOutsideItsToleranceIsNotWithin)
{
    SelfCheckRow row{ "id", "quantity", "s", 100, 101, 0.02, Provenance::Counted, "source" };
    EXPECT_TRUE(row.within());
    row.ours = 103;
    EXPECT_FALSE(row.within());
    row.ours = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(row.within());
    const std::vector<SelfCheckRow> rows = { row };
    EXPECT_TRUE(nlohmann::json::parse(selfCheckJson(rows)).at("rows")[0].at("ours").is_null());
    EXPECT_NE(selfCheckText(rows).find("OUT"), std::string::npos);
}

} // namespace
