package dev.sallyport.toolkit.redact;

import static dev.sallyport.toolkit.redact.Naive.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Collected;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Parts that are cut out of a text with a value in it. */
class PartTest {

    /** No four characters occur twice. */
    private static final String VALUE = "q7Zt/2Lm+Wd9kRx4Vb6_Hn3YpG8sJc";

    private static final String BEFORE = "((((((((((((((((((((((((";
    private static final String AFTER = "))))))))))))))))))))))))";

    /** One less than what is masked. */
    private static final int TOO_SHORT = 3;

    private final Redactor redactor = Redactor.of(List.of(new Redaction(bytes(VALUE), bytes("PLACEHOLDER"))));
    private final AtomicInteger masks = new AtomicInteger();

    private String part(String text, boolean cutBefore, boolean cutAfter, int piece) {
        String now = text;
        if (cutBefore) {
            now = through(redactor.partHead(cutAfter, masks::incrementAndGet), now, piece);
        }
        BodyRewriter main = cutAfter
                ? redactor.part(null, true, found -> masks.addAndGet(found < 0 ? 1 : 0))
                : redactor.counted(found -> {});
        String out = through(main, now, piece);
        assertThat(out).hasSameSizeAs(text);
        return out;
    }

    private static String through(BodyRewriter rewriter, String text, int piece) {
        Collected out = new Collected();
        for (int from = 0; from < text.length(); from += piece) {
            out.feed(rewriter, text.substring(from, Math.min(text.length(), from + piece)));
        }
        rewriter.end(out);
        assertThat(rewriter.changed()).isEqualTo(!out.text().equals(text));
        return out.text();
    }

    /** How many characters of the value stand one after the other in a text, at most. */
    private static int longestPiece(String text, String value) {
        for (int length = value.length(); length > 0; length--) {
            for (int from = 0; from + length <= value.length(); from++) {
                if (text.contains(value.substring(from, from + length))) {
                    return length;
                }
            }
        }
        return 0;
    }

    private static String every(String format) {
        return VALUE.chars().mapToObj(c -> String.format(format, c)).collect(Collectors.joining());
    }

    @Test
    void aValueThatReachesOverAnEdgeIsMaskedThere() {
        for (int piece : new int[] {1, 7, 1000}) {
            for (int cut = 1; cut < VALUE.length(); cut++) {
                String head = part(BEFORE + VALUE.substring(0, cut), false, true, piece);
                String tail = part(VALUE.substring(cut) + AFTER, true, false, piece);

                assertThat(head).startsWith(BEFORE);
                assertThat(tail).endsWith(AFTER);
                assertThat(longestPiece(head, VALUE)).as(head).isLessThanOrEqualTo(TOO_SHORT);
                assertThat(longestPiece(tail, VALUE)).as(tail).isLessThanOrEqualTo(TOO_SHORT);
            }
        }
    }

    @Test
    void aPartInsideOfAValueIsMaskedWhole() {
        for (int from = 0; from < VALUE.length(); from++) {
            for (int to = from + 4; to <= VALUE.length(); to++) {
                assertThat(part(VALUE.substring(from, to), true, true, 3))
                        .as("%s to %s", from, to)
                        .satisfies(out -> assertThat(longestPiece(out, VALUE)).isLessThanOrEqualTo(TOO_SHORT));
            }
        }
    }

    @Test
    void everyFormIsMasked() {
        Map<String, Integer> forms = new LinkedHashMap<>(); // and the characters that TOO_SHORT of the value take
        forms.put(every("%%%02x"), 3);
        forms.put(every("%%%02X"), 3);
        forms.put(every("\\u%04x"), 6);
        forms.put(every("&#%d;"), 6);
        forms.put(every("&#x%x;"), 6);
        forms.put(every("\0%c"), 2);
        forms.put(every("%c\0"), 2);
        forms.put(VALUE.replace("/", "%2F").replace("+", "%2B"), 3);
        for (String before : List.of("", "x", "xx")) {
            forms.put(Base64.getEncoder().encodeToString(bytes(before + VALUE)), 2);
        }
        forms.forEach((form, width) -> {
            for (int cut = 1; cut < form.length(); cut++) {
                String head = part(BEFORE + form.substring(0, cut), false, true, 5);
                String tail = part(form.substring(cut) + AFTER, true, false, 5);

                // With what remains of a cut escape.
                int most = (TOO_SHORT + 2) * width;
                assertThat(longestPiece(head, form)).as(head).isLessThanOrEqualTo(most);
                assertThat(longestPiece(tail, form)).as(tail).isLessThanOrEqualTo(most);
            }
        });
    }

    @Test
    void aWholeValueBetweenTheEdgesIsReplaced() {
        String out = part(BEFORE + VALUE + AFTER, true, true, 11);

        assertThat(out).isEqualTo(BEFORE + "PLACEHOLDER" + "x".repeat(VALUE.length() - 11) + AFTER);
        assertThat(masks).hasValue(0);
    }

    @Test
    void otherTextStaysAsItIs() {
        List<String> texts = new ArrayList<>(List.of("", "a", "{}", "[]", "%", "%4", "&amp", "\\u00", "\0", "a\0"));
        Random random = new Random(17);
        for (int length = 1; length < 3000; length += 97) {
            byte[] some = new byte[length];
            random.nextBytes(some);
            texts.add(new String(some, StandardCharsets.ISO_8859_1));
        }
        for (String text : texts) {
            assertThat(part(text, true, true, 64)).isEqualTo(text);
        }
        assertThat(masks).hasValue(0);
    }

    @Test
    void masksAreCounted() {
        part(VALUE.substring(7) + AFTER, true, true, 100);
        part(BEFORE + VALUE.substring(0, 7), true, true, 100);

        assertThat(masks).hasValue(2);
    }
}
