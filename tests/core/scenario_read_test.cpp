// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/scenario_text.h"
#include "tests/core/temporaryfolder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pipeloom
{
namespace
{

Scenario scenario(std::string_view changes)
{
    auto result = parsed(changes, true);
    EXPECT_TRUE(result) << changes << '\n' << (result ? std::string() : text(result.errors()));
    return result ? result->scenario : Scenario{};
}

TEST(ScenarioReader, MissingKeysTakeTheDocumentedDefaults)
{
    const auto loaded = parseScenario(
        R"({"format": "pipeloom-scenario", "schema": 1, "model": "deepseek-v3", "plan": {"gpus": 8, "global_batch": 64}})");
    ASSERT_TRUE(loaded) << text(loaded.errors());
    const Scenario &s = loaded->scenario;
    EXPECT_EQ(s.cluster.name, "h800");
    EXPECT_EQ(s.plan.tp * s.plan.pp * s.plan.vpp * s.plan.ep * s.plan.etp * s.plan.cp * s.plan.microBatch, 1);
    EXPECT_EQ(s.plan.seq, 4096);
    EXPECT_EQ(s.plan.schedule, ScheduleKind::DualPipe);
    EXPECT_EQ(s.plan.zero, 1);
    EXPECT_TRUE(s.plan.sequenceParallel);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(s.plan.layout));
    EXPECT_EQ(s.precision.name, "deepseek-v3-fp8");
    EXPECT_EQ(s.recompute.name, "deepseek-v3");
    EXPECT_EQ(s.runtime, Runtime{});
    EXPECT_EQ(s.runtime.moe, "deepep");
    EXPECT_EQ(s.runtime.vocabMultiple, 128);
    EXPECT_EQ(s.routing.family, RoutingFamily::Lognormal);
    EXPECT_EQ(s.routing.sigma, 0.1);
    EXPECT_EQ(s.routing.nodeLimit, 4);
    EXPECT_EQ(s.timing.source, TimingSource::Model);
    EXPECT_EQ(s.memory.reserve, 1.053);
    EXPECT_EQ(s.memory.contextGib, 1.6);
    EXPECT_EQ(s.usdPerGpuHour, 2.0);
    EXPECT_EQ(s.model.mtpDepth, 1) << "V3 includes its MTP layer";
    EXPECT_TRUE(s.alternatives.empty());
}

struct Refused
{
    const char *changes;
    ErrorCode code;
    const char *where;
    const char *contains; ///< of the whole message
};

// One fault each: code, place and what the message must say.
const Refused refused[] = {
    { R"({"format": null})", ErrorCode::Syntax, "/format", "this is not a scenario" },
    { R"({"format": "pipeloom-profile"})", ErrorCode::Syntax, "/format", "\"pipeloom-profile\" is not a scenario" },
    { R"({"schema": 2})", ErrorCode::Schema, "/schema",
      "the file has schema 2 and this program reads up to 1; open it with a newer version" },
    { R"({"schema": 0})", ErrorCode::Schema, "/schema", "0 is no schema; write 1" },
    { R"({"schema": "1"})", ErrorCode::Schema, "/schema", "the text \"1\" is no schema; write 1" },
    { R"({"schema": 1.5})", ErrorCode::Schema, "/schema", "the file has schema 1.5" },
    { R"({"format": 7})", ErrorCode::Syntax, "/format", "7 is not a scenario" },
    { R"({"name": 7})", ErrorCode::WrongType, "/name", "expects a text, found 7" },
    { R"({"model": null})", ErrorCode::WrongType, "/model", "is missing" },
    { R"({"model": 7})", ErrorCode::WrongType, "/model", "expects a preset name or an object, found 7" },
    { R"({"model": "deepseek-v4"})", ErrorCode::UnknownName, "/model",
      "no model is called \"deepseek-v4\"; did you mean \"deepseek-v3\"?" },
    { R"({"model": "switch-c-2048"})", ErrorCode::UnknownName, "/model", "use deepseek-v3, deepseek-v2" },
    { R"({"model": {"preset": "deepseek-v9"}})", ErrorCode::UnknownName, "/model/preset", "did you mean \"deepseek-v" },
    { R"({"model": {"preset": 7}})", ErrorCode::WrongType, "/model/preset", "expects a name, found 7" },
    { R"({"model": {"preset": "deepseek-v3", "layers": 61.7}})", ErrorCode::WrongType, "/model/layers",
      "found 61.7; use 61 or 62" },
    { R"({"model": {"preset": "deepseek-v3", "layers": 2}})", ErrorCode::OutOfRange, "/model/dense_layers",
      "3 exceeds the 2 layers; set dense_layers to at most 2" },
    { R"({"model": {"preset": "deepseek-v3", "moe": {"top_k": 300}}})", ErrorCode::OutOfRange, "/model/moe/top_k",
      "300 exceeds the 256 experts" },
    { R"({"model": {"preset": "llama-3.1-70b", "dense_layers": 7}})", ErrorCode::OutOfRange, "/model/dense_layers",
      "without experts all of the 80 layers are dense" },
    { R"({"model": {"preset": "deepseek-v3", "hidden": 10000000, "layers": 10000}})", ErrorCode::OutOfRange, "/model/hidden",
      "more than 10^15 parameters" },
    { R"({"model": {"hidden": 64}})", ErrorCode::WrongType, "/model/vocab", "is missing; add it, or name a preset" },
    { R"({"model": {"hidden": 64, "attention": {"kind": "mla"}}})", ErrorCode::WrongType, "/model/attention/kv_rank",
      "is missing" },
    { R"({"model": {"config": "nowhere/config.json"}})", ErrorCode::Unreadable, "/model/config", "nowhere/config.json" },
    { R"({"model": {"config": 7}})", ErrorCode::WrongType, "/model/config", "expects the path" },
    { R"({"model": {"config": "c.json", "preset": "deepseek-v3"}})", ErrorCode::WrongType, "/model/config",
      "keep one of preset and config" },
    { R"({"cluster": "h8000"})", ErrorCode::UnknownName, "/cluster", "did you mean \"h800\"?" },
    { R"({"cluster": {"preset": "h800", "hbm_bytes": -1}})", ErrorCode::OutOfRange, "/cluster/hbm_bytes", "-1 is outside" },
    { R"({"cluster": {"preset": "h800", "hbm_bandwidth": 0}})", ErrorCode::OutOfRange, "/cluster/hbm_bandwidth", "is outside" },
    { R"({"cluster": {"gpus_per_node": 8}})", ErrorCode::WrongType, "/cluster/bf16_flops", "is missing" },
    { R"({"plan": null})", ErrorCode::WrongType, "/plan", "is missing" },
    { R"({"plan": [1]})", ErrorCode::WrongType, "/plan", "expects an object, found a list of 1" },
    { R"({"plan": {"gpus": null}})", ErrorCode::WrongType, "/plan/gpus", "is missing" },
    { R"({"plan": {"global_batch": null}})", ErrorCode::WrongType, "/plan/global_batch", "is missing" },
    { R"({"plan": {"gpus": 0}})", ErrorCode::OutOfRange, "/plan/gpus", "0 is outside 1 to 1,000,000" },
    { R"({"plan": {"gpus": 1000001}})", ErrorCode::OutOfRange, "/plan/gpus", "is outside" },
    { R"({"plan": {"pp": -8}})", ErrorCode::OutOfRange, "/plan/pp", "-8 is outside 1 to 4,096" },
    { R"({"plan": {"pp": 4294967304}})", ErrorCode::OutOfRange, "/plan/pp", "4294967304 is outside" },
    { R"({"plan": {"seq": 16777217}})", ErrorCode::OutOfRange, "/plan/seq", "is outside" },
    { R"({"plan": {"global_batch": 10000001}})", ErrorCode::OutOfRange, "/plan/global_batch", "is outside" },
    { R"({"plan": {"micro_batch": "1"}})", ErrorCode::WrongType, "/plan/micro_batch", "found the text \"1\"" },
    { R"({"plan": {"schedule": "dualpip"}})", ErrorCode::UnknownName, "/plan/schedule",
      "did you mean \"dualpipe\"? Known: dualpipe, dualpipev, gpipe, 1f1b, " },
    { R"({"plan": {"schedule": "vmin"}})", ErrorCode::UnknownName, "/plan/schedule",
      "did you mean \"v-min\"? Known: v-min, gpipe, 1f1b, interleaved" },
    { R"({"plan": {"zero": 4}})", ErrorCode::OutOfRange, "/plan/zero", "4 is outside 0 to 3" },
    { R"({"plan": {"placement": "random"}})", ErrorCode::UnknownName, "/plan/placement", "use ep-first or dp-first" },
    { R"({"plan": {"layout": 7}})", ErrorCode::WrongType, "/plan/layout", "expects null, a layout string" },
    { R"({"plan": {"layout": []}})", ErrorCode::OutOfRange, "/plan/layout", "expects 1 to" },
    { R"({"plan": {"layout": [4, -1]}})", ErrorCode::OutOfRange, "/plan/layout/1", "-1 is outside" },
    { R"({"plan": {"layout": {"middle": 3, "first": null}}})", ErrorCode::WrongType, "/plan/layout",
      "names neither first nor last" },
    { R"({"plan": {"layout": ""}})", ErrorCode::OutOfRange, "/plan/layout", "letters" },
    { R"({"plan": {"interleave_group": 0}})", ErrorCode::OutOfRange, "/plan/interleave_group", "0 is outside" },
    { R"({"precision": "fp8"})", ErrorCode::UnknownName, "/precision", "no precision is called \"fp8\"" },
    { R"({"precision": {"preset": "megatron-bf16", "weight": "int3"}})", ErrorCode::UnknownName, "/precision/weight",
      "\"int3\" is not a number format" },
    { R"({"precision": {"preset": "deepseek-v3-fp8", "fp8_activations": true}})", ErrorCode::OutOfRange,
      "/precision/deepseek_activations", "one form" },
    { R"({"recompute": "some"})", ErrorCode::UnknownName, "/recompute", "no recompute preset" },
    { R"({"recompute": ["moe_akt"]})", ErrorCode::UnknownName, "/recompute/0",
      "\"moe_akt\" is not a module; did you mean \"moe_act\"? Known: moe_act, core_attn" },
    { R"({"recompute": [7]})", ErrorCode::WrongType, "/recompute/0", "expects a module name" },
    { R"({"recompute": {"full": {"method": "blocks"}}})", ErrorCode::UnknownName, "/recompute/full/method",
      "did you mean \"block\"?" },
    { R"({"recompute": {"full": {"layers": 0}}})", ErrorCode::OutOfRange, "/recompute/full/layers", "0 is outside" },
    { R"({"recompute": true})", ErrorCode::WrongType, "/recompute", "expects a preset name" },
    { R"({"runtime": {"moe": "deepepp"}})", ErrorCode::UnknownName, "/runtime/moe", "did you mean \"deepep\"?" },
    { R"({"runtime": {"attention": "unfused"}})", ErrorCode::UnknownName, "/runtime/attention", "use flash or materialised" },
    { R"({"runtime": {"cp_comm": "p2p"}})", ErrorCode::Unsupported, "/runtime/cp_comm", "not modelled" },
    { R"({"runtime": {"capacity_factor": 0}})", ErrorCode::OutOfRange, "/runtime/capacity_factor", "0 is outside 0.01 to 1000" },
    { R"({"runtime": {"pad_to_capacity": true}})", ErrorCode::OutOfRange, "/runtime/pad_to_capacity", "needs a capacity_factor" },
    { R"({"runtime": {"overlap": 1}})", ErrorCode::WrongType, "/runtime/overlap", "expects true or false" },
    { R"({"routing": {"family": "zipf"}})", ErrorCode::Unsupported, "/routing/family",
      "\"zipf\" is not modelled yet; use uniform or lognormal" },
    { R"({"routing": {"family": "gauss"}})", ErrorCode::UnknownName, "/routing/family",
      "is not known; use uniform or lognormal" },
    { R"({"routing": {"sigma": -0.1}})", ErrorCode::OutOfRange, "/routing/sigma", "-0.1 is outside 0 to 5" },
    { R"({"routing": {"sigma": "NaN"}})", ErrorCode::WrongType, "/routing/sigma", "expects a number, found the text \"NaN\"" },
    { R"({"routing": {"seed": -1}})", ErrorCode::WrongType, "/routing/seed", "expects a whole number from 0" },
    { R"({"timing": {"source": "trace"}})", ErrorCode::UnknownName, "/timing/source", "use model, calibrated or manual" },
    { R"({"timing": {"source": "calibrated"}})", ErrorCode::WrongType, "/timing/profile", "name a profile: deepseek-v3-h800" },
    { R"({"timing": {"source": "calibrated", "profile": "h100"}})", ErrorCode::UnknownName, "/timing/profile",
      "no profile is called" },
    { R"({"timing": {"source": "calibrated", "profile": "no.profile.json"}})", ErrorCode::Unreadable, "/timing/profile",
      "no.profile.json" },
    { R"({"timing": {"profile": "deepseek-v3-h800"}})", ErrorCode::WrongType, "/timing/source", "is missing beside durations" },
    { R"({"timing": {"source": "manual", "f": 1, "b": 2}})", ErrorCode::WrongType, "/timing/w", "is missing" },
    { R"({"timing": {"source": "manual", "f": 1, "b": 2, "w": 3}})", ErrorCode::OutOfRange, "/timing/w", "3 s exceeds b, 2 s" },
    { R"({"timing": {"source": "manual", "f": 0, "b": 2, "w": 1}})", ErrorCode::OutOfRange, "/timing/f", "0 is outside" },
    { R"({"memory": {"reserve": 0.9}})", ErrorCode::OutOfRange, "/memory/reserve", "0.9 is outside 1 to 10" },
    { R"({"money": {"usd_per_gpu_hour": -2}})", ErrorCode::OutOfRange, "/money/usd_per_gpu_hour", "-2 is outside" },
    { R"({"alternatives": {}})", ErrorCode::WrongType, "/alternatives", "expects a list" },
    { R"({"alternatives": [{"set": {}}]})", ErrorCode::WrongType, "/alternatives/0/name", "is missing" },
    { R"({"alternatives": [{"name": "x"}]})", ErrorCode::WrongType, "/alternatives/0/set", "is missing" },
    { R"({"alternatives": [{"name": "x", "set": [1]}]})", ErrorCode::WrongType, "/alternatives/0/set", "expects an object" },
    { R"({"alternatives": [{"name": "x", "set": {}}, {"name": "x", "set": {}}]})", ErrorCode::OutOfRange, "/alternatives/1/name",
      "stands twice" },
    { R"({"alternatives": [{"name": "x", "set": {"plan.ppp": 8}}]})", ErrorCode::UnknownName, "/alternatives/0/set/plan.ppp",
      "did you mean plan.pp?" },
    { R"({"alternatives": [{"name": "x", "set": {"plan.pp": -8}}]})", ErrorCode::OutOfRange, "/alternatives/0/set/plan.pp",
      "-8 is outside" },
};

TEST(ScenarioReader, RefusesEveryFaultWithItsPlaceAndRemedy)
{
    for (const Refused &c : refused) {
        const auto result = parsed(c.changes);
        ASSERT_FALSE(result) << c.changes;
        const auto found =
            std::ranges::find_if(result.errors(), [&](const Error &e) { return e.where == c.where && e.code == c.code; });
        ASSERT_NE(found, result.errors().end()) << c.changes << '\n' << text(result.errors());
        EXPECT_NE(found->text().find(c.contains), std::string::npos) << c.changes << '\n' << found->text();
        EXPECT_FALSE(found->file.empty());
        EXPECT_EQ(found->message.find('!'), std::string::npos);
    }
}

TEST(ScenarioReader, CollectsAllErrorsInTheOrderOfTheFile)
{
    const auto result =
        parsed(R"({"cluster": "h8000", "plan": {"pp": 0, "seq": 4096.5, "fsdp": "yes"}, "memory": {"reserve": "x"}})");
    ASSERT_FALSE(result);
    std::vector<std::string> places;
    for (const Error &error : result.errors())
        places.push_back(error.where);
    EXPECT_EQ(places, (std::vector<std::string>{ "/cluster", "/plan/pp", "/plan/seq", "/plan/fsdp", "/memory/reserve" }));
}

TEST(ScenarioReader, WarnsOfUnknownKeysAndRefusesThemUnderStrict)
{
    const char *changes = R"({"notes": "x", "plan": {"microbatch": 2}, "model": {"preset": "deepseek-v3", "layer": 4}})";
    const auto loose = parsed(changes);
    ASSERT_TRUE(loose) << text(loose.errors());
    ASSERT_EQ(loose->warnings.size(), 3U);
    EXPECT_EQ(loose->warnings[0].text(), "s.loom.json: /model/layer: unknown key, ignored; did you mean layers?");
    EXPECT_EQ(loose->warnings[1].text(), "s.loom.json: /plan/microbatch: unknown key, ignored; did you mean micro_batch?");
    EXPECT_EQ(loose->warnings[2].where, "/notes");
    EXPECT_TRUE(loose->scenario.modelChoice.overrides.empty()) << "an ignored key is not written back";
    EXPECT_EQ(loose->scenario.model.title, "DeepSeek-V3");
    const auto strict = parsed(changes, true);
    ASSERT_FALSE(strict);
    EXPECT_EQ(strict.errors().size(), 3U);
}

TEST(ScenarioReader, AcceptsEveryScheduleItKnowsAndLeavesTheRestToTheChecks)
{
    for (const ScheduleKind kind : allScheduleKinds())
        EXPECT_EQ(scenario(R"({"plan": {"schedule": ")" + std::string(name(kind)) + "\"}}").plan.schedule, kind);
}

