// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exporter.h"

#include "core/exchange/report.h"
#include "views/explore/exploreview.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>

namespace pipeloom
{

namespace
{

Error unwritable(const QString &path, const QString &reason)
{
    return { ErrorCode::Unwritable, reason.toStdString(), path.toStdString(), {}, "choose another folder or name" };
}

Expected<bool> writeText(const QString &path, const std::string &text)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)
        || file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size()) || !file.commit()) {
        return unwritable(path, file.errorString());
    }
    return true;
}

std::vector<NamedPlan> namedPlans(const std::vector<ShownPlan> &plans)
{
    std::vector<NamedPlan> named;
    for (const ShownPlan &plan : plans) {
        if (plan.latest) {
            named.push_back({ QStringLiteral("%1 %2").arg(plan.letter, plan.name).toStdString(), plan.latest });
        }
    }
    return named;
}

Error notThere() { return { ErrorCode::Unsupported, "the plan is not evaluated yet", {}, {}, "export again in a moment" }; }

} // namespace

bool isPicture(ExportFormat format) { return format != ExportFormat::Csv && format != ExportFormat::Json; }

QString suffixOf(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Png:
        return QStringLiteral("png");
    case ExportFormat::Svg:
        return QStringLiteral("svg");
    case ExportFormat::Pdf:
        return QStringLiteral("pdf");
    case ExportFormat::Csv:
        return QStringLiteral("csv");
    case ExportFormat::Json:
        break;
    }
    return QStringLiteral("json");
}

Expected<bool> exportTo(const QString &path, const ExportRequest &request, ExploreView &view, const std::vector<ShownPlan> &plans)
{
    if (isPicture(request.format)) {
        QString reason;
        if (!view.exportView(path, suffixOf(request.format), request.scale, request.dark ? darkTheme() : lightTheme(), &reason)) {
            return unwritable(path, reason);
        }
        return true;
    }
    if (request.format == ExportFormat::Csv) {
        const std::vector<NamedPlan> named = namedPlans(plans);
        if (named.empty()) {
            return notThere();
        }
        return writeText(path, named.size() == 1 ? evaluationCsv(*named.front().evaluation) : comparisonCsv(named));
    }
    const auto plan = static_cast<std::size_t>(request.plan);
    if (plan >= plans.size() || !plans[plan].latest) {
        return notThere();
    }
    return writeText(path, evaluationJson(*plans[plan].latest));
}

ExportDialog::ExportDialog(const std::vector<ShownPlan> &plans, bool dark, bool themed, QWidget *parent)
    : QDialog(parent)
    , m_themed(themed)
    , m_format(new QComboBox(this))
    , m_scale(new QComboBox(this))
    , m_theme(new QComboBox(this))
    , m_plan(new QComboBox(this))
    , m_scaleLabel(new QLabel(tr("Size"), this))
    , m_themeLabel(new QLabel(tr("Colours"), this))
    , m_planLabel(new QLabel(tr("Plan"), this))
{
    setWindowTitle(tr("Export"));
    for (const auto &[text, format] : { std::pair(tr("Picture of the view, PNG"), ExportFormat::Png),
                                        { tr("Picture of the view, SVG"), ExportFormat::Svg },
                                        { tr("Picture of the view, PDF"), ExportFormat::Pdf },
                                        { tr("Numbers of all plans, CSV"), ExportFormat::Csv },
                                        { tr("Everything about a plan, JSON"), ExportFormat::Json } }) {
        m_format->addItem(text, static_cast<int>(format));
    }
    for (const int scale : { 1, 2, 3 }) {
        m_scale->addItem(tr("%1 times the screen").arg(scale), scale);
    }
    m_scale->setCurrentIndex(1);
    m_theme->addItem(tr("Light"), false);
    m_theme->addItem(tr("Dark"), true);
    m_theme->setCurrentIndex(dark ? 1 : 0);
    for (const ShownPlan &plan : plans) {
        m_plan->addItem(QStringLiteral("%1 %2").arg(plan.letter, plan.name));
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton *choose = buttons->addButton(tr("Choose file"), QDialogButtonBox::AcceptRole);
    choose->setProperty("kind", QStringLiteral("primary"));
    choose->setDefault(true);
    auto *form = new QFormLayout(this);
    form->addRow(tr("What"), m_format);
    form->addRow(m_scaleLabel, m_scale);
    form->addRow(m_themeLabel, m_theme);
    form->addRow(m_planLabel, m_plan);
    form->addRow(buttons);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::showOptions);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showOptions();
}

void ExportDialog::showOptions()
{
    const ExportFormat format = request().format;
    const auto show = [](QWidget *label, QWidget *field, bool visible) {
        label->setVisible(visible);
        field->setVisible(visible);
    };
    show(m_scaleLabel, m_scale, format == ExportFormat::Png);
    show(m_themeLabel, m_theme, isPicture(format) && m_themed);
    show(m_planLabel, m_plan, format == ExportFormat::Json);
}

ExportRequest ExportDialog::request() const
{
    return { static_cast<ExportFormat>(m_format->currentData().toInt()), m_scale->currentData().toDouble(),
             m_theme->currentData().toBool(), m_plan->currentIndex() };
}

} // namespace pipeloom
