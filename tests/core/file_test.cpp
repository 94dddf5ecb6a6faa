// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include "tests/core/temporaryfolder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pipeloom
{
namespace
{

namespace fs = std::filesystem;

class Files : public testing::Test
{
protected:
    [[nodiscard]] std::size_t entries() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(m_folder.path()), fs::directory_iterator()));
    }
    TemporaryFolder m_folder;
};

TEST_F(Files, ReadsWhatWasWritten)
{
    const std::string path = m_folder.file("a.json");
    const std::string content("{\"a\": 1}\0tail", 13);
    ASSERT_TRUE(writeFileAtomically(path, content));
    const auto read = readTextFile(path);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, content);
    EXPECT_EQ(entries(), 1U) << "no temporary file stays";
}

TEST_F(Files, RefusesFoldersPipesDevicesAndMissingFiles)
{
    const std::string pipe = m_folder.file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string paths[] = { m_folder.path(), pipe, "/dev/zero", m_folder.file("missing.json"),
                                  m_folder.file("missing/a.json") };
    for (const std::string &path : paths) {
        const auto read = readTextFile(path);
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().code, ErrorCode::Unreadable);
        EXPECT_EQ(read.error().file, path);
        EXPECT_FALSE(read.error().message.empty());
    }
    EXPECT_EQ(readTextFile(m_folder.path()).error().message, "is a folder");
}

TEST_F(Files, RefusesAFileAboveTheLimitWithoutReadingIt)
{
    // A hole: 1 GiB that takes no disk. Reading it would take far longer than this test may.
    const std::string path = m_folder.file("huge.json");
    std::ofstream(path).put('{');
    fs::resize_file(path, std::uintmax_t{ 1 } << 30U);
    const auto read = readTextFile(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "the file has 1024.0 MiB and the limit is 64.0 MiB");
    EXPECT_FALSE(readTextFile(path, 1 << 20));
    fs::resize_file(path, 1 << 20);
    EXPECT_TRUE(readTextFile(path, 1 << 20)) << "the limit itself is allowed";
}

TEST_F(Files, RefusesAnUnreadableFile)
{
    if (::geteuid() == 0)
        GTEST_SKIP() << "root reads everything";
    const std::string path = m_folder.file("secret.json");
    std::ofstream(path) << "{}";
    fs::permissions(path, fs::perms::none);
    const auto read = readTextFile(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().hint, "check its permissions");
}

TEST_F(Files, KeepsPermissionsAndFollowsLinks)
{
    const std::string real = m_folder.file("real.json");
    const std::string link = m_folder.file("link.json");
    const std::string chain = m_folder.file("chain.json");
    std::ofstream(real) << "old";
    ASSERT_EQ(::chmod(real.c_str(), 0640), 0);
    fs::create_symlink("real.json", link);
    fs::create_symlink(link, chain);
    ASSERT_TRUE(writeFileAtomically(chain, "new"));
    EXPECT_TRUE(fs::is_symlink(chain));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(*readTextFile(real), "new");
    struct stat info = {};
    ASSERT_EQ(::stat(real.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0640U);
    EXPECT_EQ(entries(), 3U);
}

TEST_F(Files, WritesThroughADanglingLink)
{
    const std::string link = m_folder.file("link.json");
    fs::create_symlink("target.json", link);
    ASSERT_TRUE(writeFileAtomically(link, "x"));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(*readTextFile(m_folder.file("target.json")), "x");
}

TEST_F(Files, ANewFileHasThePermissionsOfTheUmask)
{
    const mode_t before = ::umask(027);
    const std::string path = m_folder.file("new.json");
    ASSERT_TRUE(writeFileAtomically(path, "x"));
    ::umask(before);
    struct stat info = {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0640U);
}

TEST_F(Files, RefusesTargetsThatAreNoFiles)
{
    fs::create_directory(m_folder.file("folder"));
    for (const std::string &path :
         { m_folder.file("folder"), std::string("/dev/null"), m_folder.file("missing/a.json"), std::string() }) {
        const auto written = writeFileAtomically(path, "x");
        ASSERT_FALSE(written) << path;
        EXPECT_EQ(written.error().code, ErrorCode::Unwritable);
    }
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNoTemporary)
{
    const std::string path = m_folder.file("a.json");
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    // A full disk in small: the process may not write more than 4 KiB into one file.
    struct rlimit before = {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = { 4096, before.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeFileAtomically(path, std::string(100'000, 'x'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().hint, "the old file is unchanged");
    EXPECT_EQ(*readTextFile(path), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AReadOnlyFileIsNotReplaced)
{
    if (::geteuid() == 0)
        GTEST_SKIP() << "root writes everything";
    const std::string path = m_folder.file("a.json");
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    fs::permissions(path, fs::perms::owner_read);
    EXPECT_FALSE(writeFileAtomically(path, "new"));
    EXPECT_EQ(*readTextFile(path), "old");
}

} // namespace
} // namespace pipeloom
