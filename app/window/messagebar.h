// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/base/expected.h"
#include "views/theme.h"

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace pipeloom
{

/// A message above the view that stops nobody: an error with file, field and remedy, or an offer with its buttons. Stays until it
/// is closed, answered or replaced.
class MessageBar : public QFrame
{
    Q_OBJECT
public:
    struct Answer
    {
        QString text;
        std::function<void()> run;
    };

    explicit MessageBar(QWidget *parent = nullptr);

    /// "Cannot open plan.loom.json" and each error on a line; `keeps` says what is unchanged.
    void showErrors(const QString &title, const Errors &errors, const QString &keeps);
    void showMessage(Severity severity, const QString &title, const QString &detail, std::vector<Answer> answers = {});
    void dismiss();
    void setTheme(const Theme &theme);
    [[nodiscard]] QString text() const; ///< all that is shown

private:
    void refresh();

    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_detail;
    QHBoxLayout *m_buttons;
    QToolButton *m_close;
    Severity m_severity = Severity::Error;
    bool m_copy = false;
    std::vector<Answer> m_answers;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
