# SPDX-License-Identifier: GPL-3.0-or-later
# pipeloom_embed_files(<output.cpp> <namespace> FILES <file>...): a C++ source with
#   namespace pipeloom::<namespace> { struct File { std::string_view name; std::string_view text; }; std::span<const File> files(); }
# so that presets and samples need no path at run time. The name is the file name without directories.

function(pipeloom_embed_files output name)
    cmake_parse_arguments(EMBED "" "" "FILES" ${ARGN})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAME=${name} "-DFILES=${EMBED_FILES}"
                -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedFilesScript.cmake
        DEPENDS ${EMBED_FILES} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedFilesScript.cmake
        COMMENT "Embedding ${name}"
        VERBATIM)
endfunction()
