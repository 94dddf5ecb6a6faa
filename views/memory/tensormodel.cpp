// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/tensormodel.h"

#include "views/controls/format.h"
#include "views/plot/numbers.h"

#include <QFont>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pipeloom
{

namespace
{

QString text(std::string_view value) { return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())); }

int groupKey(const LedgerRow &row, TensorGrouping grouping)
{
    switch (grouping) {
    case TensorGrouping::Class:
        return static_cast<int>(row.memoryClass);
    case TensorGrouping::Stage:
        return row.stage;
    case TensorGrouping::Place:
        break;
    }
    return static_cast<int>(row.place);
}

QString groupTitle(const LedgerRow &row, TensorGrouping grouping)
{
    switch (grouping) {
    case TensorGrouping::Class:
        return QString::fromLatin1(name(row.memoryClass));
    case TensorGrouping::Stage:
        return row.stage < 0 ? TensorModel::tr("Rank") : TensorModel::tr("Stage %1").arg(row.stage);
    case TensorGrouping::Place:
        break;
    }
    return QString::fromLatin1(name(row.place));
}

using LineKey = std::tuple<int, MemoryClass, LedgerPlace, std::string_view, std::string_view, double, double, Lifetime>;

LineKey lineKey(const LedgerRow &row, TensorGrouping grouping)
{
    return { groupKey(row, grouping), row.memoryClass, row.place, row.name, row.dtype, row.rows, row.cols, row.lifetime };
}

/// Compared plans may differ in shapes and types: there a tensor is its name.
LineKey nameKey(const LedgerRow &row, TensorGrouping grouping)
{
    return { groupKey(row, grouping), row.memoryClass, row.place, row.name, {}, 0, 0, row.lifetime };
}

/// Lines by key; the instances of several stages are listed as "8 x 9 + 8 x 8".
class Lines
{
public:
    Lines(TensorTable &table, TensorGrouping grouping, bool byName)
        : m_table(table)
        , m_grouping(grouping)
        , m_byName(byName)
    {
    }

    void add(const BreakdownRow &row, bool other)
    {
        const LineKey key = m_byName ? nameKey(row.row, m_grouping) : lineKey(row.row, m_grouping);
        const auto [it, fresh] = m_ids.try_emplace(key, static_cast<int>(m_table.lines.size()));
        if (fresh) {
            TensorLine line;
            line.tensor = row;
            line.tensor.bytes = 0;
            line.id = it->second;
            line.group = group(row.row);
            if (m_byName) {
                line.other = 0;
            }
            m_table.lines.push_back(line);
            m_parts.emplace_back();
        }
        TensorLine &line = m_table.lines[static_cast<std::size_t>(it->second)];
        if (other) {
            line.other = line.other.value_or(0) + row.bytes;
            return;
        }
        line.bytes += row.bytes;
        line.tensor.bytes += row.bytes;
        ++m_parts[static_cast<std::size_t>(it->second)][{ row.inFlight, row.row.count }];
    }

    void finish()
    {
        for (TensorLine &line : m_table.lines) {
            QStringList parts;
            for (const auto &[part, stages] : m_parts[static_cast<std::size_t>(line.id)]) {
                const auto &[inFlight, count] = part;
                QString piece = groupedText(count * stages);
                if (inFlight > 1) {
                    piece += QStringLiteral(" × %1").arg(inFlight);
                }
                parts += piece;
            }
            line.kept = parts.join(QStringLiteral(" + "));
            TensorGroup &group = m_table.groups[static_cast<std::size_t>(line.group)];
            group.lines.push_back(line.id);
            group.bytes += line.bytes;
            m_table.total += line.bytes;
            if (line.other) {
                group.other = group.other.value_or(0) + *line.other;
                m_table.otherTotal = m_table.otherTotal.value_or(0) + *line.other;
            }
        }
        for (TensorGroup &group : m_table.groups) {
            std::ranges::stable_sort(group.lines, std::ranges::greater(), [this](int id) {
                const TensorLine &line = m_table.lines[static_cast<std::size_t>(id)];
                return std::max(line.bytes, line.other.value_or(0));
            });
            group.memoryClass = m_table.lines[static_cast<std::size_t>(group.lines.front())].tensor.row.memoryClass;
        }
        sortGroups();
    }

private:
    TensorTable &m_table;
    TensorGrouping m_grouping;
    bool m_byName;
    std::map<LineKey, int> m_ids;
    std::map<int, int> m_groups;
    std::vector<std::map<std::pair<std::int64_t, std::int64_t>, int>> m_parts;

