// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/icons.h"
#include "views/stylesheet.h"
#include "views/theme.h"

#include <gtest/gtest.h>

#include <QFontInfo>
#include <QImage>

#include <cmath>

namespace pipeloom
{

namespace
{

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }

double luminance(const QColor &c) { return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF()); }

/// WCAG 2 contrast.
double contrast(const QColor &a, const QColor &b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

class ThemeTest : public testing::TestWithParam<bool>
{
protected:
    [[nodiscard]] static const Theme &theme() { return GetParam() ? darkTheme() : lightTheme(); }
};

int opaquePixels(const QPixmap &pixmap, const QColor &colour)
{
    const QImage image = pixmap.toImage();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor found = image.pixelColor(x, y);
            count += found.alpha() > 200 && std::abs(found.red() - colour.red()) < 12
                && std::abs(found.green() - colour.green()) < 12 && std::abs(found.blue() - colour.blue()) < 12;
        }
    }
    return count;
}

} // namespace

TEST_P(ThemeTest, textIsReadableOnEveryGround)
{
    const Theme &t = theme();
    for (const QColor &ground : { t.panel, t.alt, t.lane, t.accentBg, t.okBg, t.warnBg, t.errBg, t.input }) {
        EXPECT_GE(contrast(t.text, ground), 4.5) << ground.name().toStdString();
        EXPECT_GE(contrast(t.text2, ground), 4.5) << ground.name().toStdString();
    }
    for (const QColor &ground : { t.panel, t.alt, t.lane }) {
        for (const QColor &text : { t.text3, t.accent, t.ok, t.warn, t.err }) {
            EXPECT_GE(contrast(text, ground), 4.5) << text.name().toStdString() << " on " << ground.name().toStdString();
        }
    }
    EXPECT_GE(contrast(t.onAccent, t.accent), 4.5);
    EXPECT_GE(contrast(t.accent, t.accentBg), 4.5);
    EXPECT_GE(contrast(t.warn, t.warnBg), 4.5);
    EXPECT_GE(contrast(t.err, t.errBg), 4.5);
}

TEST_P(ThemeTest, opNumbersAreReadableAndOpsDiffer)
{
    const Theme &t = theme();
    for (const OpColours &op : { t.forward, t.inputGradient, t.weightGradient, t.pair }) {
        EXPECT_GE(contrast(op.label, op.fill), 4.5) << op.fill.name().toStdString();
    }
    EXPECT_GE(contrast(t.pairBackwardLabel, t.pair.fill), 4.5);
    for (std::size_t i = 0; i < t.memory.size(); ++i) {
        EXPECT_TRUE(t.memory.at(i).isValid());
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(t.memory.at(i), t.memory.at(j));
        }
    }
}

TEST_P(ThemeTest, theStyleSheetHasNoTokenLeft)
{
    const QString sheet = styleSheet(theme());
    EXPECT_FALSE(sheet.contains(QLatin1Char('@'))) << sheet.mid(sheet.indexOf(QLatin1Char('@')) - 30, 60).toStdString();
    EXPECT_TRUE(sheet.contains(theme().accent.name()));
}

TEST_P(ThemeTest, everyIconIsThereAndTakesItsColour)
{
    for (int i = 0; i < iconCount; ++i) {
        const QPixmap small = iconPixmap(static_cast<Icon>(i), theme().accent);
        EXPECT_EQ(small.size(), QSize(16, 16));
        EXPECT_GT(opaquePixels(small, theme().accent), 5) << "icon " << i;
        EXPECT_EQ(iconPixmap(static_cast<Icon>(i), theme().accent, 16, 2).size(), QSize(32, 32));
    }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(false, true),
                         [](const auto &each) { return each.param ? std::string("dark") : std::string("light"); });

TEST(Fonts, sizesArePixelsAndUnhinted)
{
    EXPECT_EQ(uiFont(12).pixelSize(), 12);
    EXPECT_EQ(QFontInfo(uiFont(12)).pixelSize(), 12);
    EXPECT_EQ(uiFont(12, QFont::Bold).weight(), QFont::Bold);
    EXPECT_EQ(uiFont(12).hintingPreference(), QFont::PreferNoHinting);
    EXPECT_GT(uiFont(12.5).pointSizeF(), 0);
}

} // namespace pipeloom