TEST(ScenarioReader, TakesEveryFormOfALayout)
{
    EXPECT_EQ(std::get<std::string>(scenario(R"({"plan": {"layout": "Et*4|(tttt|)*14tmL"}})").plan.layout), "Et*4|(tttt|)*14tmL");
    EXPECT_EQ(std::get<std::vector<int>>(scenario(R"({"plan": {"layout": [8, 8, 0, 5]}})").plan.layout),
              (std::vector<int>{ 8, 8, 0, 5 }));
    EXPECT_EQ(std::get<FirstLastLayout>(scenario(R"({"plan": {"layout": {"first": 4, "last": 1}}})").plan.layout),
              (FirstLastLayout{ 4, 1 }));
    EXPECT_EQ(std::get<FirstLastLayout>(scenario(R"({"plan": {"layout": {"last": 1}}})").plan.layout),
              (FirstLastLayout{ std::nullopt, 1 }));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(scenario("{}").plan.layout));
}

TEST(ScenarioReader, AppliesOverridesOverPresets)
{
    const Scenario s =
        scenario(R"({"model": {"preset": "deepseek-v3", "layers": 4, "dense_layers": 1, "mtp_depth": 0, "moe": {"experts": 64}},
        "cluster": {"preset": "h800", "hbm_bytes": 80000000000, "usd_per_gpu_hour": 3},
        "precision": {"preset": "deepseek-v3-fp8", "moment": "fp32", "main_grad": 2}})");
    EXPECT_EQ(s.model.layers, 4);
    EXPECT_EQ(s.model.denseLayers, 1);
    EXPECT_EQ(s.model.mtpDepth, 0);
    EXPECT_EQ(s.model.moe.experts, 64);
    EXPECT_EQ(s.model.moe.topK, 8) << "what is not overridden stays";
    EXPECT_EQ(s.model.name, "deepseek-v3");
    EXPECT_EQ(s.model.title, "DeepSeek-V3, changed");
    EXPECT_EQ(s.cluster.hbmBytes, 80'000'000'000);
    EXPECT_EQ(s.usdPerGpuHour, 3) << "a stated price is not ignored";
    EXPECT_EQ(s.precision.name, "custom");
    EXPECT_EQ(s.precision.moments, 8);
    EXPECT_EQ(s.precision.mainGrad, 2);
    EXPECT_EQ(s.precision.weight, 2);
}

