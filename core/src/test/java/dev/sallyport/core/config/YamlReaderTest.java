package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlReaderTest {

    private final Findings findings = new Findings();

    private ConfigNode read(String text) {
        return YamlReader.read("f", text, findings);
    }

    private String report(String text) {
        read(text);
        return ConfigReport.of(findings.problems());
    }

    @Test
    void keysAndValuesHavePlaces() {
        // given
        ConfigNode.Mapping root = (ConfigNode.Mapping) read("# comment\na:\n  - x\n  -  b: \"ü\"\n     c: [1, 2]\n");

        // then
        assertThat(root.at()).hasToString("f:2:1");
        assertThat(root.entries().get("a").keyAt()).hasToString("f:2:1");
        ConfigNode.Sequence list = (ConfigNode.Sequence) root.get("a");
        assertThat(list.items().get(0).at()).hasToString("f:3:5");
        ConfigNode.Mapping inner = (ConfigNode.Mapping) list.items().get(1);
        assertThat(inner.entries().get("c").keyAt()).hasToString("f:5:6");
        assertThat(((ConfigNode.Sequence) inner.get("c")).items().get(1).at()).hasToString("f:5:13");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "x, STRING",
                "no, SWITCH",
                "Off, SWITCH",
                "YES, SWITCH",
                "'no', STRING",
                "y, STRING",
                "'1', STRING",
                "\"true\", STRING",
                "!!str 1, STRING",
                "1, INTEGER",
                "-12, INTEGER",
                "0x1F, INTEGER",
                "0o17, INTEGER",
                "1_000, STRING",
                "1.5, FLOAT",
                "1e3, FLOAT",
                "-.5, FLOAT",
                ".inf, STRING",
                "true, BOOLEAN",
                "FALSE, BOOLEAN",
                "null, NULL",
                "~, NULL",
                "``, NULL",
                "12:30:45, STRING",
                "2001-01-01, STRING",
                "30s, STRING",
                "1.2.3.4, STRING",
                ":80, STRING",
                "-, STRING"
            })
    void scalarsHaveTheTypesOfTheCoreSchema(String text, ConfigNode.Type type) {
        // "-" alone would begin a list
        ConfigNode.Mapping root = (ConfigNode.Mapping) read("k: " + (text.equals("-") ? "'-'" : text));
        assertThat(((ConfigNode.Scalar) root.get("k")).type()).isEqualTo(type);
    }

    /** What people get wrong, and what they are told. A value is not shown: it may be a secret in the wrong place. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = true,
            value = {
                "p:_h: x                       | 2:1 | a tab before the text, in \"\\th: ...\" | spaces",
                "p:/  a: 1/   b: 2             | 3:5 | indented further than line 2, which already has a value, in \"   b: ...\" | 2 spaces",
                "p:/    a: 1/  b: 2            | 3:3 | indented by 2, which matches no line above, in \"  b: ...\" | 0 spaces as in line 1",
                "t:/  - n: x/   c: 1           | 3:4 | indented by 3, which matches no line above, in \"   c: ...\" | 2 spaces as in line 2",
                "t:/  - n: x/     c: 1         | 3:7 | indented further than line 2, which already has a value, in \"     c: ...\" | 2 spaces",
                "t:/  - n: x/  c: 1            | 3:3 | a key among the items of the list that begins in line 2, in \"  c: ...\" | another indentation, or -",
                "d:/    - a/   - b             | 3:4 | indented by 3, which matches no line above, in \"   - b\" | 0 spaces as in line 1",
                "p:/  a:1/  b: 2               | 2:1 | no space after the colon, in \"  a:1\" | key: value",
                "p:/  a: \"x/  b: 2            | 2:6 | the quote that begins here does not end, in \"  a: ...\" | a quote at the end of the value",
                "d:/  - *.example.com          | 2:5 | a value that begins with * or & must be in quotes, in \"  - *.example.com\" | \"*.example.com\", for example",
                "h: @x                         | 1:4 | a value that begins with @ must be in quotes, in \"h: ...\" | quotes around it",
                "a: b: c                       | 1:5 | a second colon and space in one value, in \"a: ...\" | quotes around the value",
                "a: 'x' y                      | 1:8 | text after the end of a value, in \"a: ...\" | quotes around all of it",
                "a: 1/foo/b: 2                 | 2:1 | a line that is neither a key with a colon nor a list item, in \"foo\" | key: value",
                "a: >/  MIIEvQIBADANBgkqhkiG9w0BAQ/ x | 3:2 | text after the end of a value, in \" x\" | quotes around all of it",
                "a: 1/MIIEvQIBADANBgkqhkiG9w0BAQ/b: 1 | 2:1 | a line that is neither a key with a colon nor a list item, in \"MIIEvQIBADAN ...\" | key: value",
                "^a: 1/b: 2                    | 2:1 | indented less than the first line, in \"b: ...\" | all top-level keys at the beginning of their line",
                "a: \"\\q\"                   | 1:6 | an unknown escape in double quotes, in \"a: ...\" | single quotes, or two backslashes"
            })
    void whatPeopleGetWrongIsSaidInWords(String text, String place, String message, String expected) {
        String yaml = text.replace('/', '\n').replace("_", "\n\t").replace('^', ' ');
        assertThat(report(yaml))
                .isEqualTo("f:" + place + ": not well-formed YAML: " + message + " (expected: " + expected + ")\n");
    }

    @Test
    void jsonIsYaml() {
        ConfigNode.Mapping root = (ConfigNode.Mapping) read("{\"a\": {\"b\": [1, \"x\\u00fc\", null]},\n \"c\": true}");
        assertThat(root.entries().keySet()).containsExactly("a", "c");
        assertThat(findings.problems()).isEmpty();
    }

    @Test
    void nothingIsAnEmptyMapping() {
        for (String text : new String[] {"", "\n# only a comment\n", "---\n", "~", "\uFEFF"}) {
            assertThat(((ConfigNode.Mapping) read(text)).entries()).isEmpty();
        }
        assertThat(findings.problems()).isEmpty();
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(((ConfigNode.Mapping) read("\uFEFFa: 1")).get("a").at()).hasToString("f:1:4");
    }

    @Test
    void duplicateKeysAreProblems() {
        assertThat(report("a: 1\nb:\n  c/~: 1\n  c/~: 2\na: 3\n")).isEqualTo("""
                        f:4:3: /b/c~1~0: duplicate key, first set at line 3 (expected: each key once)
                        f:5:1: /a: duplicate key, first set at line 1 (expected: each key once)
                        """);
    }

    @Test
    void aSyntaxErrorIsReportedAtItsPlace() {
        assertThat(report("a: 1\nb: [1, 2\nc: 3\n"))
                .isEqualTo(
                        "f:2:4: not well-formed YAML: the bracket that begins here does not end before the next key, in \"b: ...\" (expected: a closing bracket)\n");
    }

    @Test
    void aTabIsReportedAtItsPlace() {
        assertThat(report("a:\n\tb: 1\n")).startsWith("f:2:1: not well-formed YAML");
    }

    @Test
    void aCharacterThatNoDocumentMayHoldIsReportedAtItsPlace() {
        assertThat(report("a: 1\nb: ü\u0001"))
                .isEqualTo("f:2:5: not well-formed YAML: an invalid character" + " (expected: printable characters)\n");
    }

    @Test
    void aSecondDocumentIsRefused() {
        assertThat(report("a: 1\n---\nb: 2\n")).isEqualTo("f:2:1: a second document (expected: one document)\n");
    }

    @Test
    void tagsAreRefused() {
        assertThat(report("a: !!java.net.URL [x]\nb: !x y\nc: !!set {}\n")).isEqualTo("""
                        f:1:4: /a: tags are not supported (expected: the value without a tag)
                        f:2:4: /b: tags are not supported (expected: the value without a tag)
                        f:3:4: /c: tags are not supported (expected: the value without a tag)
                        """);
    }

    @Test
    void aKeyIsAString() {
        assertThat(report("a: 1\n? [x]\n: 2\n")).isEqualTo("f:2:3: a list as a key (expected: a string)\n");
    }

    @Test
    void anAliasIsWhatItsAnchorIs() {
        ConfigNode.Mapping root = (ConfigNode.Mapping) read("a: &x [1, 2]\nb: *x\n");
        assertThat(root.get("b")).isSameAs(root.get("a"));
    }

    @Test
    void aMergeKeyAddsWhatTheMappingDoesNotSayItself() {
        ConfigNode.Mapping root = (ConfigNode.Mapping) read("""
                first: &first {a: 1, b: 1}
                second: &second {b: 2, c: 2}
                one: {<<: *first, b: 3}
                before: {b: 3, <<: *first}
                many: {<<: [*first, *second], d: 4}
                deep: &deep {<<: *first, e: 5}
                deeper: {<<: *deep}
                inline: {<<: {a: 7}}
                quoted: {'<<': x}
                """);

        assertThat(keys(root.get("one"))).isEqualTo("b=3 a=1");
        assertThat(keys(root.get("before"))).isEqualTo("b=3 a=1");
        assertThat(keys(root.get("many"))).isEqualTo("d=4 a=1 b=1 c=2");
        assertThat(keys(root.get("deeper"))).isEqualTo("e=5 a=1 b=1");
        assertThat(keys(root.get("inline"))).isEqualTo("a=7");
        assertThat(keys(root.get("quoted"))).isEqualTo("<<=x");
        assertThat(((ConfigNode.Mapping) root.get("one")).entries().get("a").keyAt())
                .hasToString("f:1:16");
    }

    private static String keys(ConfigNode node) {
        return ((ConfigNode.Mapping) node)
                .entries().entrySet().stream()
                        .map(entry -> entry.getKey() + "="
                                + ((ConfigNode.Scalar) entry.getValue().value()).text())
                        .collect(Collectors.joining(" "));
    }

    @Test
    void aMergeKeyNeedsMappings() {
        assertThat(report("a: {<<: 1}\n"))
                .isEqualTo("f:1:9: /a/<<: wrong type: a number (expected: a mapping, or a list of mappings)\n");
        assertThat(new YamlReaderTest().report("x: &x {a: 1}\nb: {<<: [*x, 2]}\n"))
                .isEqualTo("f:2:9: /b/<<: wrong type: a list (expected: a mapping, or a list of mappings)\n");
        assertThat(new YamlReaderTest().report("x: &x {a: 1}\nb: {<<: *x, <<: *x}\n"))
                .isEqualTo("f:2:13: /b/<<: duplicate key (expected: one with a list: <<: [*first, *second])\n");
    }

    @Test
    void aFewMergeKeysCannotDescribeBillionsOfValues() {
        StringBuilder text = new StringBuilder("a0: &a0 {%s}\n".formatted(keys("k", 9)));
        for (int i = 1; i < 10; i++) {
            text.append("a%d: &a%d {<<: [%s], k%d: 1}\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(9), i));
        }

        assertThat(report(text.toString()))
                .contains("too many values (expected: at most 500000, aliases counted each time)");
    }

    private static String keys(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + "0" + i + ": 1").collect(Collectors.joining(", "));
    }

    @Test
    void anAliasNeedsACompleteAnchor() {
        assertThat(report("a: *x\n"))
                .isEqualTo("f:1:4: /a: an alias without an anchor"
                        + " (expected: an anchor that is complete before the alias)\n");
        assertThat(new YamlReaderTest().report("a: &x [1, *x]\n"))
                .isEqualTo("f:1:11: /a/1: an alias inside its own anchor"
                        + " (expected: an anchor that is complete before the alias)\n");
    }

    @Test
    void aFewAliasesCannotDescribeBillionsOfValues() {
        // given: nine levels of nine aliases each
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            text.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(9)));
        }

        // then
        assertThat(report(text.toString()))
                .contains("too many values (expected: at most 500000, aliases counted each time)");
    }

    @Test
    void nestingIsBounded() {
        assertThat(report("[".repeat(100_000))).contains("nested too deeply (expected: at most 64 levels)");
    }

    @Test
    void sizeIsBounded() {
        assertThat(report("#".repeat(YamlReader.MAX_CHARACTERS + 1)))
                .isEqualTo("f:1:1: too large (expected: at most 16777216 characters)\n");
    }

    @Test
    void aPointerLeadsToTheNearestPlace() {
        ConfigNode root = read("a:\n  b/c:\n    - 1\n    - x: 2\n");
        Map.of(
                        "", "f:1:1",
                        "/a/b~1c/1/x", "f:4:10",
                        "/a/b~1c/1/y", "f:4:7",
                        "/a/b~1c/7", "f:3:5",
                        "/z/a", "f:1:1")
                .forEach((pointer, place) ->
                        assertThat(Pointers.locate(root, pointer)).as(pointer).hasToString(place));
    }
}
