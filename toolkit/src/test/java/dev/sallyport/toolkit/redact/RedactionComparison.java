package dev.sallyport.toolkit.redact;

import static dev.sallyport.toolkit.redact.Naive.bytes;
import static dev.sallyport.toolkit.redact.Naive.hex;
import static dev.sallyport.toolkit.redact.Naive.latin1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Collected;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Any chunking of any mixture of forms gives what a plain redaction of the whole gives. */
final class RedactionComparison {

    private static final int CASES = Integer.getInteger("sallyport.differential.cases", 1_500);

    private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(4096);
    private static final String[] SCRAPS = {
        "\\",
        "\\\\",
        "\\u",
        "\\u00",
        "\\ud83d",
        "\\ude00",
        "\\n",
        "%",
        "%2",
        "%%",
        "+",
        "&",
        "&#",
        "&#x",
        "&amp;",
        "&lt",
        ";",
        "&#x1F600;",
        "0",
        "a",
        "b",
        "\"",
        "/",
        " ",
        "AAAA",
        "==",
        "\0",
        "\0\0",
        "\0a"
    };

    private RedactionComparison() {}

    /**
     * Compares.
     *
     * @param share of all cases, in hundredths: the smaller the alphabet, the more there is to be found in a little time
     * @param longest the most characters of a value
     */
    static void compare(int share, String alphabet, int longest) {
        int cases = CASES * share / 100;
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("redaction differential: seed " + seed + ", " + cases + " cases");
        Random random = new Random(seed);
        int matches = 0;
        for (int i = 0; i < cases; i++) {
            // given
            List<Redaction> redactions = redactions(random, alphabet, longest);
            byte[] text = bytes(text(random, alphabet, redactions));
            // when
            List<Integer> found = new ArrayList<>();
            Redactor redactor = Redactor.of(redactions);
            byte[] actual = redact(redactor.body(null, found::add), text, random);
            // then
            List<Integer> expectedFound = new ArrayList<>();
            byte[] expected = new Naive(redactions).redact(text, expectedFound);
            if (!latin1(actual).equals(latin1(expected))) {
                String values =
                        redactions.stream().map(c -> latin1(c.value())).toList().toString();
                assertThat(latin1(actual))
                        .as("seed %d case %d: %s of %s", seed, i, latin1(text), values)
                        .isEqualTo(latin1(expected));
            }
            assertThat(found).as("seed %d case %d", seed, i).isEqualTo(expectedFound);
            assertThat(bytes(redactor.text(latin1(text), redaction -> {}))).isEqualTo(expected);
            matches += found.size();
        }
        assertThat(matches).isGreaterThan(cases / 2);
    }

    private static byte[] redact(BodyRewriter rewriter, byte[] text, Random random) {
        Collected out = new Collected();
        int most = 1 + random.nextInt(random.nextBoolean() ? 4 : 100);
        for (int at = 0; at < text.length; ) {
            int length = Math.min(text.length - at, random.nextInt(most + 1));
            ByteBuffer piece = ByteBuffer.wrap(text, at, length);
            if (random.nextBoolean()) {
                piece = DIRECT.clear().position(1).put(piece).flip().position(1);
            }
            out.feed(rewriter, piece);
            if (piece.hasRemaining()) {
                throw new AssertionError("left: " + piece.remaining());
            }
            at += length;
        }
        rewriter.end(out);
        return out.bytes();
    }

    private static List<Redaction> redactions(Random random, String alphabet, int longest) {
        List<Redaction> redactions = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int length = Redactor.MIN_LENGTH + random.nextInt(longest - Redactor.MIN_LENGTH + 1);
            byte[] value = bytes(word(random, alphabet, length));
            if (!redactions.isEmpty() && random.nextBoolean()) {
                byte[] other = redactions.getFirst().value();
                System.arraycopy(other, 0, value, 0, Math.min(5, other.length));
            }
            redactions.add(new Redaction(value, bytes(random.nextBoolean() ? "P" + i : "<\"" + i + "/&>")));
        }
        return redactions;
    }

    private static String text(Random random, String alphabet, List<Redaction> redactions) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i >= 0; i--) {
            String value =
                    latin1(redactions.get(random.nextInt(redactions.size())).value());
            String form = switch (random.nextInt(13)) {
                case 0 -> word(random, alphabet, random.nextInt(12));
                case 1 -> SCRAPS[random.nextInt(SCRAPS.length)] + SCRAPS[random.nextInt(SCRAPS.length)];
                case 2 -> value;
                case 3 -> base64(random, value);
                case 4 -> escaped(random, base64(random, value), random.nextInt(3));
                case 5 -> escaped(random, Naive.json(value), random.nextInt(3));
                case 6 -> escaped(random, Naive.percent(bytes(value)), random.nextInt(3));
                case 7 -> Naive.utf16(value, random.nextBoolean()) + "\0".repeat(random.nextInt(2));
                case 8 -> base64(random, base64(random, value));
                case 9 -> base64(random, Naive.json(value));
                case 10 -> base64(random, Naive.percent(bytes(value)));
                case 11 -> Naive.utf16(base64(random, value), random.nextBoolean());
                default -> escaped(random, value, random.nextInt(3));
            };
            boolean cut = random.nextInt(4) == 0;
            text.append(cut ? form.substring(0, random.nextInt(form.length() + 1)) : form);
        }
        return text.toString();
    }

    private static String base64(Random random, String value) {
        byte[] whole = bytes("x".repeat(random.nextInt(4)) + value + "y".repeat(random.nextInt(4)));
        Base64.Encoder encoder = random.nextBoolean() ? Base64.getEncoder() : Base64.getUrlEncoder();
        return (random.nextBoolean() ? encoder : encoder.withoutPadding()).encodeToString(whole);
    }

    /** Escapes some characters in any of the ways of one kind; the characters are bytes. */
    private static String escaped(Random random, String text, int kind) {
        StringBuilder out = new StringBuilder();
        int odds = 1 + random.nextInt(4);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean upper = random.nextBoolean();
            boolean must = kind == 0 && (c == '"' || c == '\\');
            if (!must && random.nextInt(odds) != 0) {
                out.append(c);
                continue;
            }
            out.append(
                    switch (kind) {
                        case 0 -> must && random.nextBoolean() ? "\\" + c : "\\u00" + hex(c, upper);
                        case 1 -> c == ' ' && random.nextBoolean() ? "+" : "%" + hex(c, upper);
                        default ->
                            switch (random.nextInt(3)) {
                                case 0 -> "&#" + "0".repeat(random.nextInt(3)) + (int) c + ";";
                                case 1 -> "&#" + (upper ? "X" : "x") + hex(c, random.nextBoolean()) + ";";
                                default -> Naive.html("" + c);
                            };
                    });
        }
        return out.toString();
    }

    private static String word(Random random, String alphabet, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }
}
