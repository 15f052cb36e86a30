package dev.sallyport.toolkit.headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.toolkit.match.InvalidPatternException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderPatternsTest {

    @ParameterizedTest
    @CsvSource({
        "x-request-id, X-Request-Id",
        "X-REQUEST-ID, X-Request-Id",
        "content-md5, Content-Md5",
        "www-authenticate, Www-Authenticate",
        "a--b-, A--B-",
        "-x, -X",
        "1a-2b, 1a-2b",
        "not a name, not a name",
        "x_y-z, X_y-Z",
        "straße, straße",
    })
    void names_areMadeCanonical(String name, String canonical) {
        assertThat(HeaderNames.canonical(name)).isEqualTo(canonical);
        assertThat(HeaderNames.canonical(canonical)).isSameAs(canonical);
    }

    @Test
    void aLiteral_isComparedWithoutCase_asAWhole() {
        HeaderPattern pattern = HeaderPattern.parse("X-Api-Key");
        assertThat(pattern.literal()).isTrue();
        assertThat(pattern.text()).isEqualTo("X-Api-Key");
        assertThat(List.of("x-api-key", "X-API-KEY")).allMatch(pattern::matches);
        assertThat(List.of("x-api-key2", "api-key")).noneMatch(pattern::matches);
    }

    @Test
    void aRegex_isCaseInsensitive_unanchored_andSeesTheCanonicalName() {
        HeaderPattern pattern = HeaderPattern.parse("/^x-.*token/");
        assertThat(pattern.literal()).isFalse();
        assertThat(List.of("X-My-Token", "x-TOKEN-2")).allMatch(pattern::matches);
        assertThat(List.of("My-X-Token", "x-tok")).noneMatch(pattern::matches);
        assertThat(HeaderPattern.parse("/(?-i)Request-Id$/").matches("x-request-id"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x y", "/", "//", "/x", "/(/", "/a(?=b)/", "x/", "x:", "naïve"})
    void aMalformedPattern_isAConfigurationError(String entry) {
        assertThatExceptionOfType(InvalidPatternException.class)
                .isThrownBy(() -> HeaderPattern.parse(entry))
                .satisfies(e -> assertThat(e.expected()).isNotBlank());
    }

    @Test
    void aList_matchesWhenAnyDoes_beforeAndAfterItRemembers() {
        HeaderPatterns patterns = parse("Authorization", "cookie", "/^x-/", "/-key$/");
        for (int round = 0; round < 3; round++) {
            assertThat(List.of("authorization", "COOKIE", "X-Any", "api-key")).allMatch(patterns::matches);
            assertThat(List.of("Authorizatio", "y-x", "key", "api-keys")).noneMatch(patterns::matches);
        }
        assertThat(patterns.patterns()).hasSize(4);
    }

    @Test
    void whatIsRemembered_isBounded_andNeverMixedUp() {
        HeaderPatterns patterns = parse("/7$/");
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 5000; i++) {
                assertThat(patterns.matches("name-" + i)).isEqualTo(i % 10 == 7);
            }
        }
        assertThat(patterns.matches("x".repeat(5000) + "7")).isTrue();
    }

    @Test
    void anEmptyList_matchesNothing() {
        assertThat(parse().isEmpty()).isTrue();
        assertThat(parse().matches("X")).isFalse();
    }

    @Test
    void everyProblem_isReportedAtItsPlace() {
        List<String> pointers = new ArrayList<>();
        HeaderPatterns.parse(
                List.of("ok", "not ok", "/(/"), (pointer, message, expected) -> pointers.add(pointer), "/headers");
        assertThat(pointers).containsExactly("/headers/1", "/headers/2");
    }

    private static HeaderPatterns parse(String... entries) {
        return HeaderPatterns.parse(
                List.of(entries),
                (pointer, message, expected) -> {
                    throw new AssertionError(pointer + message);
                },
                "/headers");
    }
}
