// SPDX-License-Identifier: GPL-3.0-or-later
// Zooming into an op opens it: its components on a compute and a communication lane, as long as the model says.
#include "core/cost/scheduleanatomy.h"
#include "core/scenario/scenariofile.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <set>

using namespace pipeloom;

namespace
{

class Anatomy : public testing::Test
{
protected:
    void SetUp() override
    {
        const auto evaluation = evaluate(parseScenario(samples().front().text)->scenario);
        ASSERT_TRUE(evaluation->valid);
        e = evaluation;
        view.resize(1400, 900);
        view.setReduceMotion(true);
        view.setPlans({ { QStringLiteral("A"), QStringLiteral("DualPipe"), e, e } });
        view.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
        settle();
    }
    void settle()
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return view.isSettled(); }));
    }
    /// Index of the middle op of a kind on rank 1.
    std::size_t opOf(OpKind kind) const
    {
        std::vector<std::size_t> found;
        for (std::size_t i = e->schedule.begin[1]; i < e->schedule.begin[2]; ++i) {
            if (e->schedule.ops[i].kind == kind)
                found.push_back(i);
        }
        EXPECT_FALSE(found.empty());
        return found.empty() ? 0 : found[found.size() / 2];
    }
    void show(std::size_t op)
    {
        state.setRange({ e->timeline.start[op], e->timeline.end[op] });
        settle();
    }
    /// What is drawn in the lane of rank 1 within the op.
    std::vector<DrawnPart> partsOf(std::size_t op)
    {
        const QRectF lane = view.timelines().opRect({ 0, 1, op });
        std::vector<DrawnPart> out;
        for (const DrawnPart &drawn : view.timelines().lanes(0).parts()) {
            if (lane.adjusted(-1, -1, 1, 1).contains(drawn.rect.center()))
                out.push_back(drawn);
        }
        return out;
    }

    std::shared_ptr<const Evaluation> e;
    ViewState state;
    ExploreView view{ &state };
};

} // namespace

TEST_F(Anatomy, TheWholeStepShowsOpsClosed) { EXPECT_TRUE(view.timelines().lanes(0).parts().empty()); }

TEST_F(Anatomy, APairOpensIntoTheOrderOfFigureFourOnTwoLanes)
{
    const std::size_t op = opOf(OpKind::FB);
    show(op);
    const std::vector<DrawnPart> drawn = partsOf(op);
    const auto anatomy = opAnatomy(e->schedule, e->times, 1, op);
    ASSERT_TRUE(anatomy);
    EXPECT_EQ(anatomy->duration, e->timeline.end[op] - e->timeline.start[op]);
    std::set<OpPart> kinds;
    const TimeMap &map = view.timelines().mapOf(0);
    const QRectF lane = view.timelines().opRect({ 0, 1, op });
    for (const DrawnPart &part : drawn) {
        kinds.insert(part.part.part);
        const bool upper = part.rect.center().y() < lane.center().y();
        EXPECT_EQ(upper, part.part.stream == GpuStream::Compute) << name(part.part.part);
        EXPECT_NEAR(part.rect.width() * map.nsPerPixel(), static_cast<double>(part.part.end - part.part.start),
                    2 * map.nsPerPixel());
    }
    for (const OpPart part : { OpPart::AttentionF, OpPart::DispatchF, OpPart::MlpF, OpPart::CombineF, OpPart::CombineB,
                               OpPart::MlpB, OpPart::MlpW, OpPart::DispatchB, OpPart::AttentionB, OpPart::AttentionW })
        EXPECT_TRUE(kinds.contains(part)) << name(part);
    // Zoomed out again it is closed.
    view.fitAll();
    settle();
    EXPECT_TRUE(view.timelines().lanes(0).parts().empty());
}

// Three plans in a small window leave the lowest lanes there are: too low for words, but not for colours.
TEST_F(Anatomy, TheLowestLanesOpenToo)
{
    view.resize(900, 520);
    view.setPlans({ { QStringLiteral("A"), QStringLiteral("DualPipe"), e, e },
                    { QStringLiteral("B"), QStringLiteral("DualPipe"), e, e },
                    { QStringLiteral("C"), QStringLiteral("DualPipe"), e, e } });
    settle();
    const std::size_t op = opOf(OpKind::FB);
    show(op);
    EXPECT_EQ(view.timelines().lanes(0).layout().pitch, TimelinePlot::smallestPitch);
    EXPECT_FALSE(partsOf(op).empty());
}

TEST_F(Anatomy, AForwardAloneLeavesItsExchangeUncovered)
{
    const std::size_t op = opOf(OpKind::F);
    show(op);
    const std::vector<DrawnPart> drawn = partsOf(op);
    ASSERT_FALSE(drawn.empty());
    for (const DrawnPart &a : drawn) {
        for (const DrawnPart &b : drawn) {
            if (a.part.stream == b.part.stream)
                continue;
            EXPECT_TRUE(a.part.end <= b.part.start || b.part.end <= a.part.start)
                << name(a.part.part) << " beside " << name(b.part.part);
        }
    }
}

TEST_F(Anatomy, ThePointerNamesTheComponentUnderIt)
{
    const std::size_t op = opOf(OpKind::FB);
    show(op);
    const std::vector<DrawnPart> drawn = partsOf(op);
    const auto mlp = std::ranges::find_if(drawn, [](const DrawnPart &d) { return d.part.part == OpPart::MlpB; });
    ASSERT_NE(mlp, drawn.end());
    QSignalSpy hints(&view, &ExploreView::hint);
    const QPointF at = mlp->rect.center();
    QMouseEvent event(QEvent::MouseMove, at, view.timelines().mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&view.timelines(), &event);
    ASSERT_FALSE(hints.isEmpty());
    const QString said = hints.last().front().toString();
    EXPECT_TRUE(said.startsWith(QStringLiteral("MLP(B), layer "))) << said.toStdString();
    EXPECT_TRUE(said.contains(QStringLiteral("compute stream"))) << said.toStdString();
}
