// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/otherplans.h"

#include "views/controls/format.h"
#include "views/controls/planbadge.h"
#include "views/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace pipeloom
{

namespace
{

QString summary(const ShownPlan &plan)
{
    if (!plan.latest) {
        return OtherPlans::tr("not evaluated yet");
    }
    if (!plan.latest->valid) {
        return OtherPlans::tr("not valid");
    }
    const MemoryResult &memory = plan.latest->memory;
    return OtherPlans::tr("%1 GiB, %2 s")
        .arg(gibText(memory.ranks.at(static_cast<std::size_t>(memory.peakRank)).peak), fixedText(plan.latest->time.step, 2));
}

Icon markOf(const ShownPlan &plan)
{
    if (!plan.latest || !plan.latest->valid || plan.latest->memory.verdict == Verdict::Over) {
        return Icon::Error;
    }
    return plan.latest->memory.verdict == Verdict::Tight ? Icon::Warning : Icon::Ok;
}

/// A link that gives way to its neighbours: a long name is cut with dots.
class PlanLink : public QPushButton
{
public:
    PlanLink(const QString &name, QWidget *parent)
        : QPushButton(name, parent)
        , m_name(name)
    {
        setProperty("kind", QStringLiteral("link"));
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }

    [[nodiscard]] QSize sizeHint() const override
    {
        ensurePolished(); // the style sheet sets the font
        return { fontMetrics().horizontalAdvance(m_name) + air, QPushButton::sizeHint().height() };
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return { 30, QPushButton::minimumSizeHint().height() }; }

protected:
    void resizeEvent(QResizeEvent *event) override
    {
        QPushButton::resizeEvent(event);
        // Room for the whole name is room for it, whatever the metrics of its glyphs round to.
        setText(width() >= sizeHint().width() ? m_name : fontMetrics().elidedText(m_name, Qt::ElideRight, width() - air));
    }

private:
    static constexpr int air = 4;
    QString m_name;
};

} // namespace

OtherPlans::OtherPlans(QWidget *parent)
    : QWidget(parent)
    , m_rows(new QVBoxLayout(this))
    , m_body(nullptr)
{
    m_rows->setContentsMargins(14, 4, 11, 4);
    m_rows->setSpacing(2);
    auto *title = new QLabel(tr("Other plans"), this);
    title->setFont(uiFont(12, QFont::Bold));
    title->setProperty("tone", QStringLiteral("2"));
    m_rows->addWidget(title);
    hide();
}

void OtherPlans::setPlans(const std::vector<ShownPlan> &plans)
{
    const auto same = [](const ShownPlan &x, const ShownPlan &y) {
        return x.letter == y.letter && x.name == y.name && x.latest == y.latest;
    };
    if (plans.size() == m_plans.size() && std::equal(plans.begin(), plans.end(), m_plans.begin(), same)) {
        return;
    }
    m_plans = plans;
    rebuild();
}

void OtherPlans::setTheme(const Theme &theme)
{
    m_theme = theme;
    rebuild();
}

void OtherPlans::rebuild()
{
    if (m_body != nullptr) {
        m_body->deleteLater(); // a button of it may be the sender
        m_body->hide();
    }
    m_body = new QWidget(this);
    auto *column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    for (std::size_t i = 2; i < m_plans.size(); ++i) {
        const ShownPlan &plan = m_plans[i];
        auto *row = new QHBoxLayout;
        row->setSpacing(6);
        auto *badge = new PlanBadge(plan.letter, false, m_body);
        badge->setTheme(m_theme);
        auto *show = new PlanLink(plan.name, m_body);
        show->setToolTip(tr("Show %1 as plan B").arg(plan.name));
        auto *mark = new QLabel(m_body);
        if (plan.latest) {
            mark->setPixmap(statusPixmap(markOf(plan), m_theme, 12, devicePixelRatioF()));
        }
        auto *text = new QLabel(summary(plan), m_body);
        text->setFont(uiFont(11.5));
        text->setProperty("tone", QStringLiteral("2"));
        auto *remove = new QToolButton(m_body);
        remove->setProperty("kind", QStringLiteral("icon"));
        remove->setIcon(themedIcon(Icon::Close, m_theme));
        remove->setIconSize({ 10, 10 });
        remove->setToolTip(tr("Remove plan %1").arg(plan.letter));
        remove->setAccessibleName(remove->toolTip());
        row->addWidget(badge);
        row->addWidget(show);
        row->addStretch(1);
        row->addWidget(mark);
        row->addWidget(text);
        row->addWidget(remove);
        column->addLayout(row);
        const int index = static_cast<int>(i);
        connect(show, &QPushButton::clicked, this, [this, index] { emit compareRequested(index); });
        connect(remove, &QToolButton::clicked, this, [this, index] { emit removeRequested(index); });
    }
    m_rows->addWidget(m_body);
    m_body->show();
    setVisible(m_plans.size() > 2);
}

} // namespace pipeloom
