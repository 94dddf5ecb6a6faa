// SPDX-License-Identifier: GPL-3.0-or-later
// Which models train under which system: the published matrix against this program's own memory model.
#include "core/exchange/xmoeoutcomes.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

namespace pipeloom
{
namespace
{

TEST(XMoeOutcomes, AtLeastTwentyFiveOfTwentySevenPublishedRunsAreForetold)
{
    const std::vector<TrainingOutcome> outcomes = xmoeOutcomes();
    ASSERT_EQ(outcomes.size(), 27U);
    int agreeing = 0;
    for (const TrainingOutcome &o : outcomes) {
        EXPECT_GT(o.peak, 0) << o.model << ' ' << o.policy;
        EXPECT_EQ(o.margin() >= 0, o.fits());
        agreeing += o.agrees() ? 1 : 0;
    }
    EXPECT_GE(agreeing, 25);
    EXPECT_EQ(std::ranges::count(outcomes, true, &TrainingOutcome::trained), 17);
}

TEST(XMoeOutcomes, TheMatrixIsTheReferencesAndSoAreTheVerdicts)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published numbers is absent";
    std::ifstream file(*shared + "/golden/xmoe/oom_matrix.json");
    const auto golden = nlohmann::json::parse(file)["rows"];
    const std::map<std::string, std::string> systems{
        { "ds_moe", "deepspeed-moe-0.15" }, { "ted", "deepspeed-ted" }, { "tutel", "tutel" }, { "xmoe", "x-moe-ssmb" }
    };
    const std::vector<TrainingOutcome> outcomes = xmoeOutcomes();
    ASSERT_EQ(golden.size(), outcomes.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const TrainingOutcome &o = outcomes[i];
        const auto &row = golden[i];
        std::string preset = "xmoe-" + row["model"].get<std::string>();
        std::ranges::replace(preset, '_', '-');
        EXPECT_EQ(o.model, preset);
        EXPECT_EQ(o.policy, systems.at(row["system"]));
        EXPECT_EQ(o.gpus, row["gpus"]);
        EXPECT_EQ(o.trained, row["paper_trains"]) << preset << o.policy;
        EXPECT_EQ(o.tp, row["best"]["TP"]) << preset << o.policy;
        EXPECT_EQ(o.ep, row["best"]["EP"]) << preset << o.policy;
        EXPECT_EQ(o.zero, row["best"]["zero"]) << preset << o.policy;
        RecordProperty(preset + "/" + o.policy, std::to_string(o.margin()));
    }
}

} // namespace
} // namespace pipeloom
