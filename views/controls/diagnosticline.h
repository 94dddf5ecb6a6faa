// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "views/theme.h"

#include <QFrame>

class QLabel;

namespace pipeloom
{

class PlanBadge;

/// One diagnostic: a satisfied rule is a quiet line with a check mark, a warning or error a tinted box with its repairs as links
/// below.
class DiagnosticLine : public QWidget
{
    Q_OBJECT
public:
    explicit DiagnosticLine(QWidget *parent = nullptr);

    /// `letter` is the plan it concerns, empty when it concerns every plan.
    void setDiagnostic(const Diagnostic &diagnostic, const QString &letter = {});
    [[nodiscard]] const Diagnostic &diagnostic() const { return m_diagnostic; }
    [[nodiscard]] const QString &letter() const { return m_letter; }
    void setTheme(const Theme &theme);

signals:
    void fixRequested(const Fix &fix);

private:
    void refresh();
    void refreshLinks();
    [[nodiscard]] QString links() const;
    [[nodiscard]] bool linkFitsBeside() const; ///< one short repair stands in the line of its message

    Diagnostic m_diagnostic;
    QString m_letter;
    Theme m_theme = lightTheme();
    QFrame *m_box;
    QLabel *m_icon;
    PlanBadge *m_badge;
    QLabel *m_text;
    QLabel *m_links; ///< the repairs as links, numbered by href
};

} // namespace pipeloom
