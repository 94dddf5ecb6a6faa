// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"

#include "views/controls/comparetable.h"
#include "views/controls/diagnosticline.h"
#include "views/controls/format.h"
#include "views/controls/numberbox.h"
#include "views/controls/parameterrow.h"
#include "views/controls/planfields.h"

#include <gtest/gtest.h>

#include <QLabel>

namespace pipeloom
{

namespace
{

/// A row over the divisors of 16, standing at 4.
struct Row
{
    Row()
    {
        row.setValues({ 1, 2, 4, 8, 16 });
        row.setValue(4);
        row.setPreset(4);
        row.resize(270, 24);
        row.show();
    }
    ParameterRow row{ QStringLiteral("Tensor TP") };
    QSignalSpy edits{ &row, &ParameterRow::edited };
    QSignalSpy commits{ &row, &ParameterRow::committed };
};

} // namespace

TEST(ParameterRow, aDragEditsLiveAndCommitsOnce)
{
    Row test;
    dragSlider(test.row.slider(), 4);
    ASSERT_GE(test.edits.size(), 2);
    EXPECT_TRUE(test.edits.front().at(1).toBool());
    EXPECT_FALSE(test.edits.back().at(1).toBool());
    EXPECT_EQ(test.edits.back().at(0).toDouble(), 16);
    EXPECT_EQ(test.commits.size(), 1);
    EXPECT_EQ(test.row.box()->text(), QStringLiteral("16"));
}

TEST(ParameterRow, pressingTheGrooveTakesTheHandleThere)
{
    Row test;
    StepSlider *slider = test.row.slider();
    QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->handleCentre(0), slider->height() / 2));
    EXPECT_EQ(test.row.value(), 1);
    EXPECT_EQ(test.edits.back().at(0).toDouble(), 1);
    EXPECT_FALSE(test.edits.back().at(1).toBool());
    EXPECT_EQ(test.commits.size(), 1);
}

TEST(ParameterRow, keysStepThroughTheValidValues)
{
    Row test;
    QTest::keyClick(test.row.box(), Qt::Key_Up);
    EXPECT_EQ(test.row.value(), 8);
    QTest::keyClick(test.row.box(), Qt::Key_PageDown);
    EXPECT_EQ(test.row.value(), 1);
    QTest::keyClick(test.row.slider(), Qt::Key_Right);
    EXPECT_EQ(test.row.value(), 2);
    QTest::keyClick(test.row.slider(), Qt::Key_PageUp);
    EXPECT_EQ(test.row.value(), 16);
    EXPECT_EQ(test.commits.size(), 4);
}

TEST(ParameterRow, doubleClickReturnsToThePreset)
{
    Row test;
    QTest::keyClick(test.row.box(), Qt::Key_Up);
    QTest::mouseDClick(test.row.slider(), Qt::LeftButton, {},
                       QPoint(test.row.slider()->handleCentre(3), test.row.slider()->height() / 2));
    EXPECT_EQ(test.row.value(), 4);
    EXPECT_EQ(test.row.slider()->value(), 2);
    EXPECT_EQ(test.edits.back().at(0).toDouble(), 4);
}

TEST(ParameterRow, whatCannotBeReadStaysMarkedAndOffersNeighbours)
{
    Row test;
    test.row.box()->selectAll();
    QTest::keyClicks(test.row.box(), QStringLiteral("6x"));
    QTest::keyClick(test.row.box(), Qt::Key_Return);
    EXPECT_EQ(test.row.box()->text(), QStringLiteral("6x"));
    EXPECT_EQ(test.row.box()->property("issue").toString(), QStringLiteral("err"));
    EXPECT_TRUE(test.edits.isEmpty());
    ASSERT_TRUE(test.row.problem()->isVisible());
    ASSERT_FALSE(test.row.problem()->diagnostic().fixes.empty());
    // Results that arrive meanwhile do not take the text away.
    test.row.setValue(4);
    EXPECT_EQ(test.row.box()->text(), QStringLiteral("6x"));
    // A link takes the neighbour.
    auto *links = test.row.problem()->findChild<QLabel *>(QStringLiteral("fixes"));
    ASSERT_NE(links, nullptr);
    emit links->linkActivated(QStringLiteral("0"));
    EXPECT_EQ(test.edits.size(), 1);
    EXPECT_FALSE(test.row.problem()->isVisible());
    EXPECT_EQ(test.row.box()->property("issue").toString(), QString());
}

