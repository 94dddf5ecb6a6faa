// SPDX-License-Identifier: GPL-3.0-or-later
// The start script against stand-ins for apt-get, cmake and the program: what it installs, builds and starts.
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace
{

using namespace pipeloom::test;
namespace fs = std::filesystem;

class RunScript : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!fs::exists("/bin/bash"))
            GTEST_SKIP() << "there is no bash";
        fs::create_directories(m_folder.path("bin"));
        fs::create_directories(m_folder.path("tree/samples"));
        fs::create_directories(m_folder.path("tree/build/release/app"));
        fs::create_directories(m_folder.path("tree/build/dev"));
        fs::copy_file(std::string(PIPELOOM_SOURCE_DIR) + "/run", m_folder.path("tree/run"));
        fs::copy(std::string(PIPELOOM_SOURCE_DIR) + "/samples", m_folder.path("tree/samples"), fs::copy_options::recursive);
        standIn("bin/apt-get",
                "echo \"apt-get $*\" >> $LOG; [[ $1 == install ]] && touch $STATE/installed; [[ $1 == update ]] && touch "
                "$STATE/updated; true");
        standIn("bin/apt-cache", "[[ -e $STATE/updated ]] && echo '  Candidate: 1.0'; true");
        standIn("bin/dpkg-query",
                "p=${@: -1}; [[ -e $STATE/installed || $p != libfmt-dev && $p != cmake ]] && echo -n installed; true");
        standIn("bin/sudo", "echo sudo >> $LOG; \"$@\"");
        standIn("bin/cmake", "echo \"cmake $*\" >> $LOG; [[ $1 == --build ]] || touch build/$2/build.ninja");
        standIn("bin/ctest", "echo \"ctest $*\" >> $LOG; exit 8");
        standIn("tree/build/release/app/pipeloom", "echo \"pipeloom $*\" >> $LOG");
    }

    void standIn(const std::string &name, const std::string &body) const
    {
        const std::string path = m_folder.write(name, "#!/bin/bash\n" + body + '\n');
        fs::permissions(path, fs::perms::owner_all);
    }

    ProcessResult run(const std::vector<std::string> &arguments, const std::vector<std::string> &environment = {}) const
    {
        ProcessOptions options;
        options.environment = { "PATH=" + m_folder.path("bin") + ":/usr/bin:/bin", "LOG=" + m_folder.path("log"),
                                "STATE=" + m_folder.path("") };
        options.environment.insert(options.environment.end(), environment.begin(), environment.end());
        return runProgram(m_folder.path("tree/run"), arguments, options);
    }

    /// What was called since the last look.
    std::string calls() const
    {
        std::ifstream in(m_folder.path("log"));
        std::ostringstream text;
        text << in.rdbuf();
        in.close();
        fs::remove(m_folder.path("log"));
        return text.str();
    }

    void everythingIsInstalled() const { m_folder.write("installed", ""); }
    std::string picture() const { return m_folder.path("tree/build/pictures/01-deepseek-v3-1024-h800.png"); }
    std::string defaultSample() const { return m_folder.path("tree/samples/01-deepseek-v3-1024-h800.loom.json"); }

    TemporaryFolder m_folder;
};

TEST_F(RunScript, helpDoesNothingElse)
{
    const ProcessResult result = run({ "--help" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_NE(result.out.find("./run test"), std::string::npos);
    EXPECT_EQ(calls(), "");
}

TEST_F(RunScript, installsExactlyWhatIsMissingAndSaysSo)
{
    const ProcessResult result = run({ "evaluate", "x.loom.json" });
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const std::string called = calls();
    EXPECT_NE(called.find("apt-get install -qy --no-install-recommends cmake libfmt-dev\n"), std::string::npos) << called;
    EXPECT_NE(result.err.find("not installed: cmake libfmt-dev"), std::string::npos) << result.err;
    EXPECT_NE(called.find("pipeloom evaluate x.loom.json\n"), std::string::npos) << called;
    EXPECT_EQ(result.out, "");
}

TEST_F(RunScript, updatesTheListsOnlyWhenTheyLackAPackage)
{
    EXPECT_EQ(run({ "models" }).exitCode, 0);
    EXPECT_NE(calls().find("apt-get update"), std::string::npos);
    fs::remove(m_folder.path("installed"));
    EXPECT_EQ(run({ "models" }).exitCode, 0);
    const std::string called = calls();
    EXPECT_EQ(called.find("apt-get update"), std::string::npos) << called;
    EXPECT_NE(called.find("apt-get install"), std::string::npos) << called;
}

TEST_F(RunScript, withoutADisplayItRendersTheDefaultSample)
{
    everythingIsInstalled();
    const ProcessResult result = run({});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const std::string called = calls();
    EXPECT_EQ(called.find("apt-get"), std::string::npos) << called;
    EXPECT_NE(called.find("pipeloom render " + defaultSample() + " --view explore -o " + picture() + '\n'), std::string::npos)
        << called;
    EXPECT_NE(result.err.find("the picture is " + picture()), std::string::npos) << result.err;
}

TEST_F(RunScript, withADisplayItOpensTheWindow)
{
    everythingIsInstalled();
    EXPECT_EQ(run({}, { "DISPLAY=:99" }).exitCode, 0);
    EXPECT_NE(calls().find("\npipeloom \n"), std::string::npos);
    EXPECT_EQ(run({ "a.loom.json", "--theme", "dark" }, { "DISPLAY=:99" }).exitCode, 0);
    EXPECT_NE(calls().find("\npipeloom a.loom.json --theme dark\n"), std::string::npos);
}

TEST_F(RunScript, configuresOnce)
{
    everythingIsInstalled();
    EXPECT_EQ(run({ "models" }).exitCode, 0);
    EXPECT_TRUE(calls().starts_with("cmake --preset release\ncmake --build --preset release --target pipeloom pipeloom-cli\n"));
    EXPECT_EQ(run({ "models" }).exitCode, 0);
    EXPECT_TRUE(calls().starts_with("cmake --build --preset release"));
}

TEST_F(RunScript, testBuildsEverythingAndGivesTheTestsExitCode)
{
    everythingIsInstalled();
    const ProcessResult result = run({ "test", "-R", "Layers" });
    EXPECT_EQ(result.exitCode, 8);
    const std::string called = calls();
    EXPECT_NE(called.find("cmake --build --preset dev\n"), std::string::npos) << called;
    EXPECT_NE(called.find("ctest --preset dev --parallel"), std::string::npos) << called;
    EXPECT_NE(called.find("-R Layers"), std::string::npos) << called;
}

TEST_F(RunScript, aFailedBuildStartsNothing)
{
    everythingIsInstalled();
    standIn("bin/cmake", "echo \"cmake $*\" >> $LOG; [[ $1 != --build ]]");
    EXPECT_NE(run({ "models" }).exitCode, 0);
    EXPECT_EQ(calls().find("pipeloom models"), std::string::npos);
    m_folder.write("tree/build/release/.built", "");
    EXPECT_NE(run({ "models" }).exitCode, 0) << "a failure behind the filter of the output is lost";
    EXPECT_EQ(calls().find("pipeloom models"), std::string::npos);
}

} // namespace
