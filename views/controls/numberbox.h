// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

#include <optional>

namespace pipeloom
{

/// A number typed or stepped: right-aligned, group separators. What cannot be read stays as typed, so that it can be corrected;
/// Esc and Undo give it up.
class NumberBox : public QLineEdit
{
    Q_OBJECT
public:
    explicit NumberBox(QWidget *parent = nullptr);

    void setDecimals(int decimals);
    /// Shows a value and forgets what was typed, unless the user is typing. A value that is no number reads "–".
    void setValue(double value);
    /// The typed text stays until it is corrected; Esc brings the value back.
    [[nodiscard]] bool holdsInvalidText() const { return m_invalid; }
    void revert();
    /// The value was refused elsewhere: keep the text as typed until it is corrected.
    void keepText();

    /// "2,560", "2560", "4k", "0.1". Whole numbers when decimals is 0. Nothing beyond `largest`.
    [[nodiscard]] static std::optional<double> parse(const QString &text, int decimals);
    /// Whole numbers up to here are exact in a double.
    static constexpr double largest = 9007199254740992.0;

signals:
    void entered(double value);
    void stepped(int steps); ///< +-1 for arrows, +-4 for Page keys
    void rejected(const QString &text);
    void givenUp(); ///< Esc or Undo: the value is back

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    void commit();
    void giveUp();

    int m_decimals = 0;
    double m_value = 0;
    bool m_typing = false;
    bool m_invalid = false;
};

} // namespace pipeloom
