// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace pipeloom
{

/// What a key of a config.json does to the shapes of the model.
enum class KeyRole
{
    Harmless, ///< known to change no shape: training, serving, tokens, rotary constants, normalisation constants
    Switch, ///< read elsewhere: harmless at the value that was accepted there
    Shape, ///< changes shapes, or its name says that it does
    Unknown,
};

/// The role of a key that the importer of a family does not read.
[[nodiscard]] KeyRole configKeyRole(std::string_view key);

/// True for keys of architectures that are not modelled: sparse indexers, linear attention, state spaces, shared key-value
/// layers, vision towers.
[[nodiscard]] bool isUnmodelledKey(std::string_view key);

} // namespace pipeloom
