// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/scenario_text.h"

#include <gtest/gtest.h>

namespace pipeloom
{
namespace
{

Scenario base(std::string_view changes = "{}")
{
    auto result = parsed(changes, true);
    EXPECT_TRUE(result) << (result ? std::string() : text(result.errors()));
    return result ? result->scenario : Scenario{};
}

Expected<Scenario> with(const Scenario &scenario, std::vector<Setting> settings) { return applySettings(scenario, settings); }

TEST(Settings, ParseAsJsonElseAsText)
{
    const std::pair<const char *, Setting> cases[] = {
        { "plan.pp=8", { "plan.pp", "8" } },
        { "plan.schedule=1f1b", { "plan.schedule", "\"1f1b\"" } },
        { "plan.schedule=\"1f1b\"", { "plan.schedule", "\"1f1b\"" } },
        { "plan.layout=null", { "plan.layout", "null" } },
        { "plan.layout=[8, 8]", { "plan.layout", "[8,8]" } },
        { "plan.layout=Et*4|(tttt|)*14tmL", { "plan.layout", "\"Et*4|(tttt|)*14tmL\"" } },
        { "name=a=b", { "name", "\"a=b\"" } },
        { "name=", { "name", "\"\"" } },
        { "plan.fsdp=false", { "plan.fsdp", "false" } },
        { "routing.sigma=NaN", { "routing.sigma", "\"NaN\"" } },
    };
    for (const auto &[given, expected] : cases) {
        const auto setting = parseSetting(given);
        ASSERT_TRUE(setting) << given;
        EXPECT_EQ(*setting, expected) << given;
    }
    for (const char *wrong : { "", "plan.pp", "=8" })
        EXPECT_EQ(parseSetting(wrong).error().code, ErrorCode::Syntax) << wrong;
}

TEST(Settings, ChangeOneFieldAndNothingElse)
{
    const Scenario before = base(R"({"alternatives": [{"name": "x", "set": {"plan.pp": 4}}]})");
    const auto after = with(before, { { "plan.pp", "16" }, { "plan.schedule", "\"dualpipe\"" } });
    ASSERT_TRUE(after) << text(after.errors());
    Scenario expected = before;
    expected.plan.pp = 16;
    expected.plan.schedule = ScheduleKind::DualPipe;
    EXPECT_EQ(*after, expected) << "alternatives are kept";
}

TEST(Settings, EveryFieldOfTheContractCanBeSet)
{
    const Setting settings[] = {
        { "name", "\"n\"" },
        { "model", "\"qwen3-30b-a3b\"" },
        { "model.layers", "40" },
        { "model.moe.experts", "64" },
        { "model.attention.heads", "16" },
        { "model.mtp_depth", "2" },
        { "model.preset", "\"deepseek-v2\"" },
        { "cluster", "\"h100\"" },
        { "cluster.gpus_per_node", "4" },
        { "cluster.hbm_bytes", "96000000000" },
        { "plan.gpus", "512" },
        { "plan.tp", "2" },
        { "plan.pp", "4" },
        { "plan.vpp", "2" },
        { "plan.ep", "32" },
        { "plan.etp", "2" },
        { "plan.cp", "2" },
        { "plan.micro_batch", "2" },
        { "plan.global_batch", "512" },
        { "plan.seq", "8192" },
        { "plan.schedule", "\"zb-h1\"" },
        { "plan.interleave_group", "8" },
        { "plan.layout", "\"Et|tL\"" },
        { "plan.layout.first", "3" },
        { "plan.zero", "3" },
        { "plan.sequence_parallel", "false" },
        { "plan.placement", "\"dp-first\"" },
        { "precision", "\"megatron-bf16\"" },
        { "precision.moment", "\"fp32\"" },
        { "recompute", "\"full\"" },
        { "recompute", R"(["moe"])" },
        { "recompute.full.layers", "4" },
        { "runtime.moe", "\"megatron-alltoall\"" },
        { "runtime.loss_fusion", "\"unfused\"" },
        { "runtime.dummy_wgrad", "false" },
        { "runtime.overlap", "false" },
        { "runtime.vocab_multiple", "64" },
        { "routing.family", "\"uniform\"" },
        { "routing.sigma", "0.5" },
        { "routing.seed", "18446744073709551615" },
        { "routing.node_limit", "0" },
        { "routing.exact", "true" },
        { "routing.layers", "\"independent\"" },
        { "memory.reserve", "1.1" },
        { "memory.context_gib", "2.5" },
        { "money.usd_per_gpu_hour", "3.5" },
        { "timing", R"({"source":"calibrated","profile":"deepseek-v3-h800"})" },
    };
    const Scenario before = base();
    for (const Setting &setting : settings) {
        const auto after = applySettings(before, { &setting, 1 });
        ASSERT_TRUE(after) << setting.path << '\n' << text(after.errors());
        EXPECT_NE(*after, before) << setting.path << " changes something";
        if (setting.path != "timing" && setting.path != "recompute.full.layers" && setting.path != "precision.moment") {
            EXPECT_EQ(nlohmann::json::parse(settingValue(*after, setting.path)), nlohmann::json::parse(setting.json))
                << setting.path;
        }
        const auto again = parseScenario(toJson(*after));
        ASSERT_TRUE(again) << text(again.errors());
        EXPECT_EQ(again->scenario, *after) << setting.path << " survives a file";
    }
}

TEST(Settings, RefuseUnknownPathsWithTheNearestKnownOne)
{
    const Scenario scenario = base();
    const std::pair<const char *, const char *> cases[] = {
        { "plan.ppp", "plan.pp" },
        { "plan.microbatch", "plan.micro_batch" },
        { "plan.sequence", "plan.seq" },
        { "modl", "model" },
        { "model.layer", "model.layers" },
        { "routing.sigm", "routing.sigma" },
        { "plan", "" },
        { "timing.profil", "timing.profile" },
    };
    for (const auto &[path, near] : cases) {
        if (*near == '\0')
            continue;
        const auto result = with(scenario, { { path, "1" } });
        ASSERT_FALSE(result) << path;
        EXPECT_EQ(result.error().code, ErrorCode::UnknownName);
        EXPECT_EQ(result.error().where, path);
        EXPECT_NE(result.error().hint.find(near), std::string::npos) << result.error().text();
    }
    for (const char *path :
         { "", ".", "plan..pp", "plan.pp.x", "a.b.c.d.e", "format", "schema", "alternatives", "plan.layout.middle" })
        EXPECT_FALSE(with(scenario, { { path, "1" } })) << path;
}

TEST(Settings, NameTheFieldOfAWrongValue)
{
    const Scenario scenario = base();
    const auto result = with(scenario, { { "plan.pp", "-1" }, { "plan.schedule", "\"dualpip\"" }, { "model.moe.top_k", "999" } });
    ASSERT_FALSE(result);
    ASSERT_EQ(result.errors().size(), 3U);
    EXPECT_EQ(result.errors()[0].where, "model.moe.top_k");
    EXPECT_EQ(result.errors()[1].where, "plan.pp");
    EXPECT_EQ(result.errors()[2].where, "plan.schedule");
    EXPECT_EQ(with(scenario, { { "plan.pp", "{" } }).error().where, "plan.pp");
}

TEST(Settings, ResolvePresetsAgain)
{
    const Scenario scenario = base();
    EXPECT_EQ(with(scenario, { { "model", "\"mixtral-8x22b\"" } })->model, *modelPreset("mixtral-8x22b"));
    EXPECT_EQ(with(scenario, { { "cluster", "\"b200\"" } })->cluster, *clusterPreset("b200"));
    EXPECT_EQ(with(scenario, { { "precision", "\"megatron-bf16\"" } })->precision, *precisionPreset("megatron-bf16"));
    const auto changed = with(scenario, { { "model.layers", "30" } });
    EXPECT_EQ(changed->model.layers, 30);
    EXPECT_EQ(changed->modelChoice.preset, "deepseek-v3");
    EXPECT_EQ(changed->modelChoice.overrides, (std::vector<Setting>{ { "layers", "30" } }));
    EXPECT_EQ(with(*changed, { { "model.preset", "\"deepseek-v2\"" } })->model.layers, 30) << "overrides stay";
    EXPECT_EQ(with(*changed, { { "model", "\"deepseek-v2\"" } })->model.layers, 60) << "a new model starts afresh";
}

TEST(Settings, ANewBaseReplacesAPartWrittenInFull)
{
    Scenario byHand = base();
    byHand.modelChoice = {};
    byHand.clusterChoice = {};
    byHand.precisionChoice = {};
    const auto changed = with(byHand,
                              { { "model.preset", "\"mixtral-8x7b\"" },
                                { "cluster.preset", "\"b200\"" },
                                { "precision.preset", "\"megatron-bf16\"" } });
    ASSERT_TRUE(changed) << text(changed.errors());
    EXPECT_EQ(changed->model, *modelPreset("mixtral-8x7b"));
    EXPECT_EQ(changed->cluster, *clusterPreset("b200"));
    EXPECT_EQ(changed->precision, *precisionPreset("megatron-bf16"));
    const auto layers = with(byHand, { { "model.layers", "30" } });
    ASSERT_TRUE(layers) << text(layers.errors());
    EXPECT_EQ(layers->model.layers, 30);
    EXPECT_TRUE(layers->modelChoice.preset.empty());
    EXPECT_EQ(with(base(), { { "model.config", "\"missing.json\"" } }).error().where, "model.config");
}

TEST(Settings, ValuesAreThoseInForce)
{
    const Scenario scenario = base(R"({"model": {"preset": "deepseek-v3", "mtp_depth": 0}})");
    EXPECT_EQ(settingValue(scenario, "plan.pp"), "8");
    EXPECT_EQ(settingValue(scenario, "plan.schedule"), "\"1f1b\"");
    EXPECT_EQ(settingValue(scenario, "plan.layout"), "null");
    EXPECT_EQ(settingValue(scenario, "model.layers"), "61");
    EXPECT_EQ(settingValue(scenario, "model.preset"), "\"deepseek-v3\"");
    EXPECT_EQ(settingValue(scenario, "model"), R"({"preset":"deepseek-v3","mtp_depth":0})");
    EXPECT_EQ(settingValue(scenario, "cluster"), "\"h800\"");
    EXPECT_EQ(settingValue(scenario, "cluster.hbm_bytes"), "84943110144");
    EXPECT_EQ(settingValue(scenario, "recompute"), "\"deepseek-v3\"");
    EXPECT_EQ(settingValue(scenario, "plan.ppp"), "");
    EXPECT_EQ(settingValue(scenario, ""), "");
    EXPECT_EQ(settingValue(scenario, "plan.pp.x"), "");
}

TEST(Settings, AnAlternativeIsTheScenarioWithFieldsSet)
{
    const Scenario scenario = base(R"({"alternatives": [{"name": "B", "set": {"plan.schedule": "dualpipe", "plan.pp": 16}},
        {"name": "C", "set": {"model.mtp_depth": 0, "timing": {"source": "manual", "f": 1, "b": 2, "w": 1}}}]})");
    EXPECT_EQ(*planScenario(scenario, 0), scenario);
    EXPECT_EQ(planScenario(scenario, 1)->plan.pp, 16);
    EXPECT_EQ(planScenario(scenario, 2)->timing.manual.f, 1);
    EXPECT_EQ(planScenario(scenario, 2)->plan.pp, 8);
    EXPECT_EQ(planScenario(scenario, 3).error().code, ErrorCode::UnknownName);
    Scenario broken = scenario;
    broken.alternatives[0].set.push_back({ "plan.tp", "0" });
    EXPECT_NE(planScenario(broken, 1).error().message.find("alternative \"B\""), std::string::npos);
}

} // namespace
} // namespace pipeloom
