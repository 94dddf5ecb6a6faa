// SPDX-License-Identifier: GPL-3.0-or-later
// The rooms of the house: core knows no Qt, views know core, app knows both. A broken rule shows in an include line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace
{

namespace fs = std::filesystem;

struct SourceFile
{
    std::string path; ///< relative to the source folder, with forward slashes
    std::string text;
};

std::string readAll(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

bool isSource(const fs::path &path)
{
    const std::string extension = path.extension().string();
    return extension == ".h" || extension == ".cpp";
}

/// Every file under the source folder that could be committed, sorted.
std::vector<SourceFile> committedFiles()
{
    const fs::path root = PIPELOOM_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
        const std::string name = it->path().filename().string();
        if (it->is_directory() && (name == "build" || name == ".git" || name == ".cache")) {
            it.disable_recursion_pending();
            continue;
        }
        const std::string extension = it->path().extension().string();
        const bool binary = extension == ".png" || extension == ".ttf" || extension == ".ico";
        // In a worktree ".git" is a file that names the main checkout.
        if (!it->is_regular_file() || binary || name == ".git")
            continue;
        files.push_back({ fs::relative(it->path(), root).generic_string(), readAll(it->path()) });
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

std::vector<std::string> includes(const std::string &text)
{
    static const std::regex pattern(R"(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"])", std::regex::multiline);
    std::vector<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it)
        names.push_back((*it)[1].str());
    return names;
}

/// <QWidget>, <QtCore/QObject>, <qglobal.h>, <qcustomplot.h>
bool isQt(std::string_view include)
{
    if (include.starts_with("qcustomplot"))
        return true;
    if (include.size() > 1 && include[0] == 'Q' && include[1] >= 'A' && include[1] <= 'Z')
        return true;
    return include.starts_with("Qt") || (include.starts_with("q") && include.ends_with(".h"));
}

/// Why this file may not include that, or nothing.
std::string broken(const std::string &path, const std::string &include)
{
    const bool core = path.starts_with("core/");
    const bool commands = path.starts_with("app/commandline/") || path == "app/cli_main.cpp";
    const bool views = path.starts_with("views/");
    if ((core || commands) && isQt(include))
        return path + " includes Qt (" + include + ")";
    if (core && (include.starts_with("views/") || include.starts_with("app/")))
        return path + ": core includes a floor above it (" + include + ")";
    if (commands && (include.starts_with("views/") || include.starts_with("app/window/")))
        return path + ": the command line includes the window (" + include + ")";
    if (views && include.starts_with("app/"))
        return path + ": views include app (" + include + ")";
    if (include.starts_with(".."))
        return path + ": includes are relative to the source folder (" + include + ")";
    return {};
}

std::vector<std::string> brokenRules(const std::vector<SourceFile> &files)
{
    std::vector<std::string> found;
    for (const SourceFile &file : files) {
        if (!isSource(file.path))
            continue;
        for (const std::string &include : includes(file.text)) {
            if (std::string why = broken(file.path, include); !why.empty())
                found.push_back(std::move(why));
        }
    }
    return found;
}

/// Headers that bring nlohmann_json with them, directly or not. Its compile time and its types stay inside core.
std::set<std::string> jsonHeaders(const std::vector<SourceFile> &files)
{
    std::set<std::string> tainted;
    for (std::size_t before = 1; before != 0;) {
        before = tainted.size();
        for (const SourceFile &file : files) {
            const auto brings = [&tainted](const std::string &include) {
                return include.starts_with("nlohmann/") || tainted.contains(include);
            };
            if (file.path.ends_with(".h") && std::ranges::any_of(includes(file.text), brings))
                tainted.insert(file.path);
        }
        before = tainted.size() - before;
    }
    return tainted;
}

std::vector<std::string> jsonOutsideCore(const std::vector<SourceFile> &files)
{
    const std::set<std::string> tainted = jsonHeaders(files);
    std::vector<std::string> found;
    for (const SourceFile &file : files) {
        if (!isSource(file.path) || file.path.starts_with("core/") || file.path.starts_with("tests/"))
            continue;
        for (const std::string &include : includes(file.text)) {
            if (include.starts_with("nlohmann/") || tainted.contains(include))
                found.push_back(file.path + " includes nlohmann_json (" + include + ")");
        }
    }
    return found;
}

/// Paths that exist on one machine only have no place in the repository. Put together here so that this file does not hold them.
std::vector<std::string> strayPaths(const std::vector<SourceFile> &files)
{
    const auto isWord = [](char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; };
    const std::string folder = std::string("/wo") + "rk";
    const std::string hidden = std::string(".li") + "brary";
    const std::string machine = std::string("fa") + "rm-";
    std::vector<std::string> found;
    for (const SourceFile &file : files) {
        const std::string &text = file.text;
        for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1)) {
            const std::size_t end = at + folder.size();
            const bool starts = at == 0 || (!isWord(text[at - 1]) && text[at - 1] != '.');
            if (starts && (end == text.size() || !isWord(text[end])))
                found.push_back(file.path + ": " + text.substr(at, 30));
        }
        for (const std::string &word : { hidden, machine }) {
            const std::size_t at = text.find(word);
            if (at != std::string::npos && (at == 0 || !isWord(text[at - 1])))
                found.push_back(file.path + ": " + text.substr(at, 30));
        }
    }
    return found;
}

