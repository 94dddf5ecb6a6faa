// SPDX-License-Identifier: GPL-3.0-or-later
// The search of Explore: its line, the matches in the timelines, the way from one to the next.
#include "views/explore/exploreview.h"

#include "views/explore/searchbar.h"
#include "views/explore/timelineplot.h"

namespace pipeloom
{

void ExploreView::connectSearch()
{
    connect(m_searchBar, &SearchBar::textChanged, this, &ExploreView::updateSearch);
    connect(m_searchBar, &SearchBar::stepRequested, this, &ExploreView::findNext);
    connect(m_searchBar, &SearchBar::closeRequested, this, &ExploreView::closeSearch);
    connect(m_state, &ViewState::selectionChanged, this, &ExploreView::showMatchCount);
}

void ExploreView::openSearch()
{
    const bool hidden = m_searchBar->isHidden();
    m_searchBar->open();
    if (!hidden)
        return;
    arrange();
    updateSearch();
}

void ExploreView::closeSearch()
{
    m_searchBar->hide();
    arrange();
    updateSearch();
    m_timelines->setFocus();
}

void ExploreView::updateSearch()
{
    const QString text = m_searchBar->isHidden() ? QString() : m_searchBar->text();
    if (text.trimmed().isEmpty()) {
        m_search.setQuery(std::nullopt);
        m_searchBar->showHelp();
    } else if (const Expected<OpQuery> query = parseOpQuery(text.toStdString()); query) {
        m_search.setQuery(*query);
    } else {
        m_search.setQuery(std::nullopt);
        m_searchBar->showError(QString::fromStdString(query.error().text()));
    }
    showMatches();
}

/// Hands the matches to the timelines and writes how many there are.
void ExploreView::showMatches()
{
    m_timelines->setMatches(m_search.matches());
    showMatchCount();
    invalidate(Timelines);
}

void ExploreView::showMatchCount()
{
    if (!m_search.isActive())
        return;
    const auto place = m_state->selection() ? m_search.placeOf(*m_state->selection()) : std::nullopt;
    m_searchBar->showCount(place ? *place + 1 : 0, m_search.count());
}

void ExploreView::findNext(int direction)
{
    if (m_searchBar->isHidden() || m_searchBar->text().trimmed().isEmpty()) {
        openSearch();
        return;
    }
    // Without a selection the search goes on from what is in view.
    const std::optional<OpRef> &selected = m_state->selection();
    const TimeRange range = m_state->range();
    const std::optional<OpRef> next = direction > 0 ? (selected ? m_search.after(*selected) : m_search.from(range.begin))
                                                    : (selected ? m_search.before(*selected) : m_search.until(range.end));
    if (!next)
        return;
    m_timelines->revealRank(next->rank);
    selectOp(*next);
}

} // namespace pipeloom
