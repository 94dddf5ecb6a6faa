// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace pipeloom
{

/// One column of a report's table.
struct ReportColumn
{
    std::string title;
    bool number = false; ///< right-aligned
};

/// A table of ready texts with what stands above it.
struct ReportTable
{
    std::string title;
    std::string note; ///< one sentence under the title; may be empty
    std::vector<ReportColumn> columns;
    std::vector<std::vector<std::string>> rows; ///< as wide as columns
};

/// A report that can be written in several formats. Texts are plain UTF-8; each writer escapes what its format needs.
struct ReportDocument
{
    std::string title;
    std::vector<std::string> lead; ///< sentences below the title
    std::vector<ReportTable> tables;
    std::string footer; ///< where the numbers come from
};

/// Aligned columns for a terminal.
[[nodiscard]] std::string toText(const ReportDocument &document);
[[nodiscard]] std::string toMarkdown(const ReportDocument &document);
/// One self-contained page: no script, nothing fetched; light and dark follow the reader's preference.
[[nodiscard]] std::string toHtml(const ReportDocument &document);
/// RFC 4180, a header line first; a cell that a spreadsheet would take for a formula gets a leading apostrophe.
[[nodiscard]] std::string toCsv(const ReportTable &table);

} // namespace pipeloom
