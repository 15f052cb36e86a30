package dev.sallyport.toolkit.scan;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholderReplacerTest {

    private static final String PLACEHOLDER = "SALLYPORT_PROXY_GITHUB";
    /** A value that every place has to encode. */
    private static final String AWKWARD = "a\"b\\c/d?e#f%g h&i=j+k\u00e9";

    private static final byte[] NEVER = {};

    private final List<Integer> asked = new ArrayList<>();

    /** A replacer with one value for each placeholder, each put in where a predicate says so. */
    private record Filled(PlaceholderReplacer replacer, List<byte[]> values) {

        private PlaceholderReplacer.Choice choice(IntPredicate swap) {
            return placeholder -> swap.test(placeholder) ? values.get(placeholder) : null;
        }

        String header(String value, IntPredicate swap) {
            return replacer.header(value, choice(swap));
        }

        String authorization(String value, IntPredicate swap) {
            return replacer.authorization(value, choice(swap));
        }

        String query(String raw, BiPredicate<Integer, String> swap) {
            return replacer.query(raw, (token, name) -> swap.test(token, name) ? values.get(token) : null);
        }

        String path(String raw, IntPredicate swap) {
            return replacer.path(raw, choice(swap));
        }

        BodyRewriter body(@Nullable String type, IntPredicate swap) {
            return replacer.body(type, choice(swap));
        }
    }

    @Nested
    class HeaderValues {

        /** What a cookie, a structured field or JSON in a header make of a placeholder; values are written like it. */
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "session=%7B%22a%20b%22%7D; x=y                 | session=v%22%20%5C%2F; x=y",
                    "session=%7b%22a+b%22%7d                        | session=v%22%20%5C%2F",
                    "{\"t\":\"{\\\"a b\\\"}\"}                    | {\"t\":\"v\\\" \\\\/\"}",
                    "token=\"{\\\"a b\\\"}\";v=1                    | token=\"v\\\" \\\\/\";v=1",
                    "j=%7B%22t%22%3A%22%7B%5C%22a%20b%5C%22%7D%22%7D | j=%7B%22t%22%3A%22v%5C%22%20%5C%5C%2F%22%7D",
                    "{\"a b\"}                                      | v\" \\/",
                })
        void everyFormOfAPlaceholderIsFoundAndGetsTheValueInItsOwnEncoding(String sent, String expected) {
            Filled replacer = replacer(List.of("{\"a b\"}"), List.of("v\" \\/"));
            assertThat(replacer.header(sent, PlaceholderReplacerTest.this::swap))
                    .isEqualTo(expected);
            assertThat(asked).containsExactly(0);
        }

        @Test
        void everyOccurrenceIsSwappedAlsoInsideOtherText() {
            assertThat(replacer("real")
                            .header("x " + PLACEHOLDER + PLACEHOLDER + ";y", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("x realreal;y");
            assertThat(asked).containsExactly(0, 0);
        }

        @Test
        void theLongestPlaceholderAtTheLeftmostPlaceWins() {
            Filled replacer = replacer(List.of("KEY_A", "KEY_AB", "A"), List.of("1", "2", "3"));
            assertThat(replacer.header("KEY_AB KEY_A A", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("2 1 3");
        }

        @Test
        void aLongerPlaceholderThatIsNotAllowedKeepsShorterOnesFromBeingSwappedInIt() {
            Filled replacer = replacer(List.of("KEY_A", "KEY_AB"), List.of("1", "2"));
            assertThat(replacer.header("KEY_AB KEY_A", token -> token == 0)).isEqualTo("KEY_AB 1");
        }

        @Test
        void theSameInstanceComesBackWhenNothingWasReplaced() {
            String value = "Bearer " + PLACEHOLDER;
            assertThat(replacer("real").header(value, token -> false)).isSameAs(value);
            assertThat(replacer("real").header("other", token -> true)).isEqualTo("other");
        }

        @Test
        void theValueKeepsItsBytes() {
            String swapped = replacer("gr\u00fc\u00df").header(PLACEHOLDER, PlaceholderReplacerTest.this::swap);
            assertThat(new String(swapped.getBytes(ISO_8859_1), UTF_8)).isEqualTo("gr\u00fc\u00df");
        }

        @ParameterizedTest
        @ValueSource(strings = {"\r", "\n", "\u0000", "\u0001", "\u007f"})
        void aValueWithAControlCharacterNeverGoesOnTheWire(String control) {
            Filled replacer = replacer("first" + control + "second");
            assertThatThrownBy(() -> replacer.header(PLACEHOLDER, PlaceholderReplacerTest.this::swap))
                    .isInstanceOf(UnsafeValueException.class)
                    .hasMessageNotContainingAny("first", "second")
                    .hasMessageContaining("a control character");
            assertThatThrownBy(
                            () -> replacer.authorization("Bearer " + PLACEHOLDER, PlaceholderReplacerTest.this::swap))
                    .isInstanceOf(UnsafeValueException.class);
        }
    }

    @Nested
    class BasicCredentials {

        @ParameterizedTest
        @ValueSource(strings = {"Basic ", "basic ", "BASIC  "})
        void areDecodedSearchedAndEncodedAgain(String scheme) {
            String sent = scheme + base64("user:" + PLACEHOLDER);
            assertThat(replacer("p\u00e4ss").authorization(sent, PlaceholderReplacerTest.this::swap))
                    .isEqualTo(scheme + base64("user:p\u00e4ss"));
            assertThat(asked).containsExactly(0);
        }

        @Test
        void mayLackTheirPaddingAndThenKeepLackingIt() {
            String padded = base64("me:" + PLACEHOLDER);
            assertThat(padded).endsWith("=");
            String sent = "Basic " + padded.replace("=", "");
            assertThat(replacer("x").authorization(sent, PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic " + base64("me:x").replace("=", ""));
        }

        @Test
        void thatAreNotBase64AreSearchedAsTheyAre() {
            assertThat(replacer("real").authorization("Basic " + PLACEHOLDER, PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic real");
            assertThat(replacer("real")
                            .authorization("Basic =" + PLACEHOLDER + "==", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic =real==");
        }

        @Test
        void thatAreBase64WithoutAPlaceholderInsideAreSearchedAsTheyAre() {
            Filled replacer = replacer(List.of("PLACEHOLDER1"), List.of("real"));
            assertThat(replacer.authorization("Basic PLACEHOLDER1", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic real");
        }

        @Test
        void mayHoldAValueWithALineBreakForItIsEncoded() {
            assertThat(replacer("a\nb")
                            .authorization("Basic " + base64("u:" + PLACEHOLDER), PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic " + base64("u:a\nb"));
        }

        /** RFC 6749, 2.3.1: clients of OAuth encode both halves as a form does. */
        @Test
        void mayBePercentEncodedInside() {
            Filled replacer = replacer(List.of("{key}"), List.of("a b&c"));
            assertThat(replacer.authorization("Basic " + base64("id:%7Bkey%7D"), PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Basic " + base64("id:a%20b%26c"));
        }

        @Test
        void areLeftAloneWhenNotAllowed() {
            String sent = "Basic " + base64("u:" + PLACEHOLDER);
            assertThat(replacer("real").authorization(sent, token -> false)).isSameAs(sent);
        }

        @Test
        void ofOtherSchemesAreHeaderValues() {
            assertThat(replacer("real").authorization("Bearer " + PLACEHOLDER, PlaceholderReplacerTest.this::swap))
                    .isEqualTo("Bearer real");
        }
    }

    @Nested
    class WholeHeads {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "Bearer KEY+ONE               | true",
                    "xKEY%2BONEx                  | true",
                    "Basic dXNlcjpLRVkrT05F       | true",
                    "bASIC   dXNlcjpLRVkrT05F     | true",
                    "Basic KEY+ONE                | true",
                    "Basic dXNlcjpLRVkrT05G       | false",
                    "Basic KEY*ONE                | false",
                    "dXNlcjpLRVkrT05F             | false",
                    "KEY                          | false",
                })
        void areSearchedInOnePass(String value, boolean expected) {
            PlaceholderReplacer replacer =
                    replacer(List.of("KEY+ONE"), List.of("x")).replacer();
            assertThat(replacer.mayFind(fields("first", value, "last"))).isEqualTo(expected);
            assertThat(replacer.mayFind(fields(value))).isEqualTo(expected);
        }

        @Test
        void joinNoTwoValues() {
            PlaceholderReplacer replacer =
                    replacer(List.of("KEYONE"), List.of("x")).replacer();
            assertThat(replacer.mayFind(fields("KEY", "ONE"))).isFalse();
            assertThat(replacer.mayFind(fields("Basic S0VZ", "ONE"))).isFalse();
            assertThat(replacer.mayFind(fields("", "KEYONE", ""))).isTrue();
            assertThat(replacer.mayFind(fields())).isFalse();
        }

        @Test
        void ofAnySizeAreSearched() {
            PlaceholderReplacer replacer =
                    replacer(List.of("KEYONE"), List.of("x")).replacer();
            String filler = "y".repeat(5_000);
            assertThat(replacer.mayFind(fields(filler, filler, "KEYON", "Basic " + base64(filler))))
                    .isFalse();
            assertThat(replacer.mayFind(fields("KEYONE", filler, filler))).isTrue();
            assertThat(replacer.mayFind(fields(filler, "Basic " + base64(filler + "KEYONE"), filler)))
                    .isTrue();
        }

        private static Headers fields(String... values) {
            return new Headers() {
                @Override
                public int size() {
                    return values.length;
                }

                @Override
                public String name(int index) {
                    return "X-Field";
                }

                @Override
                public String value(int index) {
                    return values[index];
                }

                @Override
                public @Nullable String first(String name) {
                    return values.length == 0 ? null : values[0];
                }
            };
        }
    }

    @Nested
    class Messages {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "{\"t\": \"KEY\"}     | {\"t\": \"a\\\"b\"}",
                    "' \t[\"KEY\"]'        | ' \t[\"a\\\"b\"]'",
                    "\"KEY\"              | \"a\\\"b\"",
                    "SEND KEY {}         | SEND a\"b {}",
                    "KEY                 | a\"b",
                })
        void thatBeginLikeJsonGetTheValueEscaped(String sent, String expected) {
            Filled replacer = replacer(List.of("KEY"), List.of("a\"b"));
            BodyRewriter rewriter = replacer.replacer().message(replacer.choice(PlaceholderReplacerTest.this::swap));
            Collected out = new Collected();
            out.feed(rewriter, ByteBuffer.allocate(0));
            out.feed(rewriter, ByteBuffer.wrap(sent.getBytes(UTF_8)));
            rewriter.end(out);
            assertThat(out.text()).isEqualTo(expected);
            assertThat(rewriter.changed()).isTrue();
        }

        @Test
        void withoutAByteStayWithoutOne() {
            BodyRewriter rewriter = replacer("real").replacer().message(placeholder -> "real".getBytes(UTF_8));
            Collected out = new Collected();
            rewriter.end(out);
            assertThat(out.bytes()).isEmpty();
            assertThat(rewriter.changed()).isFalse();
        }
    }

    @Nested
    class Queries {

        private final List<String> names = new ArrayList<>();

        private String query(Filled replacer, String raw) {
            return replacer.query(raw, (token, name) -> {
                names.add(name);
                return true;
            });
        }

        @Test
        void keepTheOrderAndEncodingOfEverythingElse() {
            String sent = "b=%7e+%7E&token=" + PLACEHOLDER + "&&a=1&=%zz&c&d=%";
            assertThat(query(replacer("real"), sent)).isEqualTo(sent.replace(PLACEHOLDER, "real"));
            assertThat(names).containsExactly("token");
        }

        @Test
        void getTheValuePercentEncoded() {
            assertThat(query(replacer(AWKWARD), "t=" + PLACEHOLDER))
                    .isEqualTo("t=a%22b%5Cc%2Fd%3Fe%23f%25g%20h%26i%3Dj%2Bk%C3%A9");
        }

        @Test
        void keepTheirNamesUntouched() {
            String sent = PLACEHOLDER + "=1&" + PLACEHOLDER;
            assertThat(query(replacer("real"), sent)).isSameAs(sent);
            assertThat(names).isEmpty();
        }

        @Test
        void namesInAnnotationsAreAsSent() {
            query(replacer("real"), "api%5Fkey=" + PLACEHOLDER + "&x=" + PLACEHOLDER);
            assertThat(names).containsExactly("api%5Fkey", "x");
        }

        @ParameterizedTest
        @CsvSource({"{{a b+c}}", "%7B%7Ba%20b%2Bc%7D%7D", "%7b%7ba+b%2bc%7d%7D", "{{a+b%2Bc}}"})
        void areSearchedRawAndPercentEncodedWithPlusAsSpace(String sent) {
            Filled replacer = replacer(List.of("{{a b+c}}"), List.of("real"));
            assertThat(query(replacer, "x=1+" + sent.replace(' ', '+').replace("b+c", "b%2Bc") + "%20z"))
                    .isEqualTo("x=1+real%20z");
        }

        @Test
        void aPlaceholderWithPlusOrPercentIsFoundAsItIs() {
            Filled replacer = replacer(List.of("KEY+ONE", "KEY%20TWO"), List.of("1", "2"));
            assertThat(query(replacer, "a=KEY+ONE&b=KEY%2BONE&c=KEY%20TWO&d=KEY%2520TWO"))
                    .isEqualTo("a=1&b=1&c=2&d=2");
        }

        @Test
        void theSameInstanceComesBackWhenNothingWasReplaced() {
            String sent = "a=" + PLACEHOLDER + "&b=%41";
            assertThat(replacer("real").query(sent, (token, name) -> false)).isSameAs(sent);
            assertThat(replacer("real").query("", (token, name) -> true)).isEmpty();
        }
    }

    @Nested
    class Paths {

        @Test
        void getTheValueEncodedSoThatItStaysInItsSegment() {
            assertThat(replacer(AWKWARD).path("/bot" + PLACEHOLDER + "/send", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("/bota%22b%5Cc%2Fd%3Fe%23f%25g%20h&i=j+k%C3%A9/send");
        }

        @Test
        void keepThePercentEncodingOfEverythingElse() {
            String sent = "/%7ea/%2F/" + PLACEHOLDER + "/%C3%a9/%zz/%";
            assertThat(replacer("12:ab").path(sent, PlaceholderReplacerTest.this::swap))
                    .isEqualTo(sent.replace(PLACEHOLDER, "12:ab"));
        }

        @Test
        void areSearchedRawAndPercentEncoded() {
            Filled replacer = replacer(List.of("{key}", "a%20b"), List.of("1", "2"));
            assertThat(replacer.path(
                            "/{key}/%7Bkey%7d/%7bke%79}/a%20b/a%2520b/a+b", PlaceholderReplacerTest.this::swap))
                    .isEqualTo("/1/1/1/2/2/a+b");
        }

        @ParameterizedTest
        @CsvSource({".", ".."})
        void aValueThatWouldMakeADotSegmentIsRefused(String value) {
            assertThatThrownBy(
                            () -> replacer(value).path("/a/" + PLACEHOLDER + "/b", PlaceholderReplacerTest.this::swap))
                    .isInstanceOf(UnsafeValueException.class);
            assertThat(replacer(value).path("/a/x" + PLACEHOLDER, PlaceholderReplacerTest.this::swap))
                    .isEqualTo("/a/x" + value);
        }

        @Test
        void theSameInstanceComesBackWhenNothingWasReplaced() {
            String sent = "/%41/" + PLACEHOLDER;
            assertThat(replacer("real").path(sent, token -> false)).isSameAs(sent);
        }
    }

    @Nested
    class Bodies {

        @ParameterizedTest
        @CsvSource({"application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"})
        void ofJsonGetTheValueEscaped(String type) {
            assertThat(body(replacer(AWKWARD + "\n\u0001"), type, "{\"k\":\"" + PLACEHOLDER + "\"}"))
                    .isEqualTo("{\"k\":\"a\\\"b\\\\c/d?e#f%g h&i=j+k\u00e9\\n\\u0001\"}");
        }

        @Test
        void ofFormsGetTheValuePercentEncoded() {
            assertThat(body(replacer(AWKWARD), "application/x-www-form-urlencoded", "a=1&t=" + PLACEHOLDER + "&b"))
                    .isEqualTo("a=1&t=a%22b%5Cc%2Fd%3Fe%23f%25g%20h%26i%3Dj%2Bk%C3%A9&b");
        }

        @ParameterizedTest
        @CsvSource({"application/xml", "Text/XML; charset=utf-8", "application/soap+xml"})
        void ofXmlGetTheValueAsReferences(String type) {
            assertThat(body(
                            replacer("a&b<c>d\"e'f\tg\r\n"),
                            type,
                            "<k v='" + PLACEHOLDER + "'>" + PLACEHOLDER + "</k>"))
                    .isEqualTo("<k v='a&amp;b&lt;c&gt;d&quot;e&#39;f&#9;g&#13;&#10;'>"
                            + "a&amp;b&lt;c&gt;d&quot;e&#39;f&#9;g&#13;&#10;</k>");
        }

        @Test
        void ofXmlGetTheValueAsItIsInACdataSection() {
            assertThat(body(
                            replacer("a&b]]<c"),
                            "text/xml",
                            "<k>" + PLACEHOLDER + "<![CDATA[ " + PLACEHOLDER + " ]]>" + PLACEHOLDER + "</k>"))
                    .isEqualTo("<k>a&amp;b]]&lt;c<![CDATA[ a&b]]<c ]]>a&amp;b]]&lt;c</k>");
        }

        @ParameterizedTest
        @ValueSource(strings = {"a]]>b", "ab]", ">ab"})
        void thatCouldEndACdataSectionAreNotWrittenIntoOne(String value) {
            Filled replacer = replacer(value);
            assertThatThrownBy(() -> body(replacer, "text/xml", "<![CDATA[]" + PLACEHOLDER + ">]]>"))
                    .isInstanceOf(UnsafeValueException.class)
                    .hasMessageNotContaining(value);
        }

        @Test
        void ofAnyOtherTypeGetTheValueAsItIs() {
            assertThat(body(replacer(AWKWARD), "text/plain", "<" + PLACEHOLDER + ">"))
                    .isEqualTo("<" + AWKWARD + ">");
            assertThat(body(replacer(AWKWARD), null, PLACEHOLDER)).isEqualTo(AWKWARD);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "text/plain                        | {\"é/&}           | v\"/é",
                    "text/plain                        | %7B%22%C3%A9%2F%26%7D | v%22%2F%C3%A9",
                    "text/plain                        | %7b%22%c3%a9/%26%7d   | v%22%2F%C3%A9",
                    "text/plain                        | {\\\"é/&}         | v\\\"/é",
                    "application/json                  | {\\\"é/&}         | v\\\"/é",
                    "application/json                  | {\\\"\\u00e9/&}   | v\\\"/é",
                    "application/json                  | {\\\"\\u00E9/&}   | v\\\"/é",
                    "application/json                  | {\\\"\\u00e9\\/&} | v\\\"/é",
                    "application/json                  | {\\\"é/\\u0026}   | v\\\"/é",
                    "application/json                  | {\"é/&}           | v\\\"/é",
                    "application/json                  | %7B%22%C3%A9%2F%26%7D | v%22%2F%C3%A9",
                    "application/xml                   | {\"é/&}           | v&quot;/é",
                    "application/xml                   | {&quot;é/&amp;}  | v&quot;/é",
                    "application/xml                   | {&#34;é/&amp;}   | v&quot;/é",
                    "application/xml                   | {\"é/&amp;}       | v&quot;/é",
                    "application/xml                   | {\\\"é/&amp;}     | v\\&quot;/é",
                    "application/xml                   | %7B%22%C3%A9%2F%26%7D | v%22%2F%C3%A9",
                    "application/x-www-form-urlencoded | %7B%22%C3%A9%2F%26%7D | v%22%2F%C3%A9",
                    "application/x-www-form-urlencoded | {\"é/&}           | v%22%2F%C3%A9",
                    "application/x-www-form-urlencoded | %7B%5C%22%C3%A9%2F%26%7D | v%5C%22%2F%C3%A9",
                })
        void everyFormOfAPlaceholderIsFoundAndGetsTheValueInItsOwnEncoding(String type, String sent, String expected) {
            Filled replacer = replacer(List.of("{\"\u00e9/&}"), List.of("v\"/\u00e9"));
            assertThat(body(replacer, type, "[" + sent + "]")).isEqualTo("[" + expected + "]");
            assertThat(asked).containsOnly(0);
        }

        @Test
        void inWhichNothingWasAllowedAreUnchanged() {
            BodyRewriter rewriter = replacer("real").body("application/json", token -> false);
            Collected out = new Collected();
            out.feed(rewriter, ByteBuffer.wrap(("\"" + PLACEHOLDER + "\"").getBytes(UTF_8)));
            rewriter.end(out);
            assertThat(out.text()).isEqualTo("\"" + PLACEHOLDER + "\"");
            assertThat(rewriter.changed()).isFalse();
        }

        private String body(Filled replacer, String type, String text) {
            BodyRewriter rewriter = replacer.body(type, PlaceholderReplacerTest.this::swap);
            Collected out = new Collected();
            for (byte value : text.getBytes(UTF_8)) {
                out.feed(rewriter, ByteBuffer.wrap(new byte[] {value}));
            }
            rewriter.end(out);
            return out.text();
        }
    }

    @Test
    void nothingIsAllocatedWhenNothingMatches() {
        // given
        PlaceholderReplacer replacer = replacer("real").replacer();
        TokenMatcher matcher =
                Placeholders.of(List.of(PLACEHOLDER.getBytes(UTF_8))).matcher();
        String basic = "Basic " + base64("user:password of some length");
        Runnable search = () -> {
            replacer.header("Mozilla/5.0 (X11; Linux x86_64) SALLYPORT_PROXY_GITLAB", token -> NEVER);
            replacer.authorization(basic, token -> NEVER);
            replacer.query("a=%41+b&c=d&SALLYPORT=SALLYPORT_PROXY_", (token, name) -> NEVER);
            replacer.path("/a/%42/SALLYPORT_PROXY_GITHU", token -> NEVER);
            matcher.matches("nothing to be found in here");
        };
        for (int i = 0; i < 1000; i++) {
            search.run();
        }
        // when
        long before = Allocations.ofThisThread();
        for (int i = 0; i < 1000; i++) {
            search.run();
        }
        long allocated = Allocations.ofThisThread() - before;
        // then: less than one byte a search, for what the measuring itself takes
        assertThat(allocated).isLessThan(1000);
    }

    @Test
    void aChoiceMayUseTheSwapperItself() {
        Filled replacer = replacer("real");
        String swapped = replacer.query("a=" + PLACEHOLDER + "&b=" + PLACEHOLDER, (token, name) -> {
            assertThat(replacer.path("/%41/" + PLACEHOLDER, inner -> true)).isEqualTo("/%41/real");
            return true;
        });
        assertThat(swapped).isEqualTo("a=real&b=real");
    }

    private boolean swap(int token) {
        asked.add(token);
        return true;
    }

    private static Filled replacer(String value) {
        return replacer(List.of(PLACEHOLDER), List.of(value));
    }

    private static Filled replacer(List<String> placeholders, List<String> values) {
        Placeholders compiled = Placeholders.of(
                placeholders.stream().map(text -> text.getBytes(UTF_8)).toList());
        return new Filled(
                compiled.replacer(),
                values.stream().map(text -> text.getBytes(UTF_8)).toList());
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
