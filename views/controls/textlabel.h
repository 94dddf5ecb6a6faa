// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QString>
#include <QWidget>

namespace pipeloom
{

/// A text that changes at every slider tick. Unlike a QLabel it asks for a new layout only when the room it needs changes, and
/// takes its colour from a token of the theme.
class TextLabel : public QWidget
{
public:
    using Token = QColor Theme::*;

    explicit TextLabel(QWidget *parent = nullptr);

    void setText(const QString &text); ///< plain
    [[nodiscard]] const QString &text() const { return m_text; }
    void setTextFont(const QFont &font);
    void setToken(Token token);
    void setTheme(const Theme &theme);
    void setWordWrap(bool wrap);
    void setAlignment(Qt::Alignment alignment);
    /// Gives way to its neighbours: the text is cut with dots, and the whole of it is the tool tip.
    void setElided(bool elided);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return m_wrap; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QSize needed() const;

    QString m_text;
    Theme m_theme = lightTheme();
    Token m_token = &Theme::text;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
    bool m_wrap = false;
    bool m_elided = false;
};

} // namespace pipeloom
