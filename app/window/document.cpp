// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/document.h"

#include "app/window/planedits.h"
#include "core/scenario/scenariofile.h"
#include "views/controls/planfields.h"

#include <QFileInfo>
#include <QUndoCommand>

namespace pipeloom
{

/// A step of the history: the whole scenario before and after. A scenario is a few kilobytes.
class SnapshotCommand : public QUndoCommand
{
public:
    SnapshotCommand(Document &document, Scenario before, Scenario after, int gesture, const QString &text)
        : QUndoCommand(text)
        , m_document(document)
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_gesture(gesture)
    {
    }

    void undo() override { m_document.show(m_before); }
    void redo() override { m_document.show(m_after); }
    [[nodiscard]] int id() const override { return 1; }

    bool mergeWith(const QUndoCommand *other) override
    {
        const auto *next = static_cast<const SnapshotCommand *>(other);
        if (m_gesture != next->m_gesture) {
            return false;
        }
        m_after = next->m_after;
        setObsolete(m_after == m_before); // dragged away and back
        return true;
    }

private:
    Document &m_document;
    Scenario m_before, m_after;
    int m_gesture;
};

namespace
{

/// What the Edit menu says after Undo: the name of the control.
QString editText(const std::vector<Setting> &settings)
{
    if (settings.empty()) {
        return {};
    }
    const std::string &path = settings.front().path;
    for (const NumberField &field : numberFields()) {
        if (path == field.path) {
            return QString::fromUtf8(field.label);
        }
    }
    for (const ChoiceField &field : choiceFields()) {
        if (path == field.path) {
            return QString::fromUtf8(field.label);
        }
    }
    return Document::tr("change of %1").arg(QString::fromStdString(path));
}

} // namespace

Document::Document(QObject *parent)
    : QObject(parent)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::stateChanged);
}

QString Document::displayName() const
{
    if (!m_path.isEmpty()) {
        return QFileInfo(m_path).fileName();
    }
    return QString::fromStdString(m_scenario.name);
}

bool Document::isModified() const { return m_open && (m_recovered || !m_undo.isClean()); }

Expected<bool> Document::edit(const std::vector<Setting> &settings, EditTarget target, bool dragging)
{
    if (!m_dragging) {
        ++m_gesture;
    }
    m_dragging = dragging;
    return push(applyEdit(m_scenario, settings, target), editText(settings));
}

Expected<bool> Document::pin(std::size_t plan)
{
    ++m_gesture;
    return push(pinPlan(m_scenario, plan), tr("pin"));
}

Expected<bool> Document::swap()
{
    ++m_gesture;
    return push(swapPlans(m_scenario), tr("swap of A and B"));
}

Expected<bool> Document::compareWith(std::size_t plan)
{
    ++m_gesture;
    return push(showAsB(m_scenario, plan), tr("choice of plan B"));
}

Expected<bool> Document::remove(std::size_t plan)
{
    ++m_gesture;
    return push(removePlan(m_scenario, plan), tr("removal of a plan"));
}

Expected<bool> Document::push(Expected<Scenario> next, const QString &text)
{
    if (!next) {
        return next.errors();
    }
    if (*next != m_scenario) {
        m_undo.push(new SnapshotCommand(*this, m_scenario, std::move(next).value(), m_gesture, text));
    }
    return true;
}

void Document::show(const Scenario &scenario)
{
    auto plans = allPlans(scenario);
    if (!plans) { // edits are checked before they enter the history
        return;
    }
    m_scenario = scenario;
    m_plans = std::move(plans).value();
    emit changed();
}

Expected<Opened> Document::replace(Scenario scenario, Errors warnings, const QString &path, bool modified)
{
    auto plans = allPlans(scenario);
    if (!plans) {
        Errors errors = plans.errors();
        for (Error &error : errors) {
            error.file = path.toStdString();
        }
        return errors;
    }
    m_undo.clear();
    m_scenario = std::move(scenario);
    m_plans = std::move(plans).value();
    m_opened = m_scenario;
    m_path = path;
    m_open = true;
    m_recovered = modified;
    m_dragging = false;
    emit replaced();
    emit changed();
    emit stateChanged();
    return Opened{ std::move(warnings) };
}

Expected<Opened> Document::openFile(const QString &path)
{
    auto loaded = readScenario(path.toStdString());
    if (!loaded) {
        return loaded.errors();
    }
    return replace(std::move(loaded->scenario), std::move(loaded->warnings), path, false);
}

Expected<Opened> Document::openText(const std::string &text, const QString &name)
{
    auto loaded = parseScenario(text, name.toStdString());
    if (!loaded) {
        return loaded.errors();
    }
    return replace(std::move(loaded->scenario), std::move(loaded->warnings), QString(), false);
}

Expected<Opened> Document::openRecovered(const QString &file, const QString &path)
{
    auto loaded = readScenario(file.toStdString());
    if (!loaded) {
        return loaded.errors();
    }
    return replace(std::move(loaded->scenario), {}, path, true);
}

Expected<bool> Document::save(const QString &path)
{
    Expected<bool> written = writeScenario(m_scenario, path.toStdString());
    if (written) {
        m_path = path;
        m_recovered = false;
        m_undo.setClean();
        emit stateChanged();
    }
    return written;
}

} // namespace pipeloom
