// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace pipeloom
{

/// One thing the palette finds.
struct PaletteEntry
{
    QString text;
    QString hint; ///< shown at the right: the key, or where a setting stands
    bool enabled = true;
    std::function<void()> run;
};

/// Finds a command or a setting by any words of its name and runs it.
class CommandPalette : public QDialog
{
    Q_OBJECT
public:
    CommandPalette(std::vector<PaletteEntry> entries, QWidget *parent);
    [[nodiscard]] QLineEdit *input() const { return m_input; }
    [[nodiscard]] QListWidget *list() const { return m_list; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &words);
    void runCurrent();

    std::vector<PaletteEntry> m_entries;
    QLineEdit *m_input;
    QListWidget *m_list;
};

} // namespace pipeloom
