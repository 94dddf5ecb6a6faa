// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

int main(int argc, char **argv) { return pipeloom::runCommandLine(argc, argv); }
