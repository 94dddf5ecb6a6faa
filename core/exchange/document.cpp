// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/document.h"

#include <algorithm>
#include <cstddef>

namespace pipeloom
{

namespace
{

/// Code points, the width of a cell on a terminal (no wide or combining letters occur in reports but in users' names).
std::size_t width(const std::string &text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

std::vector<std::size_t> columnWidths(const ReportTable &table)
{
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::size_t widest = width(table.columns[c].title);
        for (const auto &row : table.rows)
            widest = std::max(widest, width(row[c]));
        widths.push_back(widest);
    }
    return widths;
}

/// Terminals see no control characters from a file.
std::string onOneLine(const std::string &text)
{
    std::string out = text;
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }, ' ');
    return out;
}

std::string textLine(const std::vector<std::string> &cells, const ReportTable &table, const std::vector<std::size_t> &widths)
{
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::string cell = onOneLine(cells[c]);
        const std::string padding = spaces(widths[c] - std::min(widths[c], width(cell)));
        line += c == 0 ? "" : "  ";
        line += table.columns[c].number ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

std::vector<std::string> titles(const ReportTable &table)
{
    std::vector<std::string> out;
    for (const ReportColumn &column : table.columns)
        out.push_back(column.title);
    return out;
}

/// Nothing of a cell is taken for Markdown or HTML.
std::string escapeMarkdown(const std::string &text)
{
    std::string out;
    for (const char c : onOneLine(text)) {
        if (c == '<') {
            out += "&lt;";
            continue;
        }
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '[' || c == ']')
            out += '\\';
        out += c;
    }
    return out;
}

std::string escapeHtml(const std::string &text)
{
    std::string out;
    for (const char c : onOneLine(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string csvCell(const std::string &text)
{
    // A leading = + - @ starts a formula; numbers keep their sign.
    const bool formula = !text.empty()
        && (text[0] == '=' || text[0] == '@'
            || ((text[0] == '+' || text[0] == '-') && text.size() > 1 && (text[1] < '0' || text[1] > '9')));
    const std::string cell = formula ? "'" + text : text;
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    std::string out = "\"";
    for (const char c : cell) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string csvLine(const std::vector<std::string> &cells)
{
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        line += c == 0 ? "" : ",";
        line += csvCell(cells[c]);
    }
    return line + "\r\n";
}

constexpr const char *style = R"CSS(
:root { color-scheme: light dark; --bg: #EBEDF0; --panel: #FFFFFF; --alt: #F5F6F8; --line: #D3D8DE; --text: #1A2027; --text2: #46515D; }
@media (prefers-color-scheme: dark) { :root { --bg: #101419; --panel: #191D24; --alt: #20252D; --line: #323A45; --text: #E7EBF0; --text2: #B5BEC9; } }
body { margin: 0; padding: 24px; background: var(--bg); color: var(--text); font: 14px/1.45 Roboto, system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1200px; margin: 0 auto; padding: 20px 28px; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; }
h1 { font-size: 22px; margin: 4px 0 8px; }
h2 { font-size: 15px; margin: 26px 0 4px; }
p { margin: 4px 0; color: var(--text2); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; }
th, td { padding: 3px 12px 3px 8px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--alt); font-weight: 600; white-space: nowrap; }
.n { text-align: right; white-space: nowrap; }
footer { margin-top: 24px; font-size: 12px; color: var(--text2); }
)CSS";

std::string htmlRow(const std::vector<std::string> &cells, const ReportTable &table, const char *tag)
{
    std::string row = "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c) {
        row += std::string("<") + tag + (table.columns[c].number ? " class=\"n\">" : ">");
        row += escapeHtml(cells[c]) + "</" + tag + ">";
    }
    return row + "</tr>\n";
}

} // namespace

std::string toText(const ReportDocument &document)
{
    std::string out = onOneLine(document.title) + '\n';
    for (const std::string &sentence : document.lead)
        out += onOneLine(sentence) + '\n';
    for (const ReportTable &table : document.tables) {
        out += '\n' + onOneLine(table.title) + '\n';
        if (!table.note.empty())
            out += onOneLine(table.note) + '\n';
        if (table.rows.empty())
            continue;
        const std::vector<std::size_t> widths = columnWidths(table);
        out += textLine(titles(table), table, widths);
        for (const auto &row : table.rows)
            out += textLine(row, table, widths);
    }
    if (!document.footer.empty())
        out += '\n' + onOneLine(document.footer) + '\n';
    return out;
}

std::string toMarkdown(const ReportDocument &document)
{
    std::string out = "# " + escapeMarkdown(document.title) + "\n\n";
    for (const std::string &sentence : document.lead)
        out += escapeMarkdown(sentence) + "\n\n";
    for (const ReportTable &table : document.tables) {
        out += "## " + escapeMarkdown(table.title) + "\n\n";
        if (!table.note.empty())
            out += escapeMarkdown(table.note) + "\n\n";
        if (table.rows.empty())
            continue;
        const auto line = [](const std::vector<std::string> &cells) {
            std::string text = "|";
            for (const std::string &cell : cells)
                text += ' ' + escapeMarkdown(cell) + " |";
            return text + '\n';
        };
        out += line(titles(table)) + '|';
        for (const ReportColumn &column : table.columns)
            out += column.number ? " ---: |" : " --- |";
        out += '\n';
        for (const auto &row : table.rows)
            out += line(row);
        out += '\n';
    }
    if (!document.footer.empty())
        out += escapeMarkdown(document.footer) + '\n';
    return out;
}

std::string toHtml(const ReportDocument &document)
{
    const std::string title = escapeHtml(document.title);
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
        + title + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n";
    for (const std::string &sentence : document.lead)
        out += "<p>" + escapeHtml(sentence) + "</p>\n";
    for (const ReportTable &table : document.tables) {
        out += "<h2>" + escapeHtml(table.title) + "</h2>\n";
        if (!table.note.empty())
            out += "<p>" + escapeHtml(table.note) + "</p>\n";
        if (table.rows.empty())
            continue;
        out += "<div class=\"scroll\">\n<table>\n<thead>" + htmlRow(titles(table), table, "th") + "</thead>\n<tbody>\n";
        for (const auto &row : table.rows)
            out += htmlRow(row, table, "td");
        out += "</tbody>\n</table>\n</div>\n";
    }
    if (!document.footer.empty())
        out += "<footer>" + escapeHtml(document.footer) + "</footer>\n";
    return out + "</main>\n</body>\n</html>\n";
}

std::string toCsv(const ReportTable &table)
{
    std::string out = csvLine(titles(table));
    for (const auto &row : table.rows)
        out += csvLine(row);
    return out;
}

} // namespace pipeloom
