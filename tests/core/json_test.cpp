// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsonreader.h"

#include <gtest/gtest.h>

#include <limits>

namespace pipeloom
{
namespace
{

Error errorOf(std::string_view text, const JsonLimits &limits = {})
{
    const auto parsed = parseJson(text, "a.json", limits);
    EXPECT_FALSE(parsed) << text;
    return parsed ? Error{} : parsed.error();
}

TEST(JsonParser, KeepsOrderAndNumbers)
{
    const auto parsed = parseJson("\xEF\xBB\xBF{\"b\": 1, \"a\": [18446744073709551615, -1, 0.1]}", "a.json");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->dump(), R"({"b":1,"a":[18446744073709551615,-1,0.1]})");
}

TEST(JsonParser, NamesLineAndColumnOfASyntaxError)
{
    EXPECT_EQ(errorOf("{\n  \"a\": 1,\n  \"b\": nope\n}").where, "line 3, column 8");
    EXPECT_EQ(errorOf("{\n\"a\" 1}").where, "line 2, column 5");
    EXPECT_EQ(errorOf("[1,]").where, "line 1, column 4");
    EXPECT_EQ(errorOf("{\"a\": 1} trailing").where, "line 1, column 10");
    const Error truncated = errorOf("{\n \"plan\": {\"pp\": 8");
    EXPECT_EQ(truncated.code, ErrorCode::Syntax);
    EXPECT_NE(truncated.message.find("end of input"), std::string::npos) << truncated.message;
    EXPECT_EQ(truncated.where.substr(0, 6), "line 2");
    EXPECT_EQ(truncated.file, "a.json");
}

TEST(JsonParser, RefusesWhatJsonDoesNotKnow)
{
    for (const char *text : { "", "  \n", "NaN", "[NaN]", "[Infinity]", "[-Infinity]", "{'a': 1}", "[1 2]", "[01]", "[+1]",
                              "[1.]", "// no\n{}", "\"\n\"", "\"\xff\"", "[\"\\x\"]", "{\"a\"}", "nul", "\x00", "]" })
        EXPECT_EQ(errorOf(text).code, ErrorCode::Syntax) << text;
    EXPECT_EQ(errorOf("").message, "the file is empty");
}

TEST(JsonParser, RefusesNumbersBeyondADouble)
{
    const Error error = errorOf("{\"a\": 1e999}");
    EXPECT_EQ(error.code, ErrorCode::Syntax);
    EXPECT_EQ(error.message, "a number is too large");
    EXPECT_TRUE(parseJson("[123456789012345678901234567890]", "a"));
}

TEST(JsonParser, RefusesWhatFollowsTheDocument)
{
    for (const char *more : { "x", "}", "{}", ",", "\"", "\x01" }) {
        const Error error = errorOf(std::string("{\"a\": 1}\n") + more);
        EXPECT_EQ(error.code, ErrorCode::Syntax) << more;
        // An unfinished text is found at its end, everything else where it begins.
        EXPECT_EQ(error.where, *more == '"' ? "line 2, column 2" : "line 2, column 1") << more;
    }
    // A zero byte ends a text for the library: what comes behind it must not be lost, nor the byte itself.
    for (const std::string &more : { std::string(1, '\0'), std::string(4096, '\0'), std::string("\0garbage", 8) }) {
        const Error error = errorOf("{\"a\": 1}\n" + more);
        EXPECT_EQ(error.code, ErrorCode::Syntax);
        EXPECT_EQ(error.message, "holds a zero byte at offset 9");
        EXPECT_EQ(error.where, "line 2, column 1");
    }
    EXPECT_EQ(errorOf(std::string("{\"a\":\0 1}", 10)).message, "holds a zero byte at offset 5");
    EXPECT_TRUE(parseJson("{\"a\": 1} \r\n\t", "a.json"));
}

TEST(JsonParser, RefusesDuplicateKeysAndNamesThem)
{
    const Error error = errorOf(R"({"plan": {"pp": 8, "tp": 1, "pp": 16}})");
    EXPECT_EQ(error.where, "/plan/pp");
    EXPECT_EQ(error.message, "the key pp stands twice in one object");
    EXPECT_EQ(errorOf(R"([{"a": 1}, {"a": 1, "a": 2}])").where, "/1/a");
    EXPECT_TRUE(parseJson(R"([{"a": 1}, {"a": 2}])", "a"));
}

TEST(JsonParser, StopsAtDepthAndSize)
{
    EXPECT_TRUE(parseJson(std::string(32, '[') + std::string(32, ']'), "a"));
    EXPECT_EQ(errorOf(std::string(33, '[') + std::string(33, ']')).code, ErrorCode::Syntax);
    EXPECT_EQ(errorOf(std::string(1'000'000, '[')).message, "the document is nested deeper than 32 levels");
    std::string many = "[0";
    for (int i = 0; i < 1000; ++i)
        many += ",0";
    many += ']';
    EXPECT_TRUE(parseJson(many, "a"));
    EXPECT_EQ(errorOf(many, { .depth = 32, .values = 1000 }).code, ErrorCode::Syntax);
}

TEST(JsonPointer, EscapesKeys)
{
    EXPECT_EQ(pointer("/plan", "ep"), "/plan/ep");
    EXPECT_EQ(pointer("", "a/b~c"), "/a~1b~0c");
}

struct IntegerCase
{
    const char *json;
    bool accepted;
    ErrorCode code = ErrorCode::WrongType;
};

TEST(ObjectReader, TakesWholeNumbersOnly)
{
    const IntegerCase cases[] = {
        { "1", true },
        { "100", true },
        { "8.0", true },
        { "1e2", true },
        { "0", false, ErrorCode::OutOfRange },
        { "101", false, ErrorCode::OutOfRange },
        { "-1", false, ErrorCode::OutOfRange },
        { "4294967297", false, ErrorCode::OutOfRange },
        { "18446744073709551615", false, ErrorCode::OutOfRange },
        { "-9223372036854775808", false, ErrorCode::OutOfRange },
        { "1e300", false, ErrorCode::OutOfRange },
        { "61.7", false },
        { "-0.5", false },
        { "\"8\"", false },
        { "true", false },
        { "null", false },
        { "[8]", false },
        { "{}", false },
    };
    for (const IntegerCase &c : cases) {
        const auto document = parseJson(std::string("{\"a\": ") + c.json + "}", "f.json");
        ASSERT_TRUE(document);
        JsonReport report("f.json", false);
        ObjectReader reader(report, *document, "/plan");
        int value = -7;
        EXPECT_EQ(reader.integer("a", value, 1, 100), c.accepted) << c.json;
        const Errors errors = report.takeErrors();
        ASSERT_EQ(errors.empty(), c.accepted) << c.json;
        if (c.accepted)
            continue;
        EXPECT_EQ(value, -7) << "a refused value leaves the target alone";
        EXPECT_EQ(errors[0].code, c.code) << c.json;
        EXPECT_EQ(errors[0].where, "/plan/a");
        EXPECT_EQ(errors[0].file, "f.json");
    }
}

TEST(ObjectReader, SaysWhatItExpectedAndWhatItFound)
{
    const auto document = parseJson(R"({"a": 61.7, "b": "x", "c": 7, "d": "dualpipes"})", "f.json");
    JsonReport report("f.json", false);
    ObjectReader reader(report, *document, "");
    int a = 0;
    double b = 0;
    bool c = false;
    std::size_t d = 0;
    const std::vector<std::string> names{ "1f1b", "dualpipe" };
    reader.integer("a", a, 1, 100);
    reader.number("b", b, 0, 1);
    reader.boolean("c", c);
    reader.choice("d", d, names);
    reader.integer("e", a, 1, 100, ObjectReader::Required);
    const Errors errors = report.takeErrors();
    ASSERT_EQ(errors.size(), 5U) << "all errors are collected";
    EXPECT_EQ(errors[0].text(), "f.json: /a: expects a whole number, found 61.7; use 61 or 62");
    EXPECT_EQ(errors[1].text(), "f.json: /b: expects a number, found the text \"x\"");
    EXPECT_EQ(errors[2].text(), "f.json: /c: expects true or false, found 7");
    EXPECT_EQ(errors[3].text(), "f.json: /d: \"dualpipes\" is not known; did you mean \"dualpipe\"? Known: dualpipe or 1f1b");
    EXPECT_EQ(errors[4].text(), "f.json: /e: is missing and has no default; add it");
}

TEST(ObjectReader, NamesUnknownKeysWithTheNearestKnownOne)
{
    for (const bool strict : { false, true }) {
        const auto document = parseJson(R"({"micro_batc": 1, "zzz": 2})", "f.json");
        JsonReport report("f.json", strict);
        ObjectReader reader(report, *document, "/plan");
        int value = 0;
        reader.integer("micro_batch", value, 1, 10);
        reader.finish();
        const Errors errors = report.takeErrors();
        const Errors warnings = report.takeWarnings();
        EXPECT_EQ(errors.size(), strict ? 2U : 0U);
        EXPECT_EQ(warnings.size(), strict ? 0U : 2U);
        const Error &first = strict ? errors[0] : warnings[0];
        EXPECT_EQ(first.code, ErrorCode::UnknownName);
        EXPECT_EQ(first.where, "/plan/micro_batc");
        EXPECT_EQ(first.hint, "did you mean micro_batch?");
    }
}

TEST(ObjectReader, KeepsAHundredErrorsAndCountsTheRest)
{
    std::string text = "{";
    for (int i = 0; i < 150; ++i)
        text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\": 1";
    const auto document = parseJson(text + "}", "f.json");
    JsonReport report("f.json", true);
    ObjectReader reader(report, *document, "");
    reader.finish();
    EXPECT_EQ(report.errorCount(), 150U);
    const Errors errors = report.takeErrors();
    ASSERT_EQ(errors.size(), 101U);
    EXPECT_EQ(errors.back().message, "50 more errors not shown");
}

} // namespace
} // namespace pipeloom
