// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/anatomypaint.h"

#include "views/plot/paint.h"

#include <QCoreApplication>

#include <algorithm>

namespace pipeloom
{

namespace
{

/// The colour of the pass that a part belongs to.
const OpColours &coloursOf(OpPart part, const Theme &theme)
{
    switch (part) {
    case OpPart::AttentionF:
    case OpPart::DispatchF:
    case OpPart::MlpF:
    case OpPart::CombineF:
    case OpPart::SendF:
        return theme.forward;
    case OpPart::CombineB:
    case OpPart::MlpB:
    case OpPart::DispatchB:
    case OpPart::AttentionB:
    case OpPart::Replay:
    case OpPart::SendB:
        return theme.inputGradient;
    case OpPart::MlpW:
    case OpPart::AttentionW:
    case OpPart::HeadW:
        return theme.weightGradient;
    case OpPart::Embedding:
    case OpPart::Head:
    case OpPart::Collectives:
        break;
    }
    return theme.optimizer;
}

bool isBackward(OpPart part)
{
    switch (part) {
    case OpPart::CombineB:
    case OpPart::MlpB:
    case OpPart::MlpW:
    case OpPart::DispatchB:
    case OpPart::AttentionB:
    case OpPart::AttentionW:
    case OpPart::Replay:
    case OpPart::HeadW:
    case OpPart::SendB:
        return true;
    default:
        return false;
    }
}

/// Attention is told from the MLP by its lightness, communication by a paler ground still.
QColor fillOf(const AnatomyPart &part, const Theme &theme)
{
    const QColor &fill = coloursOf(part.part, theme).fill;
    if (part.stream == GpuStream::Communication)
        return mixed(fill, theme.lane, 0.45);
    const bool attention = part.part == OpPart::AttentionF || part.part == OpPart::AttentionB || part.part == OpPart::AttentionW;
    return attention ? mixed(fill, theme.lane, 0.78) : fill;
}

} // namespace

void drawAnatomy(QPainter &painter, const QRectF &lane, const QRectF &data, const TimeMap &map, const OpenedOp &op,
                 const Theme &theme, std::vector<DrawnPart> &drawn)
{
    const double ratio = deviceRatio(painter);
    const double middle = crisp(lane.top() + lane.height() / 2, ratio);
    const QRectF whole = QRectF(QPointF(map.crispX(static_cast<double>(op.start)), lane.top()),
                                QPointF(map.crispX(static_cast<double>(op.end)), lane.bottom()))
                             .intersected(data);
    if (whole.isEmpty())
        return;
    drawHatch(painter, whole, map.crispX(0), theme.hatch, theme.hatchBg);
    const double half = lane.bottom() - middle;
    const QFont font = condensedFont(std::clamp(half - 1, 8.0, 12.0));
    const bool worded = half >= 9;
    for (const AnatomyPart &part : op.anatomy.parts) {
        const bool compute = part.stream == GpuStream::Compute;
        const QRectF rect =
            QRectF(QPointF(map.crispX(static_cast<double>(op.start + part.start)), compute ? lane.top() : middle),
                   QPointF(map.crispX(static_cast<double>(op.start + part.end)), compute ? middle : lane.bottom()))
                .intersected(data);
        // What is sent leaves after the op: drawn where it is, over the bubble or the next op's lower half, as long as it shows.
        if (rect.width() < 1)
            continue;
        const QColor fill = fillOf(part, theme);
        painter.fillRect(rect, fill);
        if (rect.width() >= 3)
            painter.fillRect(QRectF(rect.right() - 1 / ratio, rect.top(), 1 / ratio, rect.height()),
                             coloursOf(part.part, theme).edge);
        drawn.push_back({ part, rect });
        if (!worded)
            continue;
        const QString word = QString::fromLatin1(name(part.part));
        const int microbatch = op.microbatchB >= 0 && isBackward(part.part) ? op.microbatchB : op.microbatch;
        const QString numbered = QStringLiteral("%1 %2").arg(word).arg(microbatch);
        const double room = rect.width() - 4;
        const QString &text = textWidth(font, numbered) <= room ? numbered : word;
        if (textWidth(font, text) > room)
            continue;
        painter.setFont(font);
        painter.setPen(textOn(fill));
        painter.drawText(rect, Qt::AlignCenter | Qt::TextDontClip, text);
    }
    painter.fillRect(QRectF(whole.left(), middle - 0.5 / ratio, whole.width(), 1 / ratio), theme.lane);
    drawFrame(painter, crisp(whole, ratio), 1 / ratio, theme.pair.edge);
}

QString partWords(OpPart part)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("OpPart", text); };
    switch (part) {
    case OpPart::Embedding:
        return tr("embedding");
    case OpPart::AttentionF:
        return tr("forward of attention");
    case OpPart::DispatchF:
        return tr("dispatch of tokens to their experts");
    case OpPart::MlpF:
        return tr("forward of the MLP or experts");
    case OpPart::CombineF:
        return tr("combine of the experts' results");
    case OpPart::Head:
        return tr("output head");
    case OpPart::HeadW:
        return tr("weight gradients of the output head");
    case OpPart::CombineB:
        return tr("gradient of the combine");
    case OpPart::Replay:
        return tr("dispatch and combine once more, for recompute");
    case OpPart::MlpB:
        return tr("backward of the MLP or experts for their input");
    case OpPart::MlpW:
        return tr("weight gradients of the MLP or experts");
    case OpPart::DispatchB:
        return tr("gradient of the dispatch");
    case OpPart::AttentionB:
        return tr("backward of attention for its input");
    case OpPart::AttentionW:
        return tr("weight gradients of attention");
    case OpPart::Collectives:
        return tr("tensor- and context-parallel or sharding collectives");
    case OpPart::SendF:
        return tr("activations on their way to the next stage");
    case OpPart::SendB:
        return tr("gradients on their way to the stage before");
    }
    return {};
}

} // namespace pipeloom
