// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/opdetails.h"

#include <QFrame>

class QLabel;

namespace pipeloom
{

/// The card beside an op or bar. Its text can be selected once it is pinned; before, it lets the pointer through.
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

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();

    Theme m_theme;
    CardContent m_content;
    bool m_pinned = false;
    QLabel *m_body = nullptr; ///< one label for all rows, so that marking text runs through them
};

} // namespace pipeloom
