// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exporter.h"

#include "core/exchange/report.h"
#include "core/schedule/schedulecsv.h"
#include "views/explore/exploreview.h"
#include "views/plot/numbers.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>

#include <cmath>

namespace pipeloom
{

namespace
{

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

bool isPicture(ExportFormat format)
{
    return format == ExportFormat::Png || format == ExportFormat::Svg || format == ExportFormat::Pdf;
}

bool isAnimation(ExportFormat format) { return format == ExportFormat::Gif || format == ExportFormat::PngSequence; }

bool isOfOnePlan(ExportFormat format) { return !isPicture(format) && !isAnimation(format) && format != ExportFormat::Csv; }

QString suffixOf(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Png:
    case ExportFormat::PngSequence:
        return QStringLiteral("png");
    case ExportFormat::Svg:
        return QStringLiteral("svg");
    case ExportFormat::Pdf:
        return QStringLiteral("pdf");
    case ExportFormat::Gif:
        return QStringLiteral("gif");
    case ExportFormat::Csv:
    case ExportFormat::ScheduleCsv:
        return QStringLiteral("csv");
    case ExportFormat::Json:
    case ExportFormat::Trace:
        break;
    }
    return QStringLiteral("json");
}

QString proposedName(const QString &base, const ExportRequest &request, const std::vector<ShownPlan> &plans)
{
    QString name = base;
    if (isOfOnePlan(request.format) && plans.size() > 1 && request.plan >= 0 && request.plan < static_cast<int>(plans.size())) {
        const ShownPlan &plan = plans[static_cast<std::size_t>(request.plan)];
        name += QStringLiteral("-%1-%2").arg(plan.letter, plan.name.toLower());
    }
    if (request.format == ExportFormat::ScheduleCsv) {
        name += QStringLiteral("-schedule");
    } else if (request.format == ExportFormat::Trace) {
        name += QStringLiteral("-trace");
    } else if (request.format == ExportFormat::PngSequence) {
        name += QStringLiteral("-frame");
    }
    // Plans may be named anything: what no file system or shell likes becomes a hyphen.
    static const QRegularExpression unwanted(QStringLiteral("[/\\\\:*?\"<>|\\s]+"));
    name.replace(unwanted, QStringLiteral("-"));
    return name + QLatin1Char('.') + suffixOf(request.format);
}

TextMaker textOf(const ExportRequest &request, const std::vector<ShownPlan> &plans)
{
    using Text = Expected<std::optional<std::string>>;
    if (request.format == ExportFormat::Csv) {
        return [named = namedPlans(plans)](const WriteProgress &) -> Text {
            if (named.empty()) {
                return notThere();
            }
            return std::optional(named.size() == 1 ? evaluationCsv(*named.front().evaluation) : comparisonCsv(named));
        };
    }
    const auto plan = static_cast<std::size_t>(request.plan);
    const std::shared_ptr<const Evaluation> latest = plan < plans.size() ? plans[plan].latest : nullptr;
    const QString letter = plan < plans.size() ? plans[plan].letter : QString();
    return [latest, letter, format = request.format](const WriteProgress &progress) -> Text {
        if (!latest) {
            return notThere();
        }
        if (format == ExportFormat::Json) {
            return std::optional(evaluationJson(*latest));
        }
        if (!latest->valid) {
            return Error{
                ErrorCode::Unsupported, "plan " + letter.toStdString() + " has no schedule", {}, {}, "repair the plan first"
            };
        }
        if (format == ExportFormat::ScheduleCsv) {
            return std::optional(scheduleCsv(latest->schedule));
        }
        return planChromeTrace(*latest, progress);
    };
}

Expected<bool> exportTo(const QString &path, const ExportRequest &request, ExploreView &view, const std::vector<ShownPlan> &plans)
{
    if (!isPicture(request.format)) {
        return writeText(path, textOf(request, plans));
    }
    QString reason;
    if (!view.exportView(path, suffixOf(request.format), request.scale, request.dark ? darkTheme() : lightTheme(), &reason)) {
        return unwritableFile(path, reason);
    }
    return true;
}

ExportDialog::ExportDialog(const std::vector<ShownPlan> &plans, int plan, bool dark, bool themed, QWidget *parent)
    : QDialog(parent)
    , m_themed(themed)
    , m_format(new QComboBox(this))
    , m_scale(new QComboBox(this))
    , m_theme(new QComboBox(this))
    , m_plan(new QComboBox(this))
    , m_scaleLabel(new QLabel(tr("Size"), this))
    , m_themeLabel(new QLabel(tr("Colours"), this))
    , m_planLabel(new QLabel(tr("Plan"), this))
    , m_perSecond(new QSpinBox(this))
    , m_seconds(new QDoubleSpinBox(this))
    , m_perSecondLabel(new QLabel(tr("Frames per second"), this))
    , m_secondsLabel(new QLabel(tr("Length"), this))
    , m_lengthText(new QLabel(this))
{
    setWindowTitle(tr("Export"));
    for (const auto &[text, format] : { std::pair(tr("Picture of the view, PNG"), ExportFormat::Png),
                                        { tr("Picture of the view, SVG"), ExportFormat::Svg },
                                        { tr("Picture of the view, PDF"), ExportFormat::Pdf },
                                        { tr("Numbers of all plans, CSV"), ExportFormat::Csv },
                                        { tr("Everything about a plan, JSON"), ExportFormat::Json },
                                        { tr("Schedule of a plan, PyTorch CSV"), ExportFormat::ScheduleCsv },
                                        { tr("Step of a plan, Chrome trace for Perfetto"), ExportFormat::Trace } }) {
        m_format->addItem(text, static_cast<int>(format));
    }
    for (const int scale : { 1, 2, 3 }) {
        m_scale->addItem(tr("%1 times the screen").arg(scale), scale);
    }
    m_scale->setCurrentIndex(1);
    m_theme->addItem(tr("Light"), false);
    m_theme->addItem(tr("Dark"), true);
    m_theme->setCurrentIndex(dark ? 1 : 0);
    for (const ShownPlan &shown : plans) {
        m_plan->addItem(QStringLiteral("%1 %2").arg(shown.letter, shown.name));
    }
    m_plan->setCurrentIndex(plan);
    m_format->setObjectName(QStringLiteral("exportFormat"));
    m_plan->setObjectName(QStringLiteral("exportPlan"));
    m_format->setToolTip(tr("What is written: a picture, numbers, or a file for another program"));
    m_plan->setToolTip(tr("Which of the plans is written"));
    m_scale->setToolTip(tr("Pixels of the picture for each pixel of the view"));
    m_theme->setToolTip(tr("Colours of the picture; the window keeps its own"));
    for (QComboBox *box : { m_format, m_plan, m_scale, m_theme }) {
        box->setMinimumContentsLength(30);
    }
    m_format->setAccessibleName(tr("What"));
    m_plan->setAccessibleName(tr("Plan"));
    m_scale->setAccessibleName(tr("Size"));
    m_theme->setAccessibleName(tr("Colours"));
    m_perSecond->setRange(1, 50);
    m_perSecond->setValue(20);
    m_perSecond->setObjectName(QStringLiteral("exportPerSecond"));
    m_perSecond->setToolTip(tr("Pictures in each second of the animation, 1 to 50"));
    m_perSecond->setAccessibleName(m_perSecondLabel->text());
    m_seconds->setRange(0.5, 60);
    m_seconds->setDecimals(1);
    m_seconds->setValue(6);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setObjectName(QStringLiteral("exportSeconds"));
    m_seconds->setToolTip(tr("How long the playhead takes over the range, 0.5 to 60 seconds"));
    m_seconds->setAccessibleName(m_secondsLabel->text());
    m_lengthText->setObjectName(QStringLiteral("exportLength"));
    m_lengthText->setProperty("tone", QStringLiteral("2"));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton *choose = buttons->addButton(tr("Choose file"), QDialogButtonBox::AcceptRole);
    choose->setProperty("kind", QStringLiteral("primary"));
    choose->setDefault(true);
    auto *form = new QFormLayout(this);
    form->addRow(tr("What"), m_format);
    form->addRow(m_scaleLabel, m_scale);
    form->addRow(m_themeLabel, m_theme);
    form->addRow(m_perSecondLabel, m_perSecond);
    form->addRow(m_secondsLabel, m_seconds);
    form->addRow(m_lengthText);
    form->addRow(m_planLabel, m_plan);
    form->addRow(buttons);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::showOptions);
    connect(m_format, &QComboBox::activated, this, [this] {
        // Hundreds of frames at twice the screen make files that nobody can send.
        m_scale->setCurrentIndex(isAnimation(request().format) ? 0 : 1);
    });
    connect(m_perSecond, &QSpinBox::valueChanged, this, &ExportDialog::showLength);
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &ExportDialog::showLength);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showOptions();
}