    /// Largest group first; the lines' group numbers follow.
    void sortGroups()
    {
        std::ranges::stable_sort(m_table.groups, std::ranges::greater(),
                                 [](const TensorGroup &group) { return std::max(group.bytes, group.other.value_or(0)); });
        for (std::size_t g = 0; g < m_table.groups.size(); ++g) {
            for (const int id : m_table.groups[g].lines) {
                m_table.lines[static_cast<std::size_t>(id)].group = static_cast<int>(g);
            }
        }
    }

    int group(const LedgerRow &row)
    {
        const auto [it, fresh] = m_groups.try_emplace(groupKey(row, m_grouping), static_cast<int>(m_table.groups.size()));
        if (fresh) {
            m_table.groups.push_back({ groupTitle(row, m_grouping), row.memoryClass, 0, std::nullopt, {} });
        }
        return it->second;
    }
};

QString quoted(QString value)
{
    value.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    return QLatin1Char('"') + value + QLatin1Char('"');
}

} // namespace

TensorTable tensorTable(const std::vector<BreakdownRow> &rows, TensorGrouping grouping, const std::vector<BreakdownRow> *other)
{
    TensorTable table;
    Lines lines(table, grouping, other != nullptr);
    for (const BreakdownRow &row : rows) {
        lines.add(row, false);
    }
    if (other != nullptr) {
        for (const BreakdownRow &row : *other) {
            lines.add(row, true);
        }
    }
    lines.finish();
    return table;
}

QString tensorCsv(const TensorTable &table)
{
    QString csv = QStringLiteral("group,tensor,place,shape,type,split,kept,alive,bytes");
    csv += table.otherTotal ? QStringLiteral(",other_bytes\n") : QStringLiteral("\n");
    for (const TensorGroup &group : table.groups) {
        for (const int id : group.lines) {
            const TensorLine &line = table.lines[static_cast<std::size_t>(id)];
            const LedgerRow &row = line.tensor.row;
            const QStringList cells = { quoted(group.title),
                                        quoted(text(row.name)),
                                        quoted(QString::fromLatin1(name(row.place))),
                                        quoted(QString::fromStdString(shapeText(row))),
                                        quoted(text(row.dtype)),
                                        quoted(QString::fromStdString(splitText(row))),
                                        quoted(line.kept),
                                        quoted(QString::fromStdString(keptByText(row))),
                                        QString::number(line.bytes) };
            csv += cells.join(QLatin1Char(','));
            csv += line.other ? QLatin1Char(',') + QString::number(*line.other) + QLatin1Char('\n') : QStringLiteral("\n");
        }
    }
    return csv;
}

TensorModel::TensorModel(QObject *parent)
    : QAbstractItemModel(parent)
{
}

void TensorModel::setTable(TensorTable table)
{
    beginResetModel();
    m_table = std::move(table);
    filter();
    endResetModel();
}

void TensorModel::setFilter(const QString &value)
{
    if (m_filter == value) {
        return;
    }
    beginResetModel();
    m_filter = value;
    filter();
    endResetModel();
}

void TensorModel::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (!m_groups.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount_ - 1));
    }
}

void TensorModel::filter()
{
    m_groups.clear();
    m_shown.clear();
    for (std::size_t g = 0; g < m_table.groups.size(); ++g) {
        std::vector<int> shown;
        for (const int id : m_table.groups[g].lines) {
            const LedgerRow &row = m_table.lines[static_cast<std::size_t>(id)].tensor.row;
            if (m_filter.isEmpty() || text(row.name).contains(m_filter, Qt::CaseInsensitive)
                || QString::fromLatin1(name(row.place)).contains(m_filter, Qt::CaseInsensitive)
                || m_table.groups[g].title.contains(m_filter, Qt::CaseInsensitive)) {
                shown.push_back(id);
            }
        }
        if (!shown.empty()) {
            m_groups.push_back(static_cast<int>(g));
            m_shown.push_back(std::move(shown));
        }
    }
}

