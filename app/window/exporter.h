// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QDialog>
#include <QString>

#include <functional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;

namespace pipeloom
{

class ExploreView;

/// What an export writes.
enum class ExportFormat
{
    Png,
    Svg,
    Pdf,
    Csv, ///< numbers of every shown plan
    Json, ///< everything about one plan
};

struct ExportRequest
{
    ExportFormat format = ExportFormat::Png;
    double scale = 2; ///< PNG only
    bool dark = false; ///< pictures only
    int plan = 0; ///< JSON only
};

[[nodiscard]] QString suffixOf(ExportFormat format);
[[nodiscard]] bool isPicture(ExportFormat format);

/// Writes the view or the numbers; the target is replaced only when all of it was written.
[[nodiscard]] Expected<bool> exportTo(const QString &path, const ExportRequest &request, ExploreView &view,
                                      const std::vector<ShownPlan> &plans);

/// Asks what to export; the file name comes after.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    /// `themed`: the picture can be drawn in another theme than the window's.
    ExportDialog(const std::vector<ShownPlan> &plans, bool dark, bool themed, QWidget *parent);
    [[nodiscard]] ExportRequest request() const;

private:
    void showOptions();

    const bool m_themed;
    QComboBox *m_format;
    QComboBox *m_scale;
    QComboBox *m_theme;
    QComboBox *m_plan;
    QLabel *m_scaleLabel;
    QLabel *m_themeLabel;
    QLabel *m_planLabel;
};

} // namespace pipeloom
