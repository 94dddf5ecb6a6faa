// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/planpicture.h"
#include "views/theme.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace pipeloom
{

/// Legend of the stacks with the numbers of the selected rank: every class, now, peak, when it is reached, microbatches in
/// flight. Painted, so that it follows the playhead in the same frame and exports alike.
class StackTable : public QWidget
{
    Q_OBJECT
public:
    explicit StackTable(QWidget *parent = nullptr);

    struct Content
    {
        std::vector<std::shared_ptr<const PlanPicture>> pictures;
        int rank = 0;
        Nanoseconds time = 0;
    };
    void setContent(Content content);
    void setTheme(const Theme &theme);

    static void drawTable(QPainter &painter, const QRectF &rect, const Content &content, const Theme &theme);
    /// With two plans; each further one has a column more.
    static constexpr int contentWidth = 236;
    [[nodiscard]] static int widthFor(std::size_t plans); ///< of the widget

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Content m_content;
    Theme m_theme;
};

} // namespace pipeloom
