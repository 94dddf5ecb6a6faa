// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <memory>

class QProgressDialog;
class QWidget;

namespace pipeloom
{

/// The dialog over `window` of an export that runs: names the file, counts to `whole`, can cancel. Shows itself only when the
/// export takes long, and stays until it is destroyed.
[[nodiscard]] std::unique_ptr<QProgressDialog> exportProgress(QWidget *window, const QString &path, int whole);

} // namespace pipeloom
