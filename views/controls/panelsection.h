// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QWidget>

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace pipeloom
{

class DiagnosticList;

/// A caption at the right edge that gives way: it never widens its panel, and its whole text is the tool tip.
class ElidedCaption : public QWidget
{
public:
    explicit ElidedCaption(QWidget *parent = nullptr);
    void setText(const QString &text);
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    Theme m_theme = lightTheme();
};

/// A titled section of a side panel with a caption at the right, its rows, and its diagnostics at the end. Optionally foldable.
class PanelSectionBox : public QWidget
{
    Q_OBJECT
public:
    PanelSectionBox(const QString &title, bool foldable, QWidget *parent = nullptr);

    [[nodiscard]] QVBoxLayout *rows() const { return m_rows; }
    [[nodiscard]] DiagnosticList *diagnostics() const { return m_list; }
    void setCaption(const QString &caption);
    void setTheme(const Theme &theme);
    [[nodiscard]] bool isOpen() const { return m_open; }
    void setOpen(bool open);

private:
    QLabel *m_title;
    ElidedCaption *m_caption;
    QToolButton *m_fold = nullptr;
    QWidget *m_body;
    QVBoxLayout *m_rows;
    DiagnosticList *m_list;
    Theme m_theme = lightTheme();
    bool m_open = true;
};

/// A hairline over the whole width of a panel.
[[nodiscard]] QWidget *makeHairline(QWidget *parent);
/// A wrapped caption: 11 px, text3.
[[nodiscard]] QLabel *makeCaption(QWidget *parent);

} // namespace pipeloom
