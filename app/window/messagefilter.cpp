// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/messagefilter.h"

#include <QString>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace pipeloom
{

namespace
{

bool starting = false;
QtMessageHandler previous = nullptr;

bool isNoise(const QString &text)
{
    static constexpr std::array starts = { "QStandardPaths: XDG_RUNTIME_DIR", "This plugin does not support" };
    return std::ranges::any_of(starts, [&text](const char *start) { return text.startsWith(QLatin1String(start)); });
}

void handle(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (isNoise(text)) {
        return;
    }
    if (starting && type == QtFatalMsg) {
        std::fputs("pipeloom: cannot open a window on this display; `pipeloom render INPUT -o OUT.png` draws one without\n",
                   stderr);
        std::_Exit(1);
    }
    const bool platform = QLatin1String(context.category != nullptr ? context.category : "").startsWith(QLatin1String("qt.qpa"));
    if (starting && (platform || text.contains(QLatin1String("platform plugin")))) {
        return; // the sentence above says it
    }
    if (previous != nullptr) {
        previous(type, context, text);
    } else {
        std::fprintf(stderr, "%s\n", qUtf8Printable(text));
    }
}

} // namespace

MessageFilter::MessageFilter()
{
    starting = true;
    if (const QtMessageHandler before = qInstallMessageHandler(handle); before != handle) {
        previous = before;
    }
}

void MessageFilter::started() { starting = false; }

} // namespace pipeloom
