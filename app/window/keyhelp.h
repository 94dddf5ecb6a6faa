// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace pipeloom
{

class Commands;

/// Every key and gesture, generated from the command registry.
class KeyHelp : public QDialog
{
    Q_OBJECT
public:
    KeyHelp(const Commands &commands, QWidget *parent);
};

} // namespace pipeloom