TEST(ScenarioReader, ADenseModelStaysDenseWhenItsLayersChange)
{
    const Scenario s = scenario(R"({"model": {"preset": "llama-3.1-70b", "layers": 12}})");
    EXPECT_EQ(s.model.layers, 12);
    EXPECT_EQ(s.model.denseLayers, 12);
}

TEST(ScenarioReader, ClusterValuesThatFollowEachOther)
{
    const Scenario s = scenario(R"({"cluster": {"preset": "h800", "gpus_per_node": 4, "scale_out_bandwidth": 87000000000}})");
    EXPECT_EQ(s.cluster.scaleUpDomain, 4) << "NVLink does not cross the node";
    EXPECT_DOUBLE_EQ(s.cluster.expertScaleOutBandwidth, 87e9) << "a faster network makes a faster all-to-all";
    EXPECT_DOUBLE_EQ(s.cluster.expertScaleUpBandwidth, 153e9);
    EXPECT_EQ(scenario(R"({"cluster": {"preset": "gb200-nvl72", "gpus_per_node": 8}})").cluster.scaleUpDomain, 72);
}

TEST(ScenarioReader, TakesEveryFormOfRecompute)
{
    EXPECT_EQ(scenario(R"({"recompute": "none"})").recompute, Recompute{});
    EXPECT_EQ(scenario(R"({"recompute": []})").recompute, Recompute{});
    const Recompute own = scenario("{}").recompute;
    EXPECT_EQ(own.modules, Recompute::MoeActivation | Recompute::LayerNorm | Recompute::MlaUpProjection);
    const Recompute list = scenario(R"({"recompute": ["core_attn", "moe_act", "mlp", "moe", "shared_experts"]})").recompute;
    EXPECT_EQ(list.modules,
              Recompute::CoreAttention | Recompute::MoeActivation | Recompute::Mlp | Recompute::Moe | Recompute::SharedExperts);
    EXPECT_EQ(list.name, "custom");
    const Recompute block = scenario(R"({"recompute": {"full": {"method": "block", "layers": 3}}})").recompute;
    EXPECT_TRUE(block.full && block.fullBlock);
    EXPECT_EQ(block.fullLayers, 3);
    EXPECT_EQ(scenario(R"({"recompute": {"full": {}}})").recompute, scenario(R"({"recompute": "full"})").recompute);
}

