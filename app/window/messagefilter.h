// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Qt's messages go to stderr as ever, without remarks that concern nobody (a runtime folder that is not used, what the offscreen
/// platform cannot do). While the application object is made, a platform that cannot start ends the process with one sentence and
/// code 1 instead of an abort.
class MessageFilter
{
public:
    MessageFilter();
    /// The application is there: fatal messages are Qt's own again.
    void started();
};

} // namespace pipeloom
