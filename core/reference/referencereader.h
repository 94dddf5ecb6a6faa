// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the readers of the bundled references share. Only .cpp files include this header.

#include "core/base/jsonreader.h"
#include "core/reference/referencefiles.h"
#include "core/scenario/scenariofile.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

namespace pipeloom
{

/// Hands each member of the object under `key` to `take(name, value, pointer)`; a missing or other value is reported.
template<class Take>
void eachMember(ObjectReader &reader, const char *key, Take take)
{
    const Json *object = reader.find(key, ObjectReader::Required);
    if (object == nullptr)
        return;
    if (!object->is_object()) {
        reader.error(ErrorCode::WrongType, key, "expects an object");
        return;
    }
    for (const auto &[member, value] : object->items())
        take(member, value, pointer(reader.at(key), member));
}

/// The same for the items of a list.
template<class Take>
void eachItem(ObjectReader &reader, const char *key, Take take)
{
    const Json *list = reader.find(key, ObjectReader::Required);
    if (list == nullptr)
        return;
    if (!list->is_array()) {
        reader.error(ErrorCode::WrongType, key, "expects a list");
        return;
    }
    for (std::size_t i = 0; i < list->size(); ++i)
        take((*list)[i], pointer(reader.at(key), std::to_string(i)));
}

/// Reads a whole scenario inside a reference file; its errors are reported with their place in that file.
inline void readNestedScenario(JsonReport &report, const Json &value, const std::string &where, Scenario &target)
{
    Expected<LoadedScenario> loaded = parseScenario(value.dump(), report.file(), {}, { .strict = true });
    if (loaded) {
        target = std::move(loaded->scenario);
        return;
    }
    Errors errors = loaded.errors();
    for (Error &error : errors)
        error.where = where + error.where;
    report.add(errors, where);
}

/// Checks "format" and "schema" at the head of a file.
inline void readHead(ObjectReader &reader, const char *format)
{
    std::string found;
    int schema = 0;
    reader.text("format", found, ObjectReader::Required);
    reader.integer("schema", schema, 1, 1, ObjectReader::Required);
    if (found != format)
        reader.error(ErrorCode::Schema, "format", std::string("is not ") + format);
}

/// The parsed bundled file; the program ends when it is broken: a fault of the build, found by the first test.
template<class Value>
Value bundledReference(const char *file, Expected<Value> (*parse)(std::string_view text, const std::string &file))
{
    Expected<Value> read = parse(referenceText(file), file);
    if (!read) {
        std::cerr << "Bundled file is broken:\n" << text(read.errors());
        std::abort();
    }
    return *std::move(read);
}

} // namespace pipeloom
