// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pipeloom
{

namespace
{

/// A file descriptor that closes itself.
class Descriptor
{
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor(Descriptor &&) = delete;
    Descriptor &operator=(Descriptor &&) = delete;
    ~Descriptor() { static_cast<void>(close()); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool valid() const { return m_fd >= 0; }
    /// True when the data reached the file as far as close() can tell.
    bool close()
    {
        const int fd = std::exchange(m_fd, -1);
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int m_fd;
};

std::string reason(int error) { return std::error_code(error, std::generic_category()).message(); }

std::string mebibytes(std::uintmax_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1048576.0); }

Error unreadable(const std::string &path, std::string message, std::string hint)
{
    return { .code = ErrorCode::Unreadable, .message = std::move(message), .file = path, .where = {}, .hint = std::move(hint) };
}

Error unwritable(const std::string &path, std::string message, std::string hint)
{
    return { .code = ErrorCode::Unwritable, .message = std::move(message), .file = path, .where = {}, .hint = std::move(hint) };
}

Error tooLarge(const std::string &path, std::uintmax_t size, std::size_t limit)
{
    return unreadable(path, fmt::format("the file has {} and the limit is {}", mebibytes(size), mebibytes(limit)),
                      "check that it is the file you meant");
}

/// Reads at most limit + 1 bytes; returns false with errno set on an error.
bool readAll(int fd, std::size_t limit, std::string &out)
{
    constexpr std::size_t step = std::size_t{ 1 } << 18U;
    while (out.size() <= limit) {
        const std::size_t before = out.size();
        out.resize(std::min(before + step, limit + 1));
        const ssize_t count = ::read(fd, out.data() + before, out.size() - before);
        if (count < 0 && errno == EINTR) {
            out.resize(before);
            continue;
        }
        out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count < 0)
            return false;
        if (count == 0)
            return true;
    }
    return true;
}

bool writeAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t count = ::write(fd, content.data(), content.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// The file that a chain of symbolic links ends at, whether it exists or not; the path itself when it is no link.
std::filesystem::path realTarget(const std::filesystem::path &path)
{
    constexpr int longestChain = 40;
    std::filesystem::path target = path;
    std::error_code error;
    for (int i = 0; i < longestChain && std::filesystem::is_symlink(target, error); ++i) {
        const std::filesystem::path next = std::filesystem::read_symlink(target, error);
        if (error)
            break;
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target;
}

/// Permissions of a new file: what the process's umask leaves of rw-rw-rw-.
mode_t newFileMode()
{
    // umask can only be read by setting it; /proc avoids the race with other threads.
    constexpr mode_t plain = 0644;
    const auto status = readTextFile("/proc/self/status");
    if (!status)
        return plain;
    const std::size_t at = status->find("Umask:");
    if (at == std::string::npos)
        return plain;
    const unsigned long mask = std::strtoul(status->c_str() + at + 6, nullptr, 8);
    return static_cast<mode_t>(0666U & ~mask);
}

/// Makes a rename durable. A file system that cannot sync folders is no reason to fail.
void syncFolder(const std::filesystem::path &folder)
{
    const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.valid())
        static_cast<void>(::fsync(fd.get()));
}

/// The temporary file's name, removed unless it was renamed away.
class Temporary
{
public:
    explicit Temporary(std::string pattern)
        : m_name(std::move(pattern))
        , m_fd(::mkostemp(m_name.data(), O_CLOEXEC))
    {
    }
    Temporary(const Temporary &) = delete;
    Temporary &operator=(const Temporary &) = delete;
    Temporary(Temporary &&) = delete;
    Temporary &operator=(Temporary &&) = delete;
    ~Temporary()
    {
        if (m_created)
            static_cast<void>(::unlink(m_name.c_str()));
    }

    [[nodiscard]] bool valid() const { return m_created; }
    /// Content, permissions and sync; false with errno set.
    bool fill(std::string_view content, mode_t mode)
    {
        return writeAll(m_fd.get(), content) && ::fchmod(m_fd.get(), mode) == 0 && ::fsync(m_fd.get()) == 0 && m_fd.close();
    }
    bool renameTo(const std::filesystem::path &target)
    {
        if (::rename(m_name.c_str(), target.c_str()) != 0)
            return false;
        m_created = false;
        return true;
    }

private:
    std::string m_name;
    Descriptor m_fd;
    bool m_created = m_fd.valid();
};

} // namespace

Expected<std::string> readTextFile(const std::string &path, std::size_t limit)
{
    if (path.empty())
        return unreadable(path, "an empty text is no file name", "name a file");
    if (path.find('\0') != std::string::npos)
        return unreadable(path.c_str(), "the path holds a zero byte", "");
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) {
        const int error = errno;
        return unreadable(path, fmt::format("cannot be read: {}", reason(error)),
                          error == EACCES ? "check its permissions" : "check the path");
    }
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0)
        return unreadable(path, fmt::format("cannot be read: {}", reason(errno)), "");
    if (S_ISDIR(info.st_mode))
        return unreadable(path, "is a folder", "name a file in it");
    if (!S_ISREG(info.st_mode))
        return unreadable(path, "is a pipe or device, not a file", "save its content to a file first");
    if (static_cast<std::uintmax_t>(info.st_size) > limit)
        return tooLarge(path, static_cast<std::uintmax_t>(info.st_size), limit);
    std::string content;
    content.reserve(static_cast<std::size_t>(info.st_size) + 1);
    if (!readAll(fd.get(), limit, content))
        return unreadable(path, fmt::format("cannot be read: {}", reason(errno)), "");
    if (content.size() > limit)
        return tooLarge(path, content.size(), limit);
    return content;
}

Expected<bool> writeFileAtomically(const std::string &path, std::string_view content)
{
    if (path.empty() || path.find('\0') != std::string::npos)
        return unwritable(path.c_str(), "is not a file name", "name a file");
    const std::filesystem::path target = realTarget(path);
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    struct stat old = {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return unwritable(path, "is a folder", "name a file in it");
    if (exists && !S_ISREG(old.st_mode))
        return unwritable(path, "is a pipe or device, not a file", "name a file");
    // A read-only file in a writable folder could be replaced by rename; the user's wish to keep it counts.
    if (exists && ::access(target.c_str(), W_OK) != 0)
        return unwritable(path, fmt::format("cannot be written: {}", reason(errno)), "check its permissions");
    Temporary temporary((folder / fmt::format(".{}.XXXXXX", target.filename().string().substr(0, 200))).string());
    if (!temporary.valid())
        return unwritable(path, fmt::format("cannot be written: {}", reason(errno)),
                          "check that the folder exists and may be written");
    const mode_t mode = exists ? old.st_mode & 07777U : newFileMode();
    if (!temporary.fill(content, mode) || !temporary.renameTo(target))
        return unwritable(path, fmt::format("cannot be written: {}", reason(errno)), "the old file is unchanged");
    syncFolder(folder);
    return true;
}

} // namespace pipeloom
