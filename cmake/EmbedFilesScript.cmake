# SPDX-License-Identifier: GPL-3.0-or-later
# Run by EmbedFiles.cmake. Raw string literals: the files are JSON and must not hold `)JSON"`.
set(entries "")
set(count 0)
foreach(file IN LISTS FILES)
    file(READ "${file}" text)
    get_filename_component(stem "${file}" NAME)
    string(APPEND entries "    {\"${stem}\", R\"JSON(${text})JSON\"},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from the files under resources/ and samples/; do not edit.
#include <array>
#include <span>
#include <string_view>

namespace pipeloom::${NAME}
{
struct File
{
    std::string_view name;
    std::string_view text;
};

namespace
{
const std::array<File, ${count}> embedded = {{
${entries}}};
} // namespace

std::span<const File> files()
{
    return embedded;
}
} // namespace pipeloom::${NAME}
")
