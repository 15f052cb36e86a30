package dev.sallyport.toolkit.scan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplacingRewriterTest {

    private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(4096);

    private static final int CASES = Integer.getInteger("sallyport.differential.cases", 4_000);

    /**
     * Alphabets, token lengths and text lengths that make overlaps, straddling and near misses the normal case. The shares
     * of the cases are in hundredths.
     */
    @ParameterizedTest
    @CsvSource({
        "100, 2, 1, 7, 40, 6",
        "100, 3, 8, 20, 120, 5",
        "50, 2, 4, 12, 100, 6",
        "75, 2, 8, 40, 300, 8",
        "50, 2, 16, 90, 400, 10",
        "8, 4, 33, 120, 2000, 30",
        "17, 3, 1, 60, 300, 30",
    })
    void anyChunkingGivesWhatReplacingTheWholeGives(
            int share, int alphabet, int shortest, int longest, int textLength, int tokenCount) {
        int cases = CASES * share / 100;
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("differential: seed " + seed + ", " + cases + " cases");
        Random random = new Random(seed);
        int matches = 0;
        for (int i = 0; i < cases; i++) {
            // given
            List<byte[]> tokens = tokens(random, alphabet, shortest, longest, 1 + random.nextInt(tokenCount));
            List<byte[]> replacements = new ArrayList<>();
            tokens.forEach(token -> replacements.add(word(random, alphabet, random.nextInt(5))));
            byte[] text = text(random, alphabet, random.nextInt(textLength), tokens);
            // when
            List<Integer> replaced = new ArrayList<>();
            TokenMatcher matcher = TokenMatcher.of(tokens);
            ReplacingRewriter rewriter = new ReplacingRewriter(matcher, token -> {
                replaced.add(token);
                return replacements.get(token);
            });
            byte[] actual = rewrite(rewriter, text, random, matcher);
            // then
            List<Integer> expectedReplaced = new ArrayList<>();
            byte[] expected = Naive.replace(text, tokens, replacements, expectedReplaced);
            assertThat(actual).as("seed %d case %d", seed, i).isEqualTo(expected);
            assertThat(replaced).as("seed %d case %d", seed, i).isEqualTo(expectedReplaced);
            assertThat(rewriter.changed()).isEqualTo(!replaced.isEmpty());
            matches += replaced.size();
        }
        assertThat(matches).isGreaterThan(cases / 4);
    }

    @Test
    void matchesLeftAloneAreNotTouchedAndShorterOnesInsideThemNeither() {
        // given: "token" is not allowed, "ken" would be
        List<byte[]> tokens = List.of(bytes("token"), bytes("ken"));
        List<Integer> asked = new ArrayList<>();
        ReplacingRewriter rewriter = new ReplacingRewriter(TokenMatcher.of(tokens), token -> {
            asked.add(token);
            return token == 0 ? null : bytes("X");
        });
        Collected out = new Collected();
        // when
        for (String piece : List.of("a tok", "en and ", "ke", "n.")) {
            out.feed(rewriter, ByteBuffer.wrap(bytes(piece)));
        }
        rewriter.end(out);
        // then
        assertThat(out.text()).isEqualTo("a token and X.");
        assertThat(asked).containsExactly(0, 1);
    }

    @Test
    void overlappingPlaceholdersTheLongestAtTheLeftmostPlaceWins() {
        // given
        List<byte[]> tokens = List.of(bytes("PROXY_A"), bytes("PROXY_AB"), bytes("Y_ABCDEFGH"));
        ReplacingRewriter rewriter = new ReplacingRewriter(TokenMatcher.of(tokens), token -> bytes("<" + token + ">"));
        Collected out = new Collected();
        // when: byte by byte
        for (byte value : bytes("PROXY_A PROXY_ABCDEFGH PROX_Y_ABCDEFGH PROXY_A")) {
            out.feed(rewriter, ByteBuffer.wrap(new byte[] {value}));
        }
        rewriter.end(out);
        // then
        assertThat(out.text()).isEqualTo("<0> <1>CDEFGH PROX_<2> <0>");
    }

    @Test
    void whatLiesBetweenTokensIsForwardedWithoutCopy() {
        // given
        String filler = "nothing to see here, move along. ".repeat(1000);
        ReplacingRewriter rewriter = new ReplacingRewriter(
                TokenMatcher.of(List.of(bytes("SALLYPORT_PROXY_GITHUB"))), token -> bytes("real"));
        Collected out = new Collected();
        // when
        out.feed(rewriter, ByteBuffer.wrap(bytes(filler + "SALLYPORT_PROXY_GITHUB" + filler)));
        rewriter.end(out);
        // then
        assertThat(out.text()).isEqualTo(filler + "real" + filler);
        assertThat(out.forwarded()).isEqualTo(2 * filler.length());
    }

    @Test
    void nothingThatCannotBecomeATokenIsHeldBack() {
        // given: a stream of events, of which each must go on at once
        ReplacingRewriter rewriter = new ReplacingRewriter(
                TokenMatcher.of(List.of(bytes("SALLYPORT_PROXY_GITHUB"))), token -> bytes("real"));
        Collected out = new Collected();
        // when
        out.feed(rewriter, ByteBuffer.wrap(bytes("data: one\n\n")));
        // then
        assertThat(out.text()).isEqualTo("data: one\n\n");
        assertThat(rewriter.heldBack()).isZero();
        assertThat(rewriter.changed()).isFalse();
    }

    @Test
    void aPlaceholderOnTheEdgeOfEveryPieceIsReplacedOnce() {
        String placeholder = "SALLYPORT_PROXY_GITHUB";
        byte[] text = bytes("before " + placeholder + " after");
        for (int cut = 0; cut <= text.length; cut++) {
            // given
            ReplacingRewriter rewriter =
                    new ReplacingRewriter(TokenMatcher.of(List.of(bytes(placeholder))), token -> bytes("real"));
            Collected out = new Collected();
            // when
            out.feed(rewriter, ByteBuffer.wrap(text, 0, cut));
            out.feed(rewriter, ByteBuffer.wrap(text, cut, text.length - cut));
            rewriter.end(out);
            // then
            assertThat(out.text()).as("cut at %d", cut).isEqualTo("before real after");
        }
    }

    @Test
    void theLengthIsKnownOnlyWhenReplacementsKeepIt() {
        TokenMatcher matcher = TokenMatcher.of(List.of(bytes("token")));
        assertThat(new ReplacingRewriter(matcher, token -> bytes("x")).length(OptionalLong.of(9)))
                .isEmpty();
        assertThat(new ReplacingRewriter(matcher, token -> bytes("12345"), true).length(OptionalLong.of(9)))
                .hasValue(9);
        assertThat(new ReplacingRewriter(matcher, token -> bytes("12345"), true).length(OptionalLong.empty()))
                .isEmpty();
        assertThat(new ReplacingRewriter(TokenMatcher.of(List.of()), token -> null).length(OptionalLong.of(9)))
                .hasValue(9);
    }

    @Test
    void aReplacementThatBreaksThePromisedLengthIsAnError() {
        ReplacingRewriter rewriter =
                new ReplacingRewriter(TokenMatcher.of(List.of(bytes("token"))), token -> bytes("longer"), true);
        assertThatThrownBy(() -> new Collected().feed(rewriter, ByteBuffer.wrap(bytes("a token"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageNotContaining("longer");
    }

    @Test
    void aLongTokenSentByteByByteIsFoundInLinearTime() {
        // given: a text that is nearly the token over and over
        byte[] token = new byte[200_000];
        Arrays.fill(token, (byte) 'a');
        token[token.length - 1] = 'b';
        ReplacingRewriter rewriter = new ReplacingRewriter(TokenMatcher.of(List.of(token)), any -> bytes("X"));
        Collected out = new Collected();
        // when: quadratic work would be 60 thousand million steps
        byte[] piece = {'a'};
        for (int i = 0; i < 300_000; i++) {
            out.feed(rewriter, ByteBuffer.wrap(piece));
        }
        assertThat(rewriter.heldBack()).isEqualTo(token.length - 1);
        out.feed(rewriter, ByteBuffer.wrap(bytes("b")));
        rewriter.end(out);
        // then
        assertThat(out.bytes()).hasSize(300_001 - 200_000 + 1).endsWith('X');
    }

    private static byte[] rewrite(ReplacingRewriter rewriter, byte[] text, Random random, TokenMatcher matcher) {
        Collected out = new Collected();
        int most = 1 + random.nextInt(random.nextBoolean() ? 4 : 200);
        int at = 0;
        while (at < text.length) {
            int length = Math.min(text.length - at, random.nextInt(most + 1));
            ByteBuffer piece = ByteBuffer.wrap(text, at, length);
            if (random.nextBoolean()) {
                piece = DIRECT.clear().position(1).put(piece).flip().position(1);
            }
            out.feed(rewriter, piece);
            if (piece.hasRemaining() || rewriter.heldBack() >= matcher.maxLength()) {
                throw new AssertionError("left: " + piece.remaining() + ", held back: " + rewriter.heldBack());
            }
            at += length;
        }
        rewriter.end(out);
        return out.bytes();
    }

    static List<byte[]> tokens(Random random, int alphabet, int shortest, int longest, int count) {
        List<byte[]> tokens = new ArrayList<>();
        byte[] common = word(random, alphabet, random.nextInt(shortest + 1));
        for (int i = 0; i < count; i++) {
            int length = shortest + random.nextInt(longest - shortest + 1);
            byte[] token = word(random, alphabet, length);
            if (random.nextBoolean()) {
                System.arraycopy(common, 0, token, 0, Math.min(common.length, length));
            }
            tokens.add(token);
        }
        return tokens;
    }

    static byte[] text(Random random, int alphabet, int length, List<byte[]> tokens) {
        byte[] text = word(random, alphabet, length);
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] token = tokens.get(random.nextInt(tokens.size()));
            int part = random.nextInt(3) == 0 ? random.nextInt(token.length + 1) : token.length;
            if (part <= length) {
                System.arraycopy(token, 0, text, random.nextInt(length - part + 1), part);
            }
        }
        return text;
    }

    private static byte[] word(Random random, int alphabet, int length) {
        byte[] word = new byte[length];
        for (int i = 0; i < length; i++) {
            word[i] = (byte) ('a' + random.nextInt(alphabet));
        }
        return word;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