TEST(ScenarioReader, TakesACapacityFactorPaddedOrNotUnderAnyRouting)
{
    const Runtime padded = scenario(R"({"runtime": {"capacity_factor": 1, "pad_to_capacity": true}})").runtime;
    EXPECT_EQ(padded.capacityFactor, 1.0);
    EXPECT_TRUE(padded.padToCapacity);
    const Runtime dropping = scenario(R"({"runtime": {"capacity_factor": 1.25}, "routing": {"family": "uniform"}})").runtime;
    EXPECT_EQ(dropping.capacityFactor, 1.25);
    EXPECT_FALSE(dropping.padToCapacity);
}

TEST(ScenarioReader, TakesEveryMoeRuntimeOfTheContract)
{
    for (const char *name : { "deepep", "megatron-alltoall", "megatron-allgather", "deepspeed-moe-0.15", "deepspeed-moe",
                              "deepspeed-ted", "tutel", "x-moe", "x-moe-rbd", "x-moe-ssmb" })
        EXPECT_EQ(scenario(fmt::format(R"({{"runtime": {{"moe": "{}"}}}})", name)).runtime.moe, name);
}

TEST(ScenarioReader, TakesManualDurations)
{
    const Timing timing =
        scenario(R"({"timing": {"source": "manual", "f": 0.0773, "b": 0.1275, "w": 0.0298, "fb": 0.129}})").timing;
    EXPECT_EQ(timing.source, TimingSource::Manual);
    EXPECT_EQ(timing.manual, (ManualTimes{ 0.0773, 0.1275, 0.0298, 0.129, 0 }));
}

