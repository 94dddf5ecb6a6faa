// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planner/levers.h"
#include "views/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QTableWidget;

namespace pipeloom
{

class TextLabel;

/// What would lower the peak: a row for each lever with the new peak of the whole plan, the step time, and a button that applies
/// it. Where there is no room for how a lever works, its tooltip says so.
class LeversPanel : public QWidget
{
    Q_OBJECT
public:
    explicit LeversPanel(QWidget *parent = nullptr);

    /// `base`: step of the plan without the lever; nullopt levers = still looking.
    void setLevers(const std::optional<std::vector<MemoryLever>> &levers, double baseStep);
    /// Whether the plan fits, by how much, and the term to blame; the first lever that fits is named behind it.
    void setVerdict(const QString &sentence, Verdict verdict);
    [[nodiscard]] QString verdictText() const;
    void setTheme(const Theme &theme);
    [[nodiscard]] QTableWidget *table() const { return m_table; }
    [[nodiscard]] QString csv() const;

signals:
    void applied(const std::vector<pipeloom::Setting> &settings);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fill();

    void showVerdict();

    QLabel *m_state;
    TextLabel *m_verdictLabel;
    QString m_sentence;
    Verdict m_verdict = Verdict::Fits;
    bool m_searching = true;
    QTableWidget *m_table;
    std::vector<MemoryLever> m_levers;
    double m_baseStep = 0;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
