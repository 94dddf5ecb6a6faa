// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/configimport.h"
#include "core/model/counts.h"
#include "core/scenario/scenariofile.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace pipeloom
{
namespace
{

std::string contentOf(const std::string &path)
{
    std::ifstream file(path);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

/// DeepSeek-V3's shapes in the keys of its config.json.
nlohmann::json deepSeek()
{
    return nlohmann::json::parse(
        R"({"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "vocab_size": 129280,
        "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "intermediate_size": 18432,
        "first_k_dense_replace": 3, "n_shared_experts": 1, "num_nextn_predict_layers": 1, "moe_layer_freq": 1, "n_group": 8, "topk_group": 4,
        "topk_method": "noaux_tc", "tie_word_embeddings": false, "rope_theta": 10000, "hidden_act": "silu", "torch_dtype": "bfloat16"})");
}

nlohmann::json llama()
{
    return nlohmann::json::parse(R"({"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "vocab_size": 128256,
        "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672})");
}

Error refusal(const nlohmann::json &config)
{
    const auto result = importConfig(config.dump(), "config.json");
    EXPECT_FALSE(result) << config.dump();
    return result ? Error{} : result.error();
}

TEST(ConfigImport, ReadsDeepSeekV3ToTheLastParameter)
{
    const auto imported = importConfig(deepSeek().dump(), "config.json");
    ASSERT_TRUE(imported) << text(imported.errors());
    ModelSpec expected = *modelPreset("deepseek-v3");
    expected.name = imported->model.name;
    expected.title = imported->model.title;
    expected.source = imported->model.source;
    EXPECT_EQ(imported->model, expected);
    EXPECT_EQ(countParameters(imported->model).total, 671'026'404'352);
    const auto &known = imported->understood;
    EXPECT_NE(std::ranges::find(known, "num_hidden_layers = 61: layers"), known.end());
    EXPECT_EQ(imported->ignored, (std::vector<std::string>{ "hidden_act", "rope_theta", "torch_dtype" }));
}

TEST(ConfigImport, TakesWhatAClassSaysWhenAKeyIsAbsent)
{
    auto config = llama();
    config.erase("num_key_value_heads");
    const auto imported = importConfig(config.dump(), "");
    ASSERT_TRUE(imported) << text(imported.errors());
    EXPECT_EQ(imported->model.attention.kvHeads, 64);
    EXPECT_EQ(imported->model.attention.headDim, 128);
    EXPECT_FALSE(imported->model.tiedEmbeddings);
    EXPECT_NE(std::ranges::find(imported->understood, "num_key_value_heads (absent) = 64: key-value heads"),
              imported->understood.end());
    auto lite = deepSeek();
    lite["q_lora_rank"] = nullptr;
    EXPECT_EQ(importConfig(lite.dump(), "")->model.attention.queryRank, 0);
    auto greedy = deepSeek();
    greedy["topk_method"] = "greedy";
    EXPECT_EQ(importConfig(greedy.dump(), "")->model.moe.groups, 1) << "groups count only where the method uses them";
}

TEST(ConfigImport, NeverGuesses)
{
    const auto changed = [](nlohmann::json config, const char *key, nlohmann::json value) {
        config[key] = std::move(value);
        return config;
    };
    const auto without = [](nlohmann::json config, const char *key) {
        config.erase(key);
        return config;
    };
    struct Case
    {
        nlohmann::json config;
        ErrorCode code;
        const char *where;
    };
    const Case cases[] = {
        { without(deepSeek(), "kv_lora_rank"), ErrorCode::WrongType, "/kv_lora_rank" },
        { without(deepSeek(), "n_routed_experts"), ErrorCode::WrongType, "/n_routed_experts" },
        { without(llama(), "vocab_size"), ErrorCode::WrongType, "/vocab_size" },
        { without(llama(), "model_type"), ErrorCode::Syntax, "/model_type" },
        { changed(deepSeek(), "moe_layer_freq", 2), ErrorCode::Unsupported, "/moe_layer_freq" },
        { changed(deepSeek(), "index_topk", 2048), ErrorCode::Unsupported, "/index_topk" },
        { changed(deepSeek(), "num_key_value_heads", 8), ErrorCode::Unsupported, "/num_key_value_heads" },
        { changed(deepSeek(), "attention_bias", true), ErrorCode::Unsupported, "/attention_bias" },
        { changed(llama(), "mlp_bias", true), ErrorCode::Unsupported, "/mlp_bias" },
        { changed(llama(), "use_qk_norm", true), ErrorCode::Unsupported, "/use_qk_norm" },
        { changed(llama(), "sliding_window", 4096), ErrorCode::Unsupported, "/sliding_window" },
        { changed(llama(), "hidden_act", "relu2"), ErrorCode::Unsupported, "/hidden_act" },
        { changed(llama(), "layer_types", nlohmann::json::array({ "linear_attention" })), ErrorCode::Unsupported,
          "/layer_types" },
        { changed(llama(), "vision_config", nlohmann::json::object({ { "depth", 27 } })), ErrorCode::Unsupported,
          "/vision_config" },
        { changed(llama(), "hidden_size", 61.7), ErrorCode::WrongType, "/hidden_size" },
        { changed(llama(), "hidden_size", -1), ErrorCode::OutOfRange, "/hidden_size" },
        { changed(llama(), "num_attention_heads", 63), ErrorCode::WrongType, "/head_dim" },
        { changed(llama(), "num_key_value_heads", 7), ErrorCode::OutOfRange, "/num_key_value_heads" },
        { changed(llama(), "tie_word_embeddings", "no"), ErrorCode::WrongType, "/tie_word_embeddings" },
        { changed(deepSeek(), "num_experts_per_tok", 300), ErrorCode::OutOfRange, "/num_experts_per_tok" },
        { changed(llama(), "num_hidden_layers", 1e9), ErrorCode::OutOfRange, "/num_hidden_layers" },
    };
    for (const Case &c : cases) {
        const Error error = refusal(c.config);
        EXPECT_EQ(error.where, c.where) << error.text();
        EXPECT_EQ(error.code, c.code) << error.text();
        EXPECT_EQ(error.file, "config.json");
    }
    EXPECT_EQ(importConfig("[]", "").error().code, ErrorCode::Syntax);
    EXPECT_EQ(importConfig("{", "").error().code, ErrorCode::Syntax);
}

TEST(ConfigImport, AnUnknownModelIsRefusedOnceWithTheKeyThatCausedIt)
{
    const auto sparse = importConfig(
        R"({"model_type": "deepseek_v32", "hidden_size": 7168, "index_n_heads": 64, "index_topk": 2048})", "config.json");
    ASSERT_FALSE(sparse);
    ASSERT_EQ(sparse.errors().size(), 1U);
    EXPECT_EQ(sparse.error().where, "/index_n_heads");
    EXPECT_EQ(sparse.error().message, "is not modelled (one of 2 such keys of the model type \"deepseek_v32\")");
    const auto nested = importConfig(R"({"model_type": "x", "text_config": {"layer_types": ["linear_attention"]}})", "");
    EXPECT_EQ(nested.error().where, "/text_config/layer_types");
    const auto plain = importConfig(R"({"model_type": "olmoe", "hidden_size": 2048})", "");
    EXPECT_EQ(plain.error().where, "/model_type");
    EXPECT_EQ(plain.error().message, "\"olmoe\" is not modelled");
}

TEST(ConfigImport, ReadsTheKeysThatNewerFilesRepeat)
{
    auto config = deepSeek();
    config["qk_head_dim"] = 192;
    config["head_dim"] = 64;
    config["rope_parameters"] = { { "rope_theta", 10000 } };
    EXPECT_TRUE(importConfig(config.dump(), "")) << text(importConfig(config.dump(), "").errors());
    config["head_dim"] = 100;
    EXPECT_EQ(refusal(config).where, "/head_dim");
    auto dense = llama();
    dense["layer_types"] = { "full_attention", "full_attention" };
    EXPECT_TRUE(importConfig(dense.dump(), ""));
}

TEST(ConfigImport, AWindowThatIsSwitchedOffIsNone)
{
    auto config = llama();
    config["sliding_window"] = 4096;
    config["use_sliding_window"] = false;
    EXPECT_TRUE(importConfig(config.dump(), ""));
    config["sliding_window"] = nullptr;
    config.erase("use_sliding_window");
    EXPECT_TRUE(importConfig(config.dump(), ""));
}

// Every public config.json at hand: the families of this version recount to the published totals, the rest is refused with a
// reason.
TEST(ConfigImport, RecountsTheListedFamiliesAndRefusesTheRest)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published configs is absent";
    const auto index = nlohmann::json::parse(contentOf(*shared + "/models/INDEX.json"));
    const std::set<std::string> expected{ "DeepSeek-R1",
                                          "DeepSeek-V2",
                                          "DeepSeek-V2-Lite",
                                          "DeepSeek-V3",
                                          "Kimi-K2-Instruct",
                                          "Llama-3.1-405B",
                                          "Llama-3.1-70B",
                                          "Llama-3.1-8B",
                                          "Mixtral-8x22B-v0.1",
                                          "Mixtral-8x7B-v0.1",
                                          "Qwen3-235B-A22B",
                                          "Qwen3-30B-A3B",
                                          "Qwen3-Coder-480B-A35B-Instruct",
                                          "Qwen3-32B",
                                          "Qwen3-8B",
                                          "Qwen2.5-72B" };
    std::set<std::string> read;
    for (const auto &entry : index["models"]) {
        const auto name = entry["name"].get<std::string>();
        const auto imported = importConfig(contentOf(*shared + "/models/" + entry["file"].get<std::string>()), name);
        if (!imported) {
            EXPECT_EQ(imported.error().code, ErrorCode::Unsupported) << name << '\n' << text(imported.errors());
            EXPECT_FALSE(imported.error().where.empty()) << name;
            continue;
        }
        read.insert(name);
        const double total = static_cast<double>(countParameters(imported->model).total) / 1e9;
        EXPECT_NEAR(total / entry["published_total_B"].get<double>(), 1, 0.03) << name;
        EXPECT_NEAR(total / entry["recomputed_total_B"].get<double>(), 1, 0.001) << name;
        const double active = static_cast<double>(countParameters(imported->model).activeWithBoth) / 1e9;
        EXPECT_NEAR(active, entry["recomputed_active_B"].get<double>(), 0.006) << name;
    }
    EXPECT_EQ(read, expected);
}

} // namespace
} // namespace pipeloom
