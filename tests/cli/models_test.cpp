// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

json model(const std::string &name)
{
    const ProcessResult result = runCli({ "models", name, "--format", "json" });
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return parsed(result);
}

/// Rows of weight matrices add up to what is printed as total.
std::int64_t sumOfMatrices(const json &model)
{
    std::int64_t sum = 0;
    for (const json &row : model.at("matrices")) {
        if (row.at("kind") == "mtp")
            continue;
        std::int64_t elements = row.at("count").get<std::int64_t>() * row.at("layers").get<std::int64_t>();
        for (const json &side : row.at("shape"))
            elements *= side.get<std::int64_t>();
        sum += elements;
    }
    return sum;
}

TEST(CliModels, countsDeepSeekExactly)
{
    const json v3 = model("deepseek-v3");
    EXPECT_EQ(v3.at("params_total"), 671026404352);
    EXPECT_EQ(v3.at("params_mtp"), 11610067968);
    EXPECT_EQ(v3.at("params_active"), 36625603584);
    EXPECT_EQ(v3.at("params_active_with_embedding"), 37552282624);
    EXPECT_EQ(v3.at("params_attention_per_layer"), 187105280);
    EXPECT_EQ(v3.at("params_dense_layer"), 583483392);
    EXPECT_EQ(v3.at("params_moe_layer"), 11507286016);
    EXPECT_NEAR(v3.at("flops_per_token").get<double>(), 250.45e9, 0.005e9);
    EXPECT_EQ(model("deepseek-v2").at("params_total"), 235741434880);
    EXPECT_EQ(model("deepseek-v2-lite").at("params_total"), 15706484224);
}

TEST(CliModels, everyPresetIsTheSumOfItsMatrices)
{
    const json list = parsed(runCli({ "models", "--format", "json" }));
    ASSERT_TRUE(list.is_array());
    ASSERT_GE(list.size(), 9U);
    for (const json &entry : list) {
        const json one = model(entry.at("name"));
        EXPECT_EQ(entry.at("params_total"), one.at("params_total"));
        EXPECT_EQ(entry.at("params_active"), one.at("params_active"));
        EXPECT_EQ(sumOfMatrices(one), one.at("params_total")) << entry.at("name");
    }
}

TEST(CliModels, textShowsEveryMatrix)
{
    const ProcessResult result = runCli({ "models", "deepseek-v3" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_NE(result.out.find("671,026,404,352"), std::string::npos);
    EXPECT_NE(result.out.find("W_UK"), std::string::npos);
}

TEST(CliModels, longerSequencesCostMoreAttention)
{
    const json shortOne = model("deepseek-v3");
    const json longOne = parsed(runCli({ "models", "deepseek-v3", "--seq", "131072", "--format", "json" }));
    EXPECT_GT(longOne.at("flops_per_token").get<double>(), 3 * shortOne.at("flops_per_token").get<double>());
}

TEST(CliModels, readsAConfigAndSaysWhatItUnderstood)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("config.json", R"({
        "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 6144, "intermediate_size": 16384, "num_hidden_layers": 56,
        "num_attention_heads": 48, "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000,
        "tie_word_embeddings": false, "torch_dtype": "bfloat16", "rope_theta": 1000000.0, "hidden_act": "silu"})");
    const json imported = model(path);
    EXPECT_EQ(imported.at("params_total"), model("mixtral-8x22b").at("params_total"));
    EXPECT_FALSE(imported.at("understood").empty());
    EXPECT_TRUE(imported.at("ignored").is_array());
}

TEST(CliModels, refusesWhatItDoesNotKnow)
{
    const ProcessResult unknown = runCli({ "models", "deepseek-v33" });
    EXPECT_EQ(unknown.exitCode, 1);
    EXPECT_NE(unknown.err.find("there is no model \"deepseek-v33\""), std::string::npos) << unknown.err;
    EXPECT_NE(unknown.err.find("deepseek-v3"), std::string::npos) << unknown.err;
    const ProcessResult missing = runCli({ "models", "no/such/config.json" });
    EXPECT_EQ(missing.exitCode, 3);
    EXPECT_NE(missing.err.find("no/such/config.json"), std::string::npos) << missing.err;
    const TemporaryFolder folder;
    const std::string mamba =
        folder.write("mamba.json", R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64})");
    const ProcessResult family = runCli({ "models", mamba });
    EXPECT_EQ(family.exitCode, 1) << family.err;
    EXPECT_NE(family.err.find("mamba2"), std::string::npos) << family.err;
    EXPECT_EQ(runCli({ "models", "deepseek-v3", "--seq", "0" }).exitCode, 2);
    EXPECT_EQ(runCli({ "models", "deepseek-v3", "--format", "csv" }).exitCode, 2);
}

} // namespace
