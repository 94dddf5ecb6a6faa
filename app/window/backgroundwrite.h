// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/exchange/plantrace.h"

#include <QString>

#include <functional>
#include <optional>
#include <string>

class QWidget;

namespace pipeloom
{

/// Makes the text of a file, on any thread; nothing when the progress said stop.
using TextMaker = std::function<Expected<std::optional<std::string>>(const WriteProgress &progress)>;

/// The error of a file that cannot be written, with what to do about it.
[[nodiscard]] Error unwritableFile(const QString &path, const QString &reason);

/// Makes and writes the text on the calling thread. The target is replaced only when all of it was written. False when stopped.
[[nodiscard]] Expected<bool> writeText(const QString &path, const TextMaker &make, const WriteProgress &progress = {});

/// The same on a thread of its own, while the event loop of the caller runs: `window` stays alive, and when it takes long a
/// dialog shows how far it is and can stop it. False when it was stopped: nothing is written then.
[[nodiscard]] Expected<bool> writeInBackground(QWidget *window, const QString &path, TextMaker make);

} // namespace pipeloom
