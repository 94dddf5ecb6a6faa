// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/opdetails.h"

#include <QFrame>

#include <span>

class QLabel;
class QToolButton;

namespace pipeloom
{

/// Something a card would hide, and how bad each pixel of it is.
struct Covered
{
    QRect area;
    double weight = 1;
};

/// The card beside an op or bar. Pinned it has a close button and its text can be selected; before, it lets the pointer through.
class HoverCard : public QFrame
{
    Q_OBJECT
public:
    explicit HoverCard(QWidget *parent);

    void setTheme(const Theme &theme);
    void setContent(const CardContent &content);
    [[nodiscard]] const CardContent &content() const { return m_content; }
    void setPinned(bool pinned);
    [[nodiscard]] bool isPinned() const { return m_pinned; }
    [[nodiscard]] QString selectedText() const;

    /// Shows the card beside `subject` (in the parent's coordinates), never over it: right, left, below or above, wherever it
    /// fits inside the parent.
    void showBeside(const QRect &subject);
    /// Shows the card where it hides least of `covered` and nothing of `subject`, near the subject; stays where it stands while
    /// that is about as good.
    void showWhereItHidesLeast(const QRect &subject, std::span<const Covered> covered);

signals:
    void closeRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();

    Theme m_theme;
    CardContent m_content;
    bool m_pinned = false;
    QToolButton *m_close = nullptr; ///< of a pinned card
    QLabel *m_body = nullptr; ///< one label for all rows, so that marking text runs through them
};

} // namespace pipeloom
