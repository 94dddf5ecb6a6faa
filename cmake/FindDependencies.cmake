# SPDX-License-Identifier: GPL-3.0-or-later
# Finds what the build needs and names the Debian package of what is missing. Nothing is downloaded.

set(pipeloom_missing "")

macro(pipeloom_find package debian)
    find_package(${package} ${ARGN} QUIET)
    if(NOT ${package}_FOUND)
        string(APPEND pipeloom_missing "\n  ${package}: apt-get install ${debian}")
    endif()
endmacro()

find_package(Threads REQUIRED)
pipeloom_find(fmt libfmt-dev)
pipeloom_find(nlohmann_json nlohmann-json3-dev)
pipeloom_find(CLI11 libcli11-dev)
if(PIPELOOM_WINDOW)
    # Qt first: Debian's QCustomPlot config does not look for it.
    pipeloom_find(Qt6 "qt6-base-dev qt6-svg-dev" 6.4 COMPONENTS Core Gui Widgets PrintSupport Svg Concurrent DBus Test)
    if(Qt6_FOUND)
        pipeloom_find(QCustomPlotQt6 libqcustomplot-dev CONFIG)
    endif()
endif()
if(PIPELOOM_TESTS)
    pipeloom_find(GTest libgtest-dev)
endif()
if(PIPELOOM_BENCHMARKS)
    pipeloom_find(benchmark libbenchmark-dev)
endif()
if(pipeloom_missing)
    message(FATAL_ERROR "Missing packages:${pipeloom_missing}\n`./run` installs them.")
endif()
