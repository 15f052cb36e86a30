package dev.sallyport.toolkit.redact;

import static dev.sallyport.toolkit.redact.Naive.bytes;
import static dev.sallyport.toolkit.redact.Naive.latin1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Collected;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

    private static final String VALUE = "s3cr3t/+\"va\\lue\"<&>'\u00E9";
    private static final String PLACEHOLDER = "PLACE \"HOLDER\"";

    private final List<Integer> found = new ArrayList<>();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "plain-value-1|a plain-value-1 b|a <PH> b",
                "plain-value-1|plain%2Dvalue%2d1|%3CPH%3E",
                "plain-value-1|%70%6C%61%69%6E%2D%76%61%6C%75%65%2D%31|%3CPH%3E",
                "plain value+1|plain+value%2B1|%3CPH%3E",
                "plain value+1|plain%20value+1|%3CPH%3E",
                "plain-value-1|plain\\u002dvalue\\u002D1|<PH>",
                "plain/value/1|plain\\/value/1|<PH>",
                "plain\"value\\1|plain\\\"value\\\\1|<PH>",
                "plain\"value\\1|plain\\\\\\\"value\\\\\\\\1|<PH>",
                "plain&value<1|plain&amp;value&lt;1|&lt;PH&gt;",
                "plain&value<1|plain&#38;value&#x3C;1|&lt;PH&gt;",
                "plain'value\"1|plain&#039;value&#X0022;1|&lt;PH&gt;",
                "plain'value\"1|plain&APOS;value&QUOT;1|&lt;PH&gt;",
                "plain/value-1|next=%2Fx%3Ft%3Dplain%252Fvalue-1|next=%2Fx%3Ft%3D%253CPH%253E",
                "plain/value-1|plain%252fvalue%2d1|%253CPH%253E",
            })
    void everyEscapingIsSeenThroughAndWrittenAgain(String value, String before, String after) {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes(value), bytes("<PH>"))));

        assertThat(redactor.text(before, found::add)).isEqualTo(after);
        assertThat(found).containsExactly(0);
        assertThat(redactor.finds(before)).isTrue();
        assertThat(redactor.finds(after)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%%%02x", "\\u%04x", "&#%d;", "\0%c"})
    void fewEscapesAnywhereInAValueAreSeenThrough(String notation) {
        String value = "q7XkB2wZ9LmT4";
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes(value), bytes("PH"))));
        for (int at = 0; at < value.length(); at++) {
            for (int other = at; other < Math.min(at + 4, value.length()); other++) {
                StringBuilder text = new StringBuilder("; ");
                for (int i = 0; i < value.length(); i++) {
                    boolean escaped = i == at || i == other;
                    text.append(escaped ? notation.formatted((int) value.charAt(i)) : value.charAt(i));
                }
                text.append(" ;");
                for (int cut = 0; cut < text.length(); cut++) {
                    BodyRewriter rewriter = redactor.body(null, found::add);
                    Collected out = new Collected()
                            .feed(rewriter, text.substring(0, cut))
                            .feed(rewriter, text.substring(cut));
                    rewriter.end(out);
                    assertThat(out.text().replace("\0", ""))
                            .as("%s, cut at %d", text, cut)
                            .isEqualTo("; PH ;");
                }
            }
        }
    }

    /** Two of them stand for one, however many there are; the last of an odd number takes away what the escape begins with. */
    @Test
    void anEscapeBehindBackslashesIsOneWhereTheirNumberIsEven() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("q7XkB2wZ9LmT4"), bytes("PH"))));
        for (int count = 0; count < 40; count++) {
            String before = "\\".repeat(count);
            String text = before + "\\u00717XkB2wZ9LmT4";
            BodyRewriter rewriter = redactor.body(null, found::add);
            Collected out = new Collected().feed(rewriter, text);
            rewriter.end(out);

            assertThat(out.text()).as("%d", count).isEqualTo(count % 2 == 0 ? before + "PH" : text);
        }
    }

    /** Although the backslash would be the next character of the value. */
    @Test
    void whatIsCutOffEndsBeforeTheBackslashOfAnEscape() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("q7XkB2wZ9L\\mT4"), bytes("PH"))));
        BodyRewriter rewriter = redactor.body(null, found::add);
        Collected out = new Collected().feed(rewriter, "\\u00717XkB2wZ9L\\\", and more");
        rewriter.end(out);

        assertThat(out.text()).isEqualTo("PH\\\", and more");
    }

    @Test
    void jsonThatIsEscapedIsDecodedToThePlaceholder() {
        Redactor redactor = Redactor.of(List.of(new Redaction(VALUE.getBytes(UTF_8), bytes(PLACEHOLDER))));
        String shortest = "{\"t\":\"s3cr3t\\/+\\\"va\\\\lue\\\"<&>'\u00E9\"}";
        String unicode = "{\"t\":\"s3cr3t/+\\u0022va\\u005Clue\\\"\\u003c\\u0026\\u003E\\u0027\\u00e9\"}";

        for (String json : List.of(shortest, unicode)) {
            BodyRewriter rewriter = redactor.body("application/json", found::add);
            Collected out = new Collected().feed(rewriter, json);
            rewriter.end(out);
            assertThat(out.text()).isEqualTo("{\"t\":\"PLACE \\\"HOLDER\\\"\"}");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, {\"t\":\"<A\\\"&>\"}",
        "text/html, {\"t\":\"&lt;A&quot;&amp;&gt;\"}",
        "text/plain, {\"t\":\"<A\"&>\"}"
    })
    void plainValuesAreWrittenAsTheContentTypeWantsIt(String type, String expected) {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("<A\"&>"))));
        BodyRewriter rewriter = redactor.body(type, found::add);
        Collected out = new Collected().feed(rewriter, "{\"t\":\"plain-value\"}");
        rewriter.end(out);
        assertThat(out.text()).isEqualTo(expected);
    }

    @Test
    void base64AtEveryAlignmentDecodesToThePlaceholderAndToNoByteOfTheValue() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("base64: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            // given
            byte[] value = new byte[8 + random.nextInt(30)];
            random.nextBytes(value);
            // Read as Latin-1 and written as UTF-8, a first byte of 0x80 to 0xbf comes after 0xc2: where the byte
            // before the value ends in 2, that reading is in the text as well, and takes half a byte more. And what
            // JSON may escape by a backslash alone comes after one: where the byte before the value ends in the same
            // four bits, that form is in the text as well.
            value[0] &= 0x7f;
            value[0] = value[0] == 0x5c || value[0] == 0x2f || value[0] == 0x22 ? (byte) 0x61 : value[0];
            // What stands for one of these begins with the byte itself: near the end, what follows the value may begin
            // with the same bits as the rest of the escape, and be taken for more of it.
            for (int at = value.length - 6; at < value.length; at++) {
                value[at] = "&%\\".indexOf(value[at]) >= 0 ? (byte) 0x61 : value[at];
            }
            byte[] placeholder = new byte[random.nextInt(20)];
            random.nextBytes(placeholder);
            Redactor redactor = Redactor.of(List.of(new Redaction(value, placeholder)));
            byte[] before = new byte[random.nextInt(9)];
            byte[] after = new byte[random.nextInt(9)];
            random.nextBytes(before);
            random.nextBytes(after);
            byte[] whole = ByteBuffer.allocate(before.length + value.length + after.length)
                    .put(before)
                    .put(value)
                    .put(after)
                    .array();
            boolean url = random.nextBoolean();
            Base64.Encoder encoder = url ? Base64.getUrlEncoder() : Base64.getEncoder();
            String text = (random.nextBoolean() ? encoder : encoder.withoutPadding()).encodeToString(whole);
            // when
            String redacted = redactor.text(text, found::add);
            // then
            byte[] decoded =
                    Base64.getDecoder().decode(redacted.replace('-', '+').replace('_', '/'));
            String shown = latin1(decoded);
            assertThat(shown).as("seed %d", seed).startsWith(latin1(before)).endsWith(latin1(after));
            String middle = shown.substring(before.length, shown.length() - after.length);
            assertThat(middle).contains(latin1(placeholder));
            assertThat(redactor.finds(redacted)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tok-&quot;<&>'-end: tok-&quot;&lt;&amp;&gt;&#39;-end",
                "tok-&quot;<&>'-end: tok-&#34;&lt;&amp;&gt;&#39;-end",
                "tok-&quot;<&>'-end: tok-&quot;&lt;&amp;&gt;&#x27;-end",
                "tok-&quot;<&>'-end: tok-&quot;&lt;&amp;&gt;&apos;-end"
            })
    void htmlInsideOfOtherEscapingsIsFound(String row) {
        String value = row.substring(0, row.indexOf(": ")).replace("&quot;", "\"");
        String html = row.substring(row.indexOf(": ") + 2);
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes(value), bytes("<P>"))));

        assertThat(redactor.text(percent(html), found::add)).isEqualTo("%26lt%3BP%26gt%3B");
        assertThat(redactor.text(html.replace("&", "&amp;"), found::add)).isEqualTo("&amp;lt;P&amp;gt;");
        assertThat(redactor.text(html.replace("&", "\\u0026"), found::add)).isEqualTo("&lt;P&gt;");
        assertThat(latin1(Base64.getDecoder().decode(redactor.text(base64(html), found::add))))
                .contains("&lt;P&gt;");
        assertThat(found).containsOnly(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%02X", "%02x"})
    void everyCharacterEscapedAndThatOnceMoreIsFound(String digits) {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("Abc+defg/hij"), bytes("PLACE"))));
        StringBuilder once = new StringBuilder();
        "Abc+defg/hij".chars().forEach(c -> once.append('%').append(String.format(digits, c)));

        assertThat(redactor.text("t=" + once.toString().replace("%", "%25") + "&u=v", found::add))
                .isEqualTo("t=PLACE&u=v");
        assertThat(redactor.text("t=" + once.substring(0, 24).replace("%", "%25"), found::add))
                .isEqualTo("t=PLACE");
        assertThat(redactor.text("\"" + once.toString().replace("%", "\\u0025") + "\"", found::add))
                .isEqualTo("\"PLACE\"");
    }

    private static String percent(String text) {
        return URLEncoder.encode(text, StandardCharsets.ISO_8859_1);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(bytes(text));
    }

    @Test
    void base64InsideOfOtherEscapingsIsFound() {
        byte[] value = {(byte) 0xfb, (byte) 0xff, (byte) 0xfe, 'a', 'b', '?', '>', '~', (byte) 0xff, (byte) 0xef};
        Redactor redactor = Redactor.of(List.of(new Redaction(value, bytes("PLACEHOLDER"))));
        String base64 = Base64.getEncoder().encodeToString(value);
        assertThat(base64).contains("/", "+");

        String json = redactor.text("\"" + base64.replace("/", "\\/") + "\"", found::add);
        String percent = redactor.text("t=" + base64.replace("/", "%2F").replace("+", "%2b") + "&u=v", found::add);

        assertThat(latin1(Base64.getDecoder().decode(json.replace("\"", "")))).contains("PLACEHOLDER");
        assertThat(percent).startsWith("t=").endsWith("&u=v");
        String digits = percent.substring(2, percent.length() - 4).replace("%3D", "=");
        assertThat(latin1(Base64.getDecoder().decode(digits))).contains("PLACEHOLDER");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-16", "x-UTF-16LE-BOM"})
    void utf16IsFoundAndWrittenAsSuch(String name) {
        Charset charset = Charset.forName(name);
        String value = "s3cr3t-v\u00E4lue";
        Redactor redactor = Redactor.of(List.of(new Redaction(value.getBytes(UTF_8), bytes("<PH>"))));
        for (String around : List.of("", " \u20AC ", "a \u4E2D\u0100")) {
            byte[] text = (around + value + around).getBytes(charset);
            for (int size : new int[] {1, 2, 3, 7, 100}) {
                BodyRewriter rewriter = redactor.body("text/plain", found::add);
                Collected out = new Collected();
                for (int at = 0; at < text.length; at += size) {
                    out.feed(rewriter, ByteBuffer.wrap(text, at, Math.min(size, text.length - at)));
                }
                rewriter.end(out);
                assertThat(new String(out.bytes(), charset)).isEqualTo(around + "<PH>" + around);
            }
        }
    }

    @Test
    void base64OfWhatTheProxyItselfMakesIsFound() {
        String value = "p%ss\"w/rd+\u00E9";
        Redactor redactor = Redactor.of(List.of(new Redaction(value.getBytes(UTF_8), bytes("PLACE"))));
        String utf8 = latin1(value.getBytes(UTF_8));
        List<String> texts = List.of(
                "https://a.test/x?t=" + Naive.percent(value.getBytes(UTF_8)) + "&u",
                "{\"t\":\"" + Naive.json(utf8) + "\"}",
                "Basic " + Base64.getEncoder().encodeToString(bytes("user:" + utf8)));
        for (String text : texts) {
            for (int before = 0; before < 3; before++) {
                String whole = "x".repeat(before) + text;
                for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
                    found.clear();
                    redactor.text(encoder.encodeToString(bytes(whole)), found::add);
                    assertThat(found).as(whole).containsExactly(0);
                }
            }
        }
    }

    /** Whatever the length from which on it can be told from the public prefix. */
    @ParameterizedTest
    @CsvSource({
        "github_pat_11ABCDEFG0abcdefghij_xyz, 19",
        "sk-proj-abcdefghijklmnop, 16",
        "s3cr3tvaluewithoutprefix, 8",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl, 29",
        "Bearer ghp_abcdefghijklmnop, 19"
    })
    void whatWasCutOffIsFound(String value, int least) {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes(value), bytes("PH"))));
        for (int length = 8; length < value.length(); length++) {
            String cut = value.substring(0, length);
            boolean secret = length >= least;
            for (String before : List.of("", "t=")) {
                for (String after : List.of("", ", ...", "\"}", " ", "\n")) {
                    assertThat(redactor.text(before + cut + after, found::add))
                            .isEqualTo(before + (secret ? "PH" : cut) + after);
                }
            }
            if (!value.matches("gith.*|eyJ.*")) {
                assertThat(redactor.text(cut + "0", found::add))
                        .as("another word")
                        .isEqualTo(cut + "0");
            }
            String escaped = "%" + hex(cut.charAt(0)) + cut.substring(1) + "&";
            assertThat(redactor.text(escaped, found::add)).isEqualTo(secret ? "PH&" : escaped);
            String base64 = Base64.getEncoder().encodeToString(bytes("user:" + cut));
            if (secret) {
                assertThat(redactor.finds(base64)).as(cut).isTrue();
            }
        }
    }

    private static String hex(char c) {
        return Naive.hex(c, true);
    }

    @Test
    void whatIsStrippedIsFound() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes(" from-a-file\r\n"), bytes("PH"))));

        assertThat(redactor.text("t=from-a-file;", found::add)).isEqualTo("t=PH;");
        assertThat(redactor.text("t= from-a-file\r\n;", found::add)).isEqualTo("t=PH;");
        assertThat(redactor.text(Base64.getEncoder().encodeToString(bytes("u:from-a-file")), found::add))
                .isNotEqualTo(Base64.getEncoder().encodeToString(bytes("u:from-a-file")));
    }

    @Test
    void otherCharsetsOfTheSameTextAreFound() {
        String value = "pa\u00DFwort-\u00E4\u00F6\u00FC";
        Redactor redactor = Redactor.of(List.of(new Redaction(value.getBytes(UTF_8), bytes("PH"))));

        assertThat(redactor.text(value, found::add)).as("as Latin-1").isEqualTo("PH");
        assertThat(redactor.text(latin1(value.getBytes(UTF_8)), found::add)).isEqualTo("PH");
        assertThat(redactor.text("pa\\u00c3\\u009fwort-\\u00c3\\u00a4\\u00c3\\u00b6\\u00c3\\u00bc", found::add))
                .as("UTF-8 taken for Latin-1, in JSON")
                .isEqualTo("PH");
        assertThat(redactor.text("pa%DFwort-%E4%F6%FC", found::add)).isEqualTo("PH");
    }

    @Test
    void theLongestAtTheLeftmostPlaceCounts() {
        Redactor redactor = Redactor.of(List.of(
                new Redaction(bytes("abcdefgh"), bytes("<1>")),
                new Redaction(bytes("abcdefgh-long"), bytes("<2>")),
                new Redaction(bytes("gh-long-other"), bytes("<3>"))));

        assertThat(redactor.text("abcdefgh abcdefgh-long-other gh-long-other", found::add))
                .isEqualTo("<1> <2>-other <3>");
        assertThat(found).containsExactly(0, 1, 2);
    }

    @Test
    void aTextWithoutValuesIsTheSameInstance() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("PH"))));
        for (String text : List.of("", "short", "100% & more \\ text without", "plain-valu", "%70lain-valu%")) {
            assertThat(redactor.text(text, found::add)).isSameAs(text);
        }
        assertThat(found).isEmpty();
    }

    @Test
    void anEventGoesOnAtOnceUnlessItEndsLikeAValue() {
        // given
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("PH"))));
        RedactingRewriter rewriter = (RedactingRewriter) redactor.body("text/event-stream", found::add);
        Collected out = new Collected();
        // when, then
        out.feed(rewriter, "data: {\"a\\\\b\": \"50%25 &amp; &eacute; x\\u00e9\"}\n\n");
        assertThat(rewriter.heldBack()).isZero();
        out.feed(rewriter, "data: pla");
        assertThat(rewriter.heldBack()).isEqualTo(3);
        out.feed(rewriter, "in%2");
        assertThat(rewriter.heldBack()).isEqualTo(7);
        out.feed(rewriter, "Dvaluf");
        assertThat(rewriter.heldBack()).isZero();
        out.feed(rewriter, "\\u007");
        assertThat(rewriter.heldBack()).isEqualTo(5);
        out.feed(rewriter, "1");
        assertThat(rewriter.heldBack()).isZero();
        rewriter.end(out);
        assertThat(out.text()).endsWith("data: plain%2Dvaluf\\u0071");
        assertThat(rewriter.changed()).isFalse();
    }

    @Test
    void whatHasNoValueIsForwardedWithoutCopy() {
        String filler = "nothing to see here, move along. ".repeat(1000);
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("PH"))));
        BodyRewriter rewriter = redactor.body(null, found::add);
        Collected out = new Collected().feed(rewriter, filler + "plain-value" + filler);
        rewriter.end(out);
        assertThat(out.text()).isEqualTo(filler + "PH" + filler);
        assertThat(out.forwarded()).isEqualTo(2 * filler.length());
    }

    @Tag("long")
    @Test
    void memoryIsBoundedByTheLongestValue() {
        // given: text that is nearly the value over and over, escaped or not, byte by byte
        byte[] value = new byte[20_000];
        Arrays.fill(value, (byte) 'a');
        value[value.length - 1] = 'b';
        Redactor redactor = Redactor.of(List.of(new Redaction(value, bytes("PH"))));
        for (String piece : List.of("a", "%61", "\\u0061", "&#97;")) {
            RedactingRewriter rewriter = (RedactingRewriter) redactor.body(null, found::add);
            Collected out = new Collected();
            // when
            for (int i = 0; i < 30_000; i++) {
                out.feed(rewriter, piece);
                assertThat(rewriter.heldBack()).isLessThan(value.length * piece.length());
            }
            rewriter.end(out.feed(rewriter, "b"));
            // then
            assertThat(out.text().length()).isEqualTo((30_000 - value.length + 1) * piece.length() + 2);
        }
    }

    @Test
    void inGrpcTheLengthStays() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("PH"))));
        BodyRewriter rewriter = redactor.body("application/grpc+proto", found::add);
        Collected out = new Collected().feed(rewriter, "\0\0\0\0\13plain-value");
        rewriter.end(out);
        assertThat(out.text()).isEqualTo("\0\0\0\0\13PHxxxxxxxxx");
        assertThat(rewriter.length(OptionalLong.of(16))).hasValue(16);
        assertThat(redactor.body("text/plain", found::add).length(OptionalLong.of(16)))
                .isEmpty();
    }

    @Test
    void inBinaryContentTheLengthStays() {
        Redactor redactor = Redactor.of(List.of(new Redaction(bytes("plain-value"), bytes("PH"))));
        for (String type : List.of("image/png", "Application/Octet-Stream; x=y", "video/mp4", "application/zip")) {
            BodyRewriter rewriter = redactor.body(type, found::add);
            Collected out = new Collected().feed(rewriter, "\1plain-value\1");
            rewriter.end(out);
            assertThat(out.text()).as(type).isEqualTo("\1PHxxxxxxxxx\1");
            assertThat(rewriter.length(OptionalLong.of(13))).as(type).hasValue(13);
        }
        for (String type : List.of("image/svg+xml", "application/json", "application/octet-streams")) {
            assertThat(redactor.body(type, found::add).length(OptionalLong.of(13)))
                    .as(type)
                    .isEmpty();
        }
    }

    @Test
    void nothingIsShownAndShortValuesAreRefused() {
        Redaction redaction = new Redaction(bytes("plain-value"), bytes("PH"));
        assertThat(redaction + " " + Redactor.of(List.of(redaction))).doesNotContain("plain", "PH");
        assertThatThrownBy(() -> new Redaction(bytes("7-bytes"), bytes("PH")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("7-bytes");
        assertThat(Redactor.of(List.of()).isEmpty()).isTrue();
        assertThat(Redactor.of(List.of()).text("any text %41", found::add)).isEqualTo("any text %41");
    }
}