TEST(ScenarioReader, ResolvesPathsFromTheFolderOfTheScenario)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("parts"));
    std::ofstream(folder.file("parts/own.profile.json"))
        << R"({"format": "pipeloom-profile", "schema": 1, "name": "own", "gpu": "H100", "seq": 4096, "micro_batch": 1, "layer": {"f_s": 0.01}})";
    std::ofstream(folder.file("parts/config.json"))
        << R"({"model_type": "mixtral", "hidden_size": 1024, "num_hidden_layers": 8, "vocab_size": 32000, "num_attention_heads": 8,
               "num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 2048})";
    const std::string path = folder.file("a.loom.json");
    std::ofstream(path) << scenarioText(
        R"({"model": {"config": "parts/config.json", "layers": 16}, "timing": {"source": "calibrated", "profile": "parts/own.profile.json"}})");
    const auto loaded = readScenario(path, { .strict = true });
    ASSERT_TRUE(loaded) << text(loaded.errors());
    EXPECT_EQ(loaded->scenario.model.layers, 16);
    EXPECT_EQ(loaded->scenario.model.moe.experts, 4);
    EXPECT_EQ(loaded->scenario.model.name, "parts") << "config.json is named after its folder";
    EXPECT_EQ(loaded->scenario.timing.profile.f, 0.01);
    EXPECT_EQ(loaded->scenario.timing.profile.w, 0);

    // A copy beside it finds the same files, even when both are moved.
    ASSERT_TRUE(writeScenario(loaded->scenario, folder.file("b.loom.json")));
    const auto again = readScenario(folder.file("b.loom.json"));
    ASSERT_TRUE(again) << text(again.errors());
    EXPECT_EQ(again->scenario, loaded->scenario);
    const TemporaryFolder other;
    std::filesystem::copy(folder.path(), other.path(),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(readScenario(other.file("b.loom.json")));

    // Saved elsewhere it still finds them.
    const TemporaryFolder elsewhere;
    ASSERT_TRUE(writeScenario(loaded->scenario, elsewhere.file("c.loom.json")));
    EXPECT_EQ(readScenario(elsewhere.file("c.loom.json"))->scenario, loaded->scenario);

    // A change elsewhere does not read the files again.
    std::filesystem::remove_all(folder.file("parts"));
    const Setting set{ "plan.pp", "4" };
    const auto changed = applySettings(loaded->scenario, { &set, 1 });
    ASSERT_TRUE(changed) << text(changed.errors());
    EXPECT_EQ(changed->plan.pp, 4);
    EXPECT_EQ(changed->model, loaded->scenario.model);
    EXPECT_EQ(changed->timing, loaded->scenario.timing);
    EXPECT_FALSE(readScenario(path));
}

