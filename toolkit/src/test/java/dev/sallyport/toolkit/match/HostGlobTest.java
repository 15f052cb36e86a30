package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostGlobTest {

    @Test
    void star_matchesAnyHost() {
        HostGlob any = HostGlob.parse("*");
        assertThat(List.of("example.com", "localhost", "10.0.0.1", "::1")).allMatch(any::matches);
    }

    @Test
    void starDot_matchesEverySubdomainAtAnyDepth_andTheApex() {
        HostGlob glob = HostGlob.parse("*.example.com");
        assertThat(List.of("example.com", "a.example.com", "a.b.c.example.com")).allMatch(glob::matches);
        assertThat(List.of("com", "notexample.com", "example.com.evil.org", "xexample.com", "example.org"))
                .noneMatch(glob::matches);
    }

    @Test
    void anyOtherStar_isARunOfCharactersInsideOneLabel() {
        HostGlob glob = HostGlob.parse("api-*.example.com");
        assertThat(List.of("api-.example.com", "api-eu.example.com")).allMatch(glob::matches);
        assertThat(List.of("api.example.com", "api-eu.x.example.com", "x.api-eu.example.com", "example.com"))
                .noneMatch(glob::matches);
        HostGlob middle = HostGlob.parse("a.*.example.com");
        assertThat(middle.matches("a.b.example.com")).isTrue();
        assertThat(middle.matches("a.b.c.example.com")).isFalse();
        assertThat(middle.matches("a.example.com")).isFalse();
    }

    @Test
    void questionMark_isOneCharacter() {
        HostGlob glob = HostGlob.parse("s?.example.com");
        assertThat(glob.matches("s1.example.com")).isTrue();
        assertThat(List.of("s.example.com", "s12.example.com", "s.1.example.com"))
                .noneMatch(glob::matches);
    }

    @Test
    void secretHosts_questionMarkStarDot_isExactlyOneNonEmptyLabel() {
        HostGlob glob = HostGlob.parse("?*.example.com");
        assertThat(List.of("a.example.com", "abc.example.com")).allMatch(glob::matches);
        assertThat(List.of("example.com", "a.b.example.com")).noneMatch(glob::matches);
    }

    @ParameterizedTest
    @CsvSource({
        "Example.COM, example.com",
        "example.com., example.com",
        "*.Example.COM., *.example.com",
        "*.bücher.example, *.xn--bcher-kva.example",
        "[2001:DB8::1], 2001:db8::1",
        "10.1.2.3, 10.1.2.3",
        "::ffff:10.1.2.3, 10.1.2.3",
    })
    void patterns_areMadeCanonicalLikeHosts(String pattern, String canonical) {
        assertThat(HostGlob.parse(pattern).text()).isEqualTo(canonical);
    }

    @Test
    void anAddress_isNamedExactly() {
        assertThat(HostGlob.parse("10.1.2.3").matches("10.1.2.3")).isTrue();
        assertThat(HostGlob.parse("10.1.2.3").matches("10.1.2.4")).isFalse();
        assertThat(HostGlob.parse("[::1]").matches("::1")).isTrue();
    }

    @Test
    void addresses_haveNoLabels_soThatOnlyStarMatchesThemAll() {
        for (String pattern : List.of("*.*", "?*", "?*.?*.?*.?*", "*.?")) {
            assertThat(HostGlob.parse(pattern).matches("10.1.2.3")).as(pattern).isFalse();
            assertThat(HostGlob.parse(pattern).matches("2001:db8::1"))
                    .as(pattern)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', empty",
        "https://example.com, scheme",
        "example.com/v1, slash",
        "10.0.0.0/8, slash",
        "example.com:443, port",
        "*:443, port",
        "[::1]:443, port",
        "user@example.com, user information",
        "exa mple.com, character",
        "'*.exa mple.com', character",
        "**, **",
        "**.example.com, **",
        "a..b, empty label",
        "*..com, empty label",
        "'*.', empty label",
        ".example.com, empty label",
        "bü*.example, wildcard in a label",
        "10.0.0.*, wildcards in an address",
        "10.*, wildcards in an address",
        "'*.0.0.1', wildcards in an address",
        "192.168.?.1, wildcards in an address",
        "127.1, ends in a number",
        "example.com%00, character",
        "'*.exa[m]ple.com', character",
        "'*.exa$mple.com', character",
    })
    void aMalformedPattern_isAConfigurationError_neverASilentNonMatch(String pattern, String reason) {
        assertThatExceptionOfType(InvalidPatternException.class)
                .isThrownBy(() -> HostGlob.parse(pattern))
                .satisfies(e -> assertThat(e.reason()).contains(reason))
                .satisfies(e -> assertThat(e.expected()).isNotBlank());
    }

    @Test
    void manyPatterns_giveTheFirstThatMatches_andReportEveryProblem() {
        List<String> problems = new ArrayList<>();
        HostGlobs globs = HostGlobs.compile(
                List.of("*.internal", "a*.example.com", "x:1", "*.example.com"),
                (pointer, message, expected) -> problems.add(pointer),
                "/passthrough");
        assertThat(problems).containsExactly("/passthrough/2");
        assertThat(globs.first("db.internal")).isZero();
        assertThat(globs.first("api.example.com")).isEqualTo(1);
        assertThat(globs.first("example.com")).isEqualTo(3);
        assertThat(globs.matches("example.org")).isFalse();
        assertThat(globs.matches("10.0.0.1")).isFalse();
        assertThat(globs.isEmpty()).isFalse();
    }
}
