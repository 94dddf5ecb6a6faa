// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QComboBox>
#include <QWidget>

#include <vector>

class QLabel;

namespace pipeloom
{

class PlanBadge;

/// One choice of a list: what is shown and the JSON text it stands for.
struct ComboItem
{
    QString text;
    QString json;
    bool operator==(const ComboItem &) const = default;
};

/// A combo box that does not change while a panel scrolls under the wheel, and cuts a long choice with dots.
class QuietCombo : public QComboBox
{
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

/// One choice of a plan: label, optional plan badge, combo box.
class ComboRow : public QWidget
{
    Q_OBJECT
public:
    explicit ComboRow(const QString &label, QWidget *parent = nullptr);

    void setItems(const std::vector<ComboItem> &items);
    /// Selects the item with this JSON text; where there is none, adds `text` for it.
    void setChosen(const QString &json, const QString &text);
    void setLabel(const QString &label, const QString &letter = {});
    void setIssue(const QString &issue);
    void setFixed(const QString &reason); ///< disabled; the reason is the tool tip
    void setTheme(const Theme &theme);
    [[nodiscard]] QComboBox *combo() const { return m_combo; }

signals:
    void chosen(const QString &json); ///< by the user

private:
    void fill();

    QLabel *m_label;
    PlanBadge *m_badge = nullptr; ///< made when the plans differ
    QuietCombo *m_combo;
    std::vector<ComboItem> m_items;
    ComboItem m_extra;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
