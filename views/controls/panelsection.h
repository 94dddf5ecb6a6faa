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
class TextLabel;

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
    TextLabel *m_caption;
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
[[nodiscard]] TextLabel *makeCaption(QWidget *parent);

} // namespace pipeloom