TEST(ScenarioReader, RefusesProfilesThatWouldMislead)
{
    const TemporaryFolder folder;
    const auto errorOf = [&](const std::string &profile) {
        std::ofstream(folder.file("p.profile.json")) << profile;
        const auto result = parseScenario(scenarioText(R"({"timing": {"source": "calibrated", "profile": "p.profile.json"}})"),
                                          "s", folder.path());
        return result ? std::string("accepted") : result.error().text();
    };
    const std::string head = R"({"format": "pipeloom-profile", "schema": 1, "name": "p", "seq": 4096, "micro_batch": 1)";
    EXPECT_EQ(errorOf(head + R"(, "layer": {}})"), "accepted");
    EXPECT_NE(errorOf(head + R"(, "layer": {"f_s": -1}})").find("/layer/f_s: -1 is outside"), std::string::npos);
    EXPECT_NE(errorOf(head + R"(, "layer": {}, "contention": 1.35})").find("/contention: is not modelled yet"),
              std::string::npos);
    EXPECT_NE(errorOf(head + "}").find("/layer: is missing"), std::string::npos);
    EXPECT_NE(errorOf(R"({"format": "pipeloom-profile", "schema": 3})").find("/schema: the file has schema 3"),
              std::string::npos);
    EXPECT_NE(errorOf("{}").find("/format"), std::string::npos);
    EXPECT_NE(errorOf("{").find("p.profile.json: line 1"), std::string::npos);
}

TEST(ScenarioReader, RefusesAConfigJsonWithTheWayToUseIt)
{
    const auto result = parseScenario(R"({"model_type": "mixtral", "hidden_size": 4096})", "config.json");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.errors().size(), 1U);
    EXPECT_NE(result.error().hint.find("{\"model\": {\"config\""), std::string::npos);
}

TEST(ScenarioReader, RefusesPathsThatAreNoScenario)
{
    const TemporaryFolder folder;
    EXPECT_EQ(readScenario(folder.path()).error().code, ErrorCode::Unreadable);
    EXPECT_EQ(readScenario(folder.file("missing.loom.json")).error().code, ErrorCode::Unreadable);
    std::ofstream(folder.file("cut.loom.json")) << scenarioText().substr(0, 60);
    const auto cut = readScenario(folder.file("cut.loom.json"));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::Syntax);
    EXPECT_EQ(cut.error().where, "line 1, column 61");
    std::ofstream(folder.file("big.loom.json")).put('{');
    std::filesystem::resize_file(folder.file("big.loom.json"), std::uintmax_t{ 1 } << 30U);
    EXPECT_EQ(readScenario(folder.file("big.loom.json")).error().code, ErrorCode::Unreadable);
}

} // namespace
} // namespace pipeloom