std::string lines(const std::vector<std::string> &texts)
{
    std::string out;
    for (const std::string &text : texts)
        out += text + '\n';
    return out;
}

TEST(Layers, theRulesSeeABrokenInclude)
{
    EXPECT_EQ(brokenRules({ { "core/a.cpp", "#include <QString>\n" } }).size(), 1U);
    EXPECT_EQ(brokenRules({ { "core/a.h", "#include <QtCore/QObject>\n" } }).size(), 1U);
    EXPECT_EQ(brokenRules({ { "core/a.h", "  #  include <qcustomplot.h>\n" } }).size(), 1U);
    EXPECT_EQ(brokenRules({ { "core/a.cpp", "#include \"views/theme.h\"\n#include \"app/x.h\"\n" } }).size(), 2U);
    EXPECT_EQ(brokenRules({ { "views/a.h", "#include \"app/window/mainwindow.h\"\n" } }).size(), 1U);
    EXPECT_EQ(brokenRules({ { "app/commandline/a.cpp", "#include <QFile>\n" } }).size(), 1U);
    EXPECT_EQ(brokenRules({ { "core/a.cpp", "#include <queue>\n#include <nlohmann/json.hpp>\n" },
                            { "views/a.h", "#include <QWidget>\n" } })
                  .size(),
              0U);
}

TEST(Layers, theRulesSeeAStrayPath)
{
    EXPECT_EQ(strayPaths({ { "a", std::string("see /wo") + "rk/x" } }).size(), 1U);
    EXPECT_EQ(strayPaths({ { "a", std::string("\"/wo") + "rk\"" } }).size(), 1U);
    EXPECT_EQ(strayPaths({ { "a", std::string("fa") + "rm-3" } }).size(), 1U);
    EXPECT_EQ(strayPaths({ { "a", std::string("x/.li") + "brary/y" } }).size(), 1U);
    EXPECT_EQ(strayPaths({ { "a", "/workspace, home/work/x and ../shared" } }).size(), 0U);
}

TEST(Layers, coreKnowsNoQtAndViewsKnowNoApp)
{
    const std::vector<SourceFile> files = committedFiles();
    const auto sources = std::ranges::count_if(files, [](const SourceFile &file) { return isSource(file.path); });
    ASSERT_GT(sources, 30) << "the source folder " << PIPELOOM_SOURCE_DIR << " was not found";
    const std::vector<std::string> found = brokenRules(files);
    EXPECT_TRUE(found.empty()) << lines(found);
}

TEST(Layers, theRulesSeeJsonOutsideCore)
{
    const std::vector<SourceFile> files = { { "core/a.h", "#include <nlohmann/json.hpp>\n" },
                                            { "core/b.h", "#include \"core/a.h\"\n" },
                                            { "core/c.cpp", "#include \"core/b.h\"\n" } };
    EXPECT_EQ(jsonHeaders(files).size(), 2U);
    EXPECT_TRUE(jsonOutsideCore(files).empty());
    std::vector<SourceFile> broken = files;
    broken.push_back({ "app/window/d.cpp", "#include \"core/b.h\"\n" });
    EXPECT_EQ(jsonOutsideCore(broken).size(), 1U);
}

TEST(Layers, jsonStaysInsideCore)
{
    const std::vector<std::string> found = jsonOutsideCore(committedFiles());
    EXPECT_TRUE(found.empty()) << lines(found);
}

TEST(Layers, coreLinksNoQt)
{
    const std::string text = readAll(fs::path(PIPELOOM_SOURCE_DIR) / "core/CMakeLists.txt");
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text.find("Qt6"), std::string::npos);
    EXPECT_EQ(text.find("QCustomPlot"), std::string::npos);
}

TEST(Layers, sourcesNameNoMachine)
{
    const std::vector<std::string> found = strayPaths(committedFiles());
    EXPECT_TRUE(found.empty()) << lines(found);
}

/// The README and the start script name samples by path: a renamed one must not leave them behind.
TEST(Layers, samplesNamedInReadmeAndRunExist)
{
    static const std::regex pattern(R"(samples/[A-Za-z0-9._-]+\.loom\.json)");
    for (const char *name : { "README.md", "run" }) {
        const std::string text = readAll(fs::path(PIPELOOM_SOURCE_DIR) / name);
        int found = 0;
        for (std::sregex_iterator it(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it, ++found)
            EXPECT_TRUE(fs::exists(fs::path(PIPELOOM_SOURCE_DIR) / it->str())) << name << " names " << it->str();
        EXPECT_GT(found, 0) << name;
    }
}

TEST(Layers, everySourceStatesItsLicence)
{
    for (const SourceFile &file : committedFiles()) {
        if (!isSource(file.path))
            continue;
        EXPECT_TRUE(file.text.starts_with("// SPDX-License-Identifier: GPL-3.0-or-later\n")) << file.path;
        if (file.path.ends_with(".h")) {
            EXPECT_NE(file.text.find("\n#pragma once\n"), std::string::npos) << file.path;
        }
    }
}

} // namespace
