// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace pipeloom
{

/// No file is open: new from a model, open, recent files, samples. The whole window takes dropped files.
class StartPage : public QWidget
{
    Q_OBJECT
public:
    explicit StartPage(QWidget *parent = nullptr);
    void setRecentFiles(const QStringList &files);

signals:
    void openRequested();
    void fileRequested(const QString &path);
    void sampleRequested(const QString &name);
    void newRequested(const QString &modelPreset);

private:
    [[nodiscard]] QWidget *makeStart();
    [[nodiscard]] QWidget *makeSamples();

    QVBoxLayout *m_recent = nullptr;
};

} // namespace pipeloom
