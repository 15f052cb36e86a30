package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlReaderTest {

    private final Findings findings = new Findings();

    private Node read(String text) {
        return YamlReader.read("f", text, findings);
    }

    private String report(String text) {
        read(text);
        return ConfigReport.of(findings.problems());
    }

    @Test
    void keysAndValuesHavePlaces() {
        // given
        Node.Mapping root = (Node.Mapping) read("# comment\na:\n  - x\n  -  b: \"ü\"\n     c: [1, 2]\n");

        // then
        assertThat(root.at()).hasToString("f:2:1");
        assertThat(root.entries().get("a").keyAt()).hasToString("f:2:1");
        Node.Sequence list = (Node.Sequence) root.get("a");
        assertThat(list.items().get(0).at()).hasToString("f:3:5");
        Node.Mapping inner = (Node.Mapping) list.items().get(1);
        assertThat(inner.entries().get("c").keyAt()).hasToString("f:5:6");
        assertThat(((Node.Sequence) inner.get("c")).items().get(1).at()).hasToString("f:5:13");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "x, STRING", "no, STRING", "off, STRING", "yes, STRING", "'1', STRING", "\"true\", STRING",
                        "!!str 1, STRING",
                "1, INTEGER", "-12, INTEGER", "0x1F, INTEGER", "0o17, INTEGER", "1_000, STRING", "1.5, FLOAT",
                        "1e3, FLOAT",
                "-.5, FLOAT", ".inf, STRING", "true, BOOLEAN", "FALSE, BOOLEAN", "null, NULL", "~, NULL", "``, NULL",
                "12:30:45, STRING", "2001-01-01, STRING", "30s, STRING", "1.2.3.4, STRING", ":80, STRING", "-, STRING"
            })
    void scalarsHaveTheTypesOfTheCoreSchema(String text, Node.Type type) {
        // "-" alone would begin a list
        Node.Mapping root = (Node.Mapping) read("k: " + (text.equals("-") ? "'-'" : text));
        assertThat(((Node.Scalar) root.get("k")).type()).isEqualTo(type);
    }

    @Test
    void jsonIsYaml() {
        Node.Mapping root = (Node.Mapping) read("{\"a\": {\"b\": [1, \"x\\u00fc\", null]},\n \"c\": true}");
        assertThat(root.entries().keySet()).containsExactly("a", "c");
        assertThat(findings.problems()).isEmpty();
    }

    @Test
    void nothingIsAnEmptyMapping() {
        for (String text : new String[] {"", "\n# only a comment\n", "---\n", "~", "\uFEFF"}) {
            assertThat(((Node.Mapping) read(text)).entries()).isEmpty();
        }
        assertThat(findings.problems()).isEmpty();
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(((Node.Mapping) read("\uFEFFa: 1")).get("a").at()).hasToString("f:1:4");
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
                        "f:3:2: not well-formed YAML while parsing a flow sequence: expected ',' or ']', but got :\n");
    }

    @Test
    void aTabIsReportedAtItsPlace() {
        assertThat(report("a:\n\tb: 1\n")).startsWith("f:2:1: not well-formed YAML");
    }

    @Test
    void aCharacterThatNoDocumentMayHoldIsReportedAtItsPlace() {
        assertThat(report("a: 1\nb: ü\u0001"))
                .isEqualTo("f:2:5: not well-formed YAML: a character that no document may hold"
                        + " (expected: printable characters)\n");
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
        Node.Mapping root = (Node.Mapping) read("a: &x [1, 2]\nb: *x\n");
        assertThat(root.get("b")).isSameAs(root.get("a"));
    }

    @Test
    void anAliasNeedsACompleteAnchor() {
        assertThat(report("a: *x\n"))
                .isEqualTo("f:1:4: /a: an alias without an anchor"
                        + " (expected: an anchor that is complete before the alias)\n");
        assertThat(new YamlReaderTest().report("a: &x [1, *x]\n"))
                .isEqualTo("f:1:11: /a/1: an alias inside of what it stands for"
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
        Node root = read("a:\n  b/c:\n    - 1\n    - x: 2\n");
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
