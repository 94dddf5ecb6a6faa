// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"
#include "views/theme.h"

#include <QAbstractButton>
#include <QWidget>

#include <array>
#include <optional>

class QButtonGroup;

namespace pipeloom
{

/// What a card shows.
struct InstantValue
{
    QString title; ///< "From step 2, peak"
    QString note; ///< "rank 1 at 1.84 s"
    QString value; ///< "92.2"
    QString details = {}; ///< allocated, reserved and device bytes, for the tooltip
    bool over = false; ///< above what is usable: the number turns red
    bool operator==(const InstantValue &) const = default;
};

/// One instant: its name, what it means, and the GiB of the rank then.
class InstantCard : public QAbstractButton
{
    Q_OBJECT
public:
    explicit InstantCard(QWidget *parent = nullptr);
    void setValue(const InstantValue &value);
    [[nodiscard]] const InstantValue &value() const { return m_value; }
    void setTheme(const Theme &theme);
    void setStale(bool stale);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    InstantValue m_value;
    Theme m_theme = lightTheme();
    bool m_stale = false;
};

/// The five instants side by side; one is chosen.
class InstantCards : public QWidget
{
    Q_OBJECT
public:
    explicit InstantCards(QWidget *parent = nullptr);
    void setValues(const std::array<InstantValue, instantCount> &values, bool stale);
    void setTheme(const Theme &theme);
    [[nodiscard]] Instant current() const;
    void setCurrent(Instant instant);
    [[nodiscard]] InstantCard *card(Instant instant) const { return m_cards[static_cast<std::size_t>(instant)]; }

signals:
    void chosen(pipeloom::Instant instant);

private:
    std::array<InstantCard *, instantCount> m_cards{};
    QButtonGroup *m_group;
};

} // namespace pipeloom
