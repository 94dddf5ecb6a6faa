// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace pipeloom
{

/// The line that searches the timelines: field, how many match, previous, next, close. It knows no ops: it says what is wanted
/// and is told what to write.
class SearchBar : public QWidget
{
    Q_OBJECT
public:
    explicit SearchBar(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    /// Shows the line and puts the focus into the field with its text marked.
    void open();
    [[nodiscard]] QString text() const;
    [[nodiscard]] QLineEdit &field() const { return *m_field; }
    [[nodiscard]] QString message() const; ///< "3 of 128", or what is wrong

    /// `place` counts from 1; 0 = the selected op is no match.
    void showCount(std::size_t place, std::size_t count);
    void showError(const QString &error);
    void showHelp(); ///< nothing is searched for: which keys there are

    static constexpr int barHeight = 32;

signals:
    void textChanged(const QString &text);
    void stepRequested(int direction); ///< 1 next, -1 previous
    void closeRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void say(const QString &text, const char *tone);

    QLineEdit *m_field;
    QLabel *m_message;
    QToolButton *m_previous;
    QToolButton *m_next;
    QToolButton *m_close;
};

} // namespace pipeloom