TEST(ParameterRow, escapeGivesUpWhatWasTyped)
{
    Row test;
    test.row.box()->selectAll();
    QTest::keyClicks(test.row.box(), QStringLiteral("abc"));
    QTest::keyClick(test.row.box(), Qt::Key_Return);
    QTest::keyClick(test.row.box(), Qt::Key_Escape);
    EXPECT_EQ(test.row.box()->text(), QStringLiteral("4"));
    EXPECT_TRUE(test.edits.isEmpty());
}

TEST(ParameterRow, aValueOutsideTheListGetsAPlaceOnTheSlider)
{
    Row test;
    test.row.box()->selectAll();
    QTest::keyClicks(test.row.box(), QStringLiteral("6"));
    QTest::keyClick(test.row.box(), Qt::Key_Return);
    EXPECT_EQ(test.edits.back().at(0).toDouble(), 6);
    EXPECT_EQ(test.row.slider()->maximum(), 5);
    EXPECT_EQ(test.row.slider()->value(), 3);
}

TEST(ParameterRow, aFixedRowSaysWhy)
{
    Row test;
    test.row.setFixed(QStringLiteral("2 stages fixed by A"));
    EXPECT_FALSE(test.row.slider()->isVisible());
    EXPECT_FALSE(test.row.box()->isEnabled());
    const auto labels = test.row.findChildren<QLabel *>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel *label) {
        return label->isVisible() && label->text() == QStringLiteral("2 stages fixed by A");
    }));
}

TEST(NumberBox, readsNumbersAsPeopleWriteThem)
{
    EXPECT_EQ(NumberBox::parse(QStringLiteral("2,560"), 0), 2560);
    EXPECT_EQ(NumberBox::parse(QStringLiteral(" 4k "), 0), 4096);
    EXPECT_EQ(NumberBox::parse(QStringLiteral("0.15"), 2), 0.15);
    EXPECT_EQ(NumberBox::parse(QStringLiteral("−3"), 0), -3);
    EXPECT_FALSE(NumberBox::parse(QStringLiteral("0.5"), 0));
    EXPECT_FALSE(NumberBox::parse(QString(), 0));
    EXPECT_FALSE(NumberBox::parse(QStringLiteral("nan"), 2));
    EXPECT_FALSE(NumberBox::parse(QStringLiteral("inf"), 2));
    EXPECT_FALSE(NumberBox::parse(QStringLiteral("eight"), 0));
}

TEST(Delta, hasASignAndIsNeutralWhenSmall)
{
    EXPECT_EQ(delta(7.12, 10.20, DeltaStyle::Percent).text, QStringLiteral("−30 %"));
    EXPECT_EQ(delta(7.12, 10.20, DeltaStyle::Percent).tone, -1);
    EXPECT_EQ(delta(6.8, 25.9, DeltaStyle::Points).text, QStringLiteral("−19.1 pt"));
    EXPECT_EQ(delta(36.4, 25.4, DeltaStyle::Points).text, QStringLiteral("+11.0 pt"));
    EXPECT_EQ(delta(386e3, 553e3, DeltaStyle::Thousands).text, QStringLiteral("−167 k"));
    EXPECT_EQ(delta(100.5, 100, DeltaStyle::Percent).tone, 0);
    EXPECT_EQ(delta(5, 5, DeltaStyle::Percent).text, QStringLiteral("±0 %"));
    EXPECT_TRUE(delta(5, 0, DeltaStyle::Percent).text.isEmpty());
    EXPECT_FALSE(delta(0, 0, DeltaStyle::Percent).text.contains(QStringLiteral("nan")));
}

TEST(PlanFields, stepsFollowTheModel)
{
    const Scenario scenario = parsed(smallScenario());
    for (const NumberField &field : numberFields()) {
        const std::vector<double> values = field.values(scenario);
        EXPECT_TRUE(std::ranges::is_sorted(values)) << field.path;
        EXPECT_FALSE(values.empty()) << field.path;
        if (field.path == std::string("plan.ep")) {
            EXPECT_EQ(values, (std::vector<double>{ 1, 2, 4, 8, 16, 32, 64 })); // divisors of 64 routed experts
        }
    }
}