void ExportDialog::offerAnimation(TimeRange range, bool measured)
{
    m_range = range;
    m_measured = measured;
    m_format->insertItem(3, tr("Animation, GIF"), static_cast<int>(ExportFormat::Gif));
    m_format->insertItem(4, tr("Animation, numbered PNG files"), static_cast<int>(ExportFormat::PngSequence));
    showLength();
}

void ExportDialog::showLength()
{
    const AnimationRequest asked{ .range = m_range, .perSecond = request().perSecond, .seconds = request().seconds };
    const Nanoseconds length = m_range.end - m_range.begin;
    m_lengthText->setText(tr("%1 frames over %2 of the %3 range, 1 s shows %4")
                              .arg(wholeNumber(frameCount(asked)), durationText(length),
                                   m_measured ? tr("measured") : tr("visible"),
                                   durationText(std::llround(static_cast<double>(length) / asked.seconds))));
}

void ExportDialog::showOptions()
{
    const ExportFormat format = request().format;
    const bool animation = isAnimation(format);
    const auto show = [](QWidget *label, QWidget *field, bool visible) {
        label->setVisible(visible);
        field->setVisible(visible);
    };
    show(m_scaleLabel, m_scale, format == ExportFormat::Png || animation);
    show(m_themeLabel, m_theme, (isPicture(format) || animation) && m_themed);
    show(m_perSecondLabel, m_perSecond, animation);
    show(m_secondsLabel, m_seconds, animation);
    m_lengthText->setVisible(animation);
    show(m_planLabel, m_plan, isOfOnePlan(format));
}

ExportRequest ExportDialog::request() const
{
    return { static_cast<ExportFormat>(m_format->currentData().toInt()),
             m_scale->currentData().toDouble(),
             m_theme->currentData().toBool(),
             m_plan->currentIndex(),
             static_cast<double>(m_perSecond->value()),
             m_seconds->value() };
}

} // namespace pipeloom