QModelIndex TensorModel::indexOfLine(int id) const
{
    for (std::size_t g = 0; g < m_shown.size(); ++g) {
        const auto it = std::ranges::find(m_shown[g], id);
        if (it != m_shown[g].end()) {
            return index(static_cast<int>(it - m_shown[g].begin()), 0, index(static_cast<int>(g), 0));
        }
    }
    return {};
}

QModelIndex TensorModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    // Groups carry 0, tensors the number of their group plus 1.
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex TensorModel::parent(const QModelIndex &child) const
{
    return child.isValid() && child.internalId() > 0 ? createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{ 0 })
                                                     : QModelIndex();
}

int TensorModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid()) {
        return static_cast<int>(m_groups.size());
    }
    return parent.internalId() == 0 && parent.column() == 0
        ? static_cast<int>(m_shown[static_cast<std::size_t>(parent.row())].size())
        : 0;
}

int TensorModel::columnCount(const QModelIndex & /*parent*/) const { return columnCount_; }

QString TensorModel::bytesText(ByteCount bytes, const std::optional<ByteCount> &other) const
{
    const double gib = static_cast<double>(other ? bytes - *other : bytes) / bytesPerGiB;
    if (other) {
        return std::abs(gib) < 0.005 ? QStringLiteral("0.00")
                                     : (gib < 0 ? QStringLiteral("−") : QStringLiteral("+")) + fixedText(std::abs(gib), 2);
    }
    return fixedText(gib, 2);
}

double TensorModel::share(ByteCount bytes, const std::optional<ByteCount> &other) const
{
    const ByteCount total = std::max(m_table.total, m_table.otherTotal.value_or(0));
    return total > 0 ? static_cast<double>(other ? bytes - *other : bytes) / static_cast<double>(total) : 0;
}

QVariant TensorModel::groupData(const TensorGroup &group, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        if (column == Name) {
            return group.title;
        }
        if (column == Gib) {
            return bytesText(group.bytes, group.other);
        }
        return column == Share ? fixedText(100 * share(group.bytes, group.other), 1) + QStringLiteral(" %") : QVariant();
    case Qt::FontRole:
        return uiFont(12, QFont::Medium);
    case Qt::BackgroundRole:
        return m_theme.alt;
    case ColourRole:
        return m_theme.memory[static_cast<std::size_t>(group.memoryClass)];
    case IdRole:
        return -1;
    default:
        return {};
    }
}

QVariant TensorModel::lineData(const TensorLine &line, int column, int role) const
{
    const LedgerRow &row = line.tensor.row;
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case Name:
            return text(row.name);
        case Place:
            return QString::fromLatin1(name(row.place));
        case Shape:
            return QString::fromStdString(shapeText(row));
        case Type:
            return text(row.dtype);
        case Split:
            return QString::fromStdString(splitText(row));
        case Kept:
            return line.kept;
        case Gib:
            return bytesText(line.bytes, line.other);
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return QStringLiteral("%1: %2\n%3").arg(text(row.name), gibWithUnit(line.bytes), QString::fromStdString(keptByText(row)));
    case ShareRole:
        return share(line.bytes, line.other);
    case ColourRole:
        return m_theme.memory[static_cast<std::size_t>(row.memoryClass)];
    case IdRole:
        return line.id;
    default:
        return {};
    }
}

QVariant TensorModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number =
            index.column() == Gib || index.column() == Kept || (index.column() == Share && index.internalId() == 0);
        return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (index.internalId() == 0) {
        const int group = m_groups[static_cast<std::size_t>(index.row())];
        return groupData(m_table.groups[static_cast<std::size_t>(group)], index.column(), role);
    }
    const int id = m_shown[index.internalId() - 1][static_cast<std::size_t>(index.row())];
    return lineData(m_table.lines[static_cast<std::size_t>(id)], index.column(), role);
}

QVariant TensorModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::AlignVCenter | (section == Gib || section == Kept ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Name:
        return tr("Tensor");
    case Place:
        return tr("Where");
    case Shape:
        return tr("Shape");
    case Type:
        return tr("Type");
    case Split:
        return tr("Split by");
    case Kept:
        return tr("× kept");
    case Gib:
        return m_table.otherTotal ? tr("A vs B, GiB") : tr("GiB");
    case Share:
        return tr("Share");
    default:
        return {};
    }
}

} // namespace pipeloom
