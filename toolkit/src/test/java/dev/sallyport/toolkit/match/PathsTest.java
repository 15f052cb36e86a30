package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/.",
                "/..",
                "/a/./b",
                "/a/../b",
                "/a/..",
                "/%2e",
                "/%2E%2e/a",
                "/.%2e",
                "/a/%2e%2e%2fb",
                "/a%2f..",
                "/..;/a",
                "/a/..;x=1/b",
                "/.;",
                "..",
                "%2e"
            })
    void dotSegments_alsoPercentEncoded_areFound(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.DOT_SEGMENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a\\b", "/a%5cb", "/a%5C..%5Cb", "/\\", "/a/..\\b", "/%5c"})
    void backslashes_alsoPercentEncoded_areFound(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.BACKSLASH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a\0", "/a%00", "/%00/b", "/a/../%00", "/%zz%00", "/\\%00"})
    void nul_alsoPercentEncoded_isRefused(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.NUL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "",
                "*",
                "/a/b",
                "/...",
                "/.a",
                "/a.",
                "/..a",
                "/a..",
                "/.well-known/x",
                "/%252e%252e/a",
                "/%252e",
                "/%255c",
                "/%2500",
                "/a%2Fb",
                "/a;..",
                "/a%20b",
                "/%c3%bc",
                "/a;v=1/b",
                "/%25",
                "/....//"
            })
    void whatIsUnambiguous_passes_andEscapesAreDecodedOnce(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%", "/%2", "/%zz", "/%2g", "/a%", "/100%/x"})
    void malformedEscapes_areFound_andStayAsTheyAre(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.MALFORMED_ESCAPE);
        assertThat(Paths.decode(path)).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%ff", "/%c0%ae%c0%ae/a", "/%c0%af", "/%e0%80%af", "/%ed%a0%80", "/%c3", "/\u00fc"})
    void whatIsNotUtf8_overlongFormsIncluded_isFound(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.NOT_UTF8);
        assertThat(Paths.decode(path)).contains("\uFFFD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a b", "/a\tb", "/a\r\nb", "/a\u007f", "/a#b", "/a?b", "/\u0416", "/%٤1"})
    void rawCharactersThatAPathCannotHold_areRefused(String path) {
        assertThat(Paths.check(path)).isEqualTo(PathProblem.INVALID_CHARACTER);
        assertThat(PathProblem.INVALID_CHARACTER.reason()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "/a%20b, /a b",
        "/%C3%BCber, /über",
        "/a%2Fb, /a/b",
        "/%252e, /%2e",
        "/%F0%9F%98%80, /\uD83D\uDE00",
        "/%3F%23, /?#",
    })
    void paths_areDecodedAsUtf8(String raw, String decoded) {
        assertThat(Paths.decode(raw)).isEqualTo(decoded);
    }

    @Test
    void rawOctets_areReadAsUtf8() {
        assertThat(Paths.decode("/\u00c3\u00bc")).isEqualTo("/ü");
    }

    @Test
    void aPathWithoutEscapes_isReturnedAsItIs() {
        String path = "/v1/users";
        assertThat(Paths.decode(path)).isSameAs(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "*", "/a.b/c~d/e;f", "//", "/a..", "/$&'()+,=:@!"})
    void whatHasNoOtherReading_isPlainlyRead(String path) {
        assertThat(Paths.isPlainlyRead(path)).isTrue();
        assertThat(Paths.check(path)).isEqualTo(PathProblem.NONE);
    }

    @ParameterizedTest
    @CsvSource({"/caf\u00c3\u00a9?q=\u00ff, /caf%C3%A9?q=%FF", "/a%zz, /a%zz", "/\u0080\u00ff, /%80%FF"})
    void octetsOverAscii_areEncoded(String target, String encoded) {
        assertThat(Paths.encodeOctets(target)).isEqualTo(encoded);
    }

    @Test
    void encodedSlashes_areFound() {
        assertThat(Paths.hasEncodedSlash("/a%2fb")).isTrue();
        assertThat(Paths.hasEncodedSlash("/a%2Fb")).isTrue();
        assertThat(Paths.hasEncodedSlash("/a%252Fb")).isFalse();
        assertThat(Paths.hasEncodedSlash("/a/b")).isFalse();
        assertThat(Paths.hasEncodedSlash("/%2")).isFalse();
    }
}
