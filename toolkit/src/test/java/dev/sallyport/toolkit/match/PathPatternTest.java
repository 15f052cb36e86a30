package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {

    @Test
    void trailingSlashStar_isThePrefixAtAnyDepth_andThePrefixItself() {
        PathPattern pattern = PathPattern.parse("/v1/*");
        assertThat(List.of("/v1", "/v1/", "/v1/a", "/v1/a/b", "/v1//")).allMatch(pattern::matches);
        assertThat(List.of("/v1x", "/", "/v2", "", "*", "v1", "/V1/a")).noneMatch(pattern::matches);
    }

    @Test
    void elsewhere_starStaysInsideOneSegment() {
        PathPattern pattern = PathPattern.parse("/repos/*/issues");
        assertThat(List.of("/repos/a/issues", "/repos//issues")).allMatch(pattern::matches);
        assertThat(List.of("/repos/a/b/issues", "/repos/issues", "/repos/a/issues/", "/repos/a/issues/1"))
                .noneMatch(pattern::matches);
        PathPattern part = PathPattern.parse("/v*.json");
        assertThat(part.matches("/v1.json")).isTrue();
        assertThat(part.matches("/v1/x.json")).isFalse();
    }

    @Test
    void slashStar_isAnyPath() {
        assertThat(List.of("/", "/a", "/a/b", "*", "")).allMatch(PathPattern.parse("/*")::matches);
    }

    @Test
    void withoutStar_thePathIsComparedAsItIs() {
        assertThat(PathPattern.parse("/").matches("/")).isTrue();
        assertThat(PathPattern.parse("/").matches("/a")).isFalse();
        assertThat(PathPattern.parse("/a/").matches("/a")).isFalse();
        assertThat(PathPattern.parse("/a/").matches("/a/")).isTrue();
        assertThat(PathPattern.parse("/über 1").matches("/über 1")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "v1", "*", "/a?b=1", "/a#b", "/a%20b", "/a/../b", "/a/.", "/./*", "/..", "/a\\b", "/a\0", "/v1/**",
                "/a\nb"
            })
    void aPatternThatNoPathIsComparedWith_isAnError(String pattern) {
        assertThatExceptionOfType(InvalidPatternException.class)
                .isThrownBy(() -> PathPattern.parse(pattern))
                .satisfies(e -> assertThat(e.expected()).isNotBlank());
    }

    @Test
    void aPercentSignThatIsNoEscape_isLiteral() {
        assertThat(PathPattern.parse("/100%").matches("/100%")).isTrue();
    }
}