TEST(PlanFields, everyPathCanBeSet)
{
    const Scenario scenario = parsed(smallScenario());
    for (const NumberField &field : numberFields()) {
        if (field.put == nullptr && field.path == std::string("plan.dp")) {
            continue; // derived
        }
        const Setting setting{ field.path, field.write(field.values(scenario).back()) };
        const auto changed = applySettings(scenario, { &setting, 1 });
        ASSERT_TRUE(changed) << field.path << ": " << text(changed.errors());
        EXPECT_EQ(field.read(*changed), field.values(scenario).back()) << field.path;
    }
    for (const ChoiceField &field : choiceFields()) {
        for (const ComboItem &item : field.items(scenario)) {
            const Setting setting{ field.path, item.json.toStdString() };
            const auto changed = applySettings(scenario, { &setting, 1 });
            ASSERT_TRUE(changed) << field.path << " " << setting.json << ": " << text(changed.errors());
            EXPECT_EQ(field.chosen(*changed).json, item.json) << field.path;
        }
    }
}

TEST(PlanFields, marksExpertSizesThatDoNotFitTheWorld)
{
    const Scenario scenario = parsed(smallScenario());
    for (const NumberField &field : numberFields()) {
        if (field.path == std::string("plan.ep")) {
            const std::vector<double> impossible = impossibleValues(scenario, field);
            // 64 GPUs in 4 pipeline stages leave 16 ranks for experts.
            EXPECT_EQ(impossible, (std::vector<double>{ 32, 64 }));
        }
    }
}

TEST(CompareTable, saysBothPlansAndTheirDifference)
{
    const auto a = evaluate(parsed(smallScenario()));
    const auto second = planScenario(parsed(smallScenario()), 1);
    ASSERT_TRUE(second);
    const auto b = evaluate(*second);
    ASSERT_TRUE(a && a->valid && b && b->valid);
    CompareTable table;
    table.setPlans(
        { { QStringLiteral("A"), QStringLiteral("DualPipe"), a, a }, { QStringLiteral("B"), QStringLiteral("1F1B"), b, b } });
    ASSERT_EQ(table.rows().size(), 9U);
    EXPECT_EQ(table.rows()[0].a, fixedText(a->time.step, 2));
    EXPECT_EQ(table.rows()[0].b, fixedText(b->time.step, 2));
    EXPECT_EQ(table.rows()[0].difference.text, delta(a->time.step, b->time.step, DeltaStyle::Percent).text);
    EXPECT_TRUE(table.rows()[5].note.contains(QStringLiteral("TFLOP/s")));
    EXPECT_EQ(table.rows()[2].a, fixedText(100 * a->time.bubbleOfImbalance / a->time.pipeline, 1));
    EXPECT_NE(table.rows()[2].a, table.rows()[1].a);
    // Every row can say where its number comes from.
    for (const CompareRow &row : table.rows()) {
        EXPECT_NE(findTerm(a->terms, row.term), nullptr) << row.label.toStdString();
        EXPECT_NE(findTerm(b->terms, row.termB), nullptr) << row.label.toStdString();
    }
}

TEST(CompareTable, aFigureThatIsMissingIsADashAndNoClosedFormIsSaidInWords)
{
    const auto evaluation = evaluate(parsed(smallScenario()));
    ASSERT_TRUE(evaluation && evaluation->valid);
    Evaluation without = *evaluation;
    without.closedForm = {};
    EXPECT_EQ(compareRows(&without, &without)[1].note, QStringLiteral("no closed form for this plan"));
    EXPECT_FALSE(compareRows(&without, &without)[1].noteWarns);
    EXPECT_TRUE(compareRows(&without, evaluation.get())[1].note.startsWith(QStringLiteral("closed form none and ")));
    for (const CompareRow &row : compareRows(nullptr, evaluation.get())) {
        EXPECT_EQ(row.a, QStringLiteral("–")) << row.label.toStdString();
        EXPECT_NE(row.b, QStringLiteral("–")) << row.label.toStdString();
    }
    for (const CompareRow &row : compareRows(nullptr, nullptr)) {
        EXPECT_EQ(row.a + row.b, QStringLiteral("––")) << row.label.toStdString();
        EXPECT_EQ(row.note, QString()) << row.label.toStdString();
    }
}

} // namespace pipeloom
