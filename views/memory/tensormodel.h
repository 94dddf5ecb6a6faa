// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/breakdown.h"
#include "core/scenario/scenario.h"
#include "views/theme.h"

#include <QAbstractItemModel>
#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace pipeloom
{

/// How tensors are gathered under the top rows.
enum class TensorGrouping
{
    Class, ///< parameters, gradients, ..
    Stage,
    Place, ///< kind of layer, embedding, head, ..
};

/// One line of the table: a tensor with all its instances, of one stage or of several.
struct TensorLine
{
    BreakdownRow tensor; ///< bytes of all instances; count and inFlight of the heaviest stage
    QString kept; ///< "16 x 9": instances x in flight
    ByteCount bytes = 0;
    std::optional<ByteCount> other; ///< the other plan's bytes, when two are compared
    int group = 0;
    int id = 0; ///< index in lines(), what the treemap and the table share
};

struct TensorGroup
{
    QString title;
    MemoryClass memoryClass = MemoryClass::Activations; ///< of its largest line: the swatch
    ByteCount bytes = 0;
    std::optional<ByteCount> other;
    std::vector<int> lines; ///< ids, largest first
};

/// What a rank holds at an instant as groups of tensors; the sums are those of the breakdown, to the byte.
struct TensorTable
{
    std::vector<TensorLine> lines;
    std::vector<TensorGroup> groups;
    ByteCount total = 0;
    std::optional<ByteCount> otherTotal;
};

/// Gathers rows of the same tensor. With `other`, every line holds both plans; a tensor that only one has counts 0 in the other.
[[nodiscard]] TensorTable tensorTable(const std::vector<BreakdownRow> &rows, TensorGrouping grouping,
                                      const std::vector<BreakdownRow> *other = nullptr);

/// The table as comma-separated text with a header: group, tensor, place, shape, type, split, kept, alive, bytes.
[[nodiscard]] QString tensorCsv(const TensorTable &table);

/// Two levels: groups and their tensors. Columns as in Column; a filter hides tensors whose name does not contain it.
class TensorModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column
    {
        Name,
        Place,
        Shape,
        Type,
        Split,
        Kept,
        Gib,
        Share,
        columnCount_,
    };
    enum Role
    {
        ShareRole = Qt::UserRole, ///< double, 0 to 1: the bar's length
        ColourRole, ///< QColor of the class
        IdRole, ///< line id, or -1 for a group
    };

    explicit TensorModel(QObject *parent = nullptr);
    void setTable(TensorTable table);
    void setFilter(const QString &text);
    void setTheme(const Theme &theme);
    [[nodiscard]] const TensorTable &table() const { return m_table; }
    [[nodiscard]] QModelIndex indexOfLine(int id) const; ///< invalid when filtered out

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void filter();
    [[nodiscard]] QVariant groupData(const TensorGroup &group, int column, int role) const;
    [[nodiscard]] QVariant lineData(const TensorLine &line, int column, int role) const;
    [[nodiscard]] QString bytesText(ByteCount bytes, const std::optional<ByteCount> &other) const;
    [[nodiscard]] double share(ByteCount bytes, const std::optional<ByteCount> &other) const;

    TensorTable m_table;
    QString m_filter;
    std::vector<int> m_groups; ///< shown groups
    std::vector<std::vector<int>> m_shown; ///< shown lines of each shown group
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
