// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"
#include "app/window/render.h"
#include "app/window/run.h"

#include <string_view>

int main(int argc, char **argv)
{
    if (argc > 1 && std::string_view(argv[1]) == "render") {
        return pipeloom::runRender(argc - 1, argv + 1);
    }
    if (argc > 1 && pipeloom::isSubcommand(argv[1])) {
        return pipeloom::runCommandLine(argc, argv);
    }
    return pipeloom::runWindow(argc, argv);
}
