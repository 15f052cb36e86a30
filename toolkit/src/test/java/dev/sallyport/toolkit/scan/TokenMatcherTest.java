package dev.sallyport.toolkit.scan;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenMatcherTest {

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 8, 13, 16, 32, 50})
    void theFilterFindsWhatTheAutomatonAloneFinds(int shortest) {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("filter and automaton, from " + shortest + ": seed " + seed);
        Random random = new Random(seed);
        int found = 0;
        for (int i = 0; i < 2000; i++) {
            // given: one more token of one byte, which is nowhere in the text, switches the filter off
            List<byte[]> tokens =
                    ReplacingRewriterTest.tokens(random, 3, shortest, shortest + 60, 1 + random.nextInt(20));
            List<byte[]> withShort = new ArrayList<>(tokens);
            withShort.add(new byte[] {'!'});
            byte[] text = ReplacingRewriterTest.text(random, 3, random.nextInt(700), tokens);
            // when
            List<String> filtered = all(TokenMatcher.of(tokens), text);
            List<String> walked = all(TokenMatcher.of(withShort), text);
            // then
            assertThat(filtered).as("seed %d case %d", seed, i).isEqualTo(walked);
            found += filtered.size();
        }
        assertThat(found).isPositive();
    }

    @Test
    void textsAndBuffersAndPartsOfThemGiveTheSame() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("texts and buffers: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            // given
            List<byte[]> tokens = ReplacingRewriterTest.tokens(random, 3, 1 + random.nextInt(12), 20, 8);
            byte[] text = ReplacingRewriterTest.text(random, 3, 1 + random.nextInt(100), tokens);
            int from = random.nextInt(text.length);
            TokenMatcher matcher = TokenMatcher.of(tokens);
            ByteBuffer direct = ByteBuffer.allocateDirect(text.length + 9)
                    .position(9)
                    .put(text)
                    .flip()
                    .position(9)
                    .slice()
                    .asReadOnlyBuffer();
            // when
            Match inBytes = new Match();
            Match inBuffer = new Match();
            Match inText = new Match();
            boolean found = matcher.find(text, from, text.length, inBytes);
            // then
            assertThat(matcher.find(direct, from, text.length, inBuffer)).isEqualTo(found);
            assertThat(matcher.find(new String(text, ISO_8859_1), from, inText)).isEqualTo(found);
            assertThat(inBytes.token()).isEqualTo(expectedToken(text, from, tokens));
            if (found) {
                assertThat(inBuffer.token()).isEqualTo(inBytes.token());
                assertThat(inBuffer.start()).isEqualTo(inBytes.start());
                assertThat(inBuffer.end()).isEqualTo(inBytes.end());
                assertThat(inText.token()).isEqualTo(inBytes.token());
                assertThat(inText.start()).isEqualTo(inBytes.start());
                assertThat(inText.end()).isEqualTo(inBytes.end());
            }
        }
    }

    @Test
    void aMatchInsideTheRangeOnlyCounts() {
        TokenMatcher matcher = TokenMatcher.of(List.of(bytes("PLACEHOLDER_OF_SIXTEEN")));
        byte[] text = bytes("xxPLACEHOLDER_OF_SIXTEENxx");
        Match match = new Match();
        assertThat(matcher.find(text, 2, text.length - 2, match)).isTrue();
        assertThat(match.start()).isEqualTo(2);
        assertThat(match.end()).isEqualTo(text.length - 2);
        assertThat(matcher.find(text, 3, text.length, match)).isFalse();
        assertThat(matcher.find(text, 0, text.length - 3, match)).isFalse();
        assertThat(match.token()).isEqualTo(-1);
    }

    @Test
    void thousandsOfTokensWithACommonPrefixAreToldApart() {
        // given
        List<byte[]> tokens = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            tokens.add(bytes("SALLYPORT_PROXY_SERVICE_" + i));
        }
        TokenMatcher matcher = TokenMatcher.of(tokens);
        // then
        assertThat(matcher.indexIn("Bearer SALLYPORT_PROXY_SERVICE_4711")).isEqualTo(4711);
        assertThat(matcher.indexIn("Bearer SALLYPORT_PROXY_SERVICE_47110")).isEqualTo(4711);
        assertThat(matcher.indexIn("Bearer SALLYPORT_PROXY_SERVICE_x")).isEqualTo(-1);
        assertThat(matcher.indexIn("SALLYPORT_PROXY_SALLYPORT_PROXY_SERVICE_7")).isEqualTo(7);
    }

    @Test
    void replaceReturnsTheSameInstanceWhenNothingMatched() {
        TokenMatcher matcher = TokenMatcher.of(List.of(bytes("token"), bytes("other")));
        String text = "nothing here";
        assertThat(matcher.replace(text, List.of("a", "b"))).isSameAs(text);
        assertThat(matcher.replace("token, other; token", List.of("a", "bb"))).isEqualTo("a, bb; a");
    }

    @Test
    void charactersBeyondLatin1ArePartOfNoToken() {
        // given: U+0174 would be 't' if it were cut to a byte
        TokenMatcher matcher = TokenMatcher.of(List.of(bytes("token")));
        assertThat(matcher.matches("\u0174oken")).isFalse();
        assertThat(matcher.replace("\u0174token\u0174", List.of("x"))).isEqualTo("\u0174x\u0174");
    }

    @Test
    void tokensOfAnyBytesAreFound() {
        TokenMatcher matcher =
                TokenMatcher.of(List.of(new byte[16], new byte[] {-1, -1, -1, -1, -1, -1, -1, -1}, bytes("é€")));
        Match match = new Match();
        assertThat(matcher.find(new byte[20], 0, 20, match)).isTrue();
        assertThat(match.token()).isZero();
        assertThat(matcher.find(new byte[] {1, -1, -1, -1, -1, -1, -1, -1, -1}, 0, 9, match))
                .isTrue();
        assertThat(match.token()).isEqualTo(1);
        assertThat(matcher.indexIn(new String(bytes("aé€"), ISO_8859_1))).isEqualTo(2);
    }

    @Test
    void ofEqualTokensTheFirstIsReported() {
        TokenMatcher matcher = TokenMatcher.of(List.of(bytes("xx"), bytes("token"), bytes("token")));
        assertThat(matcher.indexIn("a token")).isEqualTo(1);
    }

    @Test
    void withoutTokensNothingIsFound() {
        TokenMatcher matcher = TokenMatcher.of(List.of());
        assertThat(matcher.isEmpty()).isTrue();
        assertThat(matcher.matches("anything")).isFalse();
        assertThat(matcher.find(bytes("anything"), 0, 8, new Match())).isFalse();
        assertThat(matcher.maxLength()).isZero();
    }

    @Test
    void emptyAndOverlongTokensAreRefused() {
        assertThatThrownBy(() -> TokenMatcher.of(List.of(new byte[0])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token: empty (expected: at least one byte)");
        assertThatThrownBy(() -> TokenMatcher.of(List.of(new byte[TokenMatcher.MAX_TOTAL_LENGTH + 1])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static List<String> all(TokenMatcher matcher, byte[] text) {
        List<String> found = new ArrayList<>();
        Match match = new Match();
        int at = 0;
        while (matcher.find(text, at, text.length, match)) {
            found.add(match.token() + "@" + match.start() + "-" + match.end());
            at = match.end();
        }
        return found;
    }

    private static int expectedToken(byte[] text, int from, List<byte[]> tokens) {
        for (int at = from; at < text.length; at++) {
            int token = Naive.longestAt(text, at, tokens);
            if (token >= 0) {
                return token;
            }
        }
        return -1;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
