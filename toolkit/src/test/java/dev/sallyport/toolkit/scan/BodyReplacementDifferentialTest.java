package dev.sallyport.toolkit.scan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Bodies with placeholders in every encoding, taken apart at random, coded and replaced as they stream, against the plain
 * replacement in the whole text. {@code -Dsallyport.differential.cases} says how many; {@code -Dsallyport.seed} repeats a run.
 */
@Tag("differential")
class BodyReplacementDifferentialTest {

    private static final int CASES = Integer.getInteger("sallyport.differential.cases", 4_000);
    private static final String[] CODINGS = {null, null, null, "gzip", "deflate", "br", "zstd", "gzip, br"};
    private static final String[] TYPES = {null, "text/plain", "application/json", "application/x-www-form-urlencoded"};
    /** Such as need escaping in one place or another; few, so that texts are full of near misses. */
    private static final String[] LETTERS = {"A", "B", "K", "_", "\"", "\\", "/", "&", " ", "+", "%", "\u00e9", "\n"};

    private final Random random;
    private final long seed;

    BodyReplacementDifferentialTest() {
        seed = Long.getLong("sallyport.seed", System.nanoTime());
        random = new Random(seed);
    }

    /** What a case is made of. */
    private record Case(
            List<String> placeholders,
            List<String> values,
            @Nullable String type,
            String text) {}

    @Test
    @Tag("long")
    void streamingGivesWhatReplacingTheWholeGives() {
        System.out.println("differential: seed " + seed + ", " + CASES + " cases");
        int replaced = 0;
        for (int i = 0; i < CASES; i++) {
            // given
            Case made = make();
            String coding = CODINGS[random.nextInt(CODINGS.length)];
            List<Integer> expectedTokens = new ArrayList<>();
            String expected = naive(made, expectedTokens);
            // when
            List<Integer> tokens = new ArrayList<>();
            byte[] actual = stream(made, coding, tokens);
            // then
            assertThat(new String(actual, UTF_8))
                    .as("seed %d case %d, %s, %s: %s", seed, i, made.type(), coding, made)
                    .isEqualTo(expected);
            assertThat(tokens).as("seed %d case %d: %s", seed, i, made).isEqualTo(expectedTokens);
            replaced += tokens.size();
        }
        assertThat(replaced).isGreaterThan(CASES / 2);
    }

    private Case make() {
        List<String> placeholders = new ArrayList<>();
        List<String> values = new ArrayList<>();
        String common = word(random.nextInt(6));
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            String placeholder = (random.nextBoolean() ? common : "") + word(1 + random.nextInt(12));
            if (!placeholders.contains(placeholder)) {
                placeholders.add(placeholder);
                values.add(word(random.nextInt(10)));
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(word(random.nextInt(random.nextInt(8) == 0 ? 3000 : 20)));
            List<String> spelled = new ArrayList<>(spellings(placeholders.get(random.nextInt(placeholders.size()))));
            String one = spelled.get(random.nextInt(spelled.size()));
            text.append(random.nextInt(4) == 0 ? one.substring(0, random.nextInt(one.length() + 1)) : one);
        }
        return new Case(placeholders, values, TYPES[random.nextInt(TYPES.length)], text.toString());
    }

    private String word(int length) {
        StringBuilder word = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            word.append(LETTERS[random.nextInt(LETTERS.length)]);
        }
        return word.toString();
    }

    // The plain way.

    private static String naive(Case made, List<Integer> tokens) {
        Map<String, String> replacements = new LinkedHashMap<>();
        Map<String, Integer> owners = new LinkedHashMap<>();
        forms(made, replacements, owners);
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < made.text().length()) {
            String longest = "";
            for (String form : replacements.keySet()) {
                if (form.length() > longest.length() && made.text().startsWith(form, at)) {
                    longest = form;
                }
            }
            if (longest.isEmpty()) {
                out.append(made.text().charAt(at++));
            } else {
                out.append(replacements.get(longest));
                tokens.add(owners.get(longest));
                at += longest.length();
            }
        }
        return out.toString();
    }

    /** Every form of every placeholder with what stands for it; of equal forms the first counts, raw ones before all. */
    private static void forms(Case made, Map<String, String> replacements, Map<String, Integer> owners) {
        boolean json = "application/json".equals(made.type());
        boolean form = "application/x-www-form-urlencoded".equals(made.type());
        for (int i = 0; i < made.placeholders().size(); i++) {
            String value = made.values().get(i);
            String written = json ? escaped(value) : form ? percent(value) : value;
            if (replacements.putIfAbsent(made.placeholders().get(i), written) == null) {
                owners.put(made.placeholders().get(i), i);
            }
        }
        for (int i = 0; i < made.placeholders().size(); i++) {
            String placeholder = made.placeholders().get(i);
            String value = made.values().get(i);
            for (String spelling : percentSpellings(placeholder)) {
                add(spelling, percent(value), i, replacements, owners);
            }
            for (String spelling : jsonSpellings(placeholder)) {
                add(spelling, form ? percent(escaped(value)) : escaped(value), i, replacements, owners);
                if (form) {
                    for (String twice : percentSpellings(spelling)) {
                        add(twice, percent(escaped(value)), i, replacements, owners);
                    }
                }
            }
        }
    }

    private static void add(
            String form, String written, int owner, Map<String, String> replacements, Map<String, Integer> owners) {
        if (replacements.putIfAbsent(form, written) == null) {
            owners.put(form, owner);
        }
    }

    private static Set<String> spellings(String placeholder) {
        Set<String> all = new TreeSet<>(percentSpellings(placeholder));
        for (String json : jsonSpellings(placeholder)) {
            all.add(json);
            all.addAll(percentSpellings(json));
        }
        all.add(placeholder);
        return all;
    }

    /** As RFC 3986, ECMAScript and HTML forms do it, with a slash left alone or not; hexadecimal in either case. */
    private static List<String> percentSpellings(String text) {
        List<String> all = new ArrayList<>();
        String form = URLEncoder.encode(text, UTF_8);
        String strict = percent(text);
        String component = strict.replace("%21", "!")
                .replace("%27", "'")
                .replace("%28", "(")
                .replace("%29", ")");
        component = component.replace("%2A", "*");
        for (String upper : List.of(strict, component, form, strict.replace("%2F", "/"))) {
            all.add(upper);
            all.add(lowerHex(upper));
        }
        return all;
    }

    private static String percent(String text) {
        return URLEncoder.encode(text, UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private static String lowerHex(String encoded) {
        StringBuilder lower = new StringBuilder(encoded);
        for (int i = 0; i < lower.length(); i++) {
            if (lower.charAt(i) == '%') {
                for (int digit = i + 1; digit <= i + 2; digit++) {
                    lower.setCharAt(digit, Character.toLowerCase(lower.charAt(digit)));
                }
                i += 2;
            }
        }
        return lower.toString();
    }

    private static List<String> jsonSpellings(String text) {
        List<String> all = new ArrayList<>();
        String plain = escaped(text);
        all.add(plain);
        for (boolean upper : new boolean[] {false, true}) {
            for (boolean ascii : new boolean[] {false, true}) {
                String base = ascii ? plain.replace("\u00e9", upper ? "\\u00E9" : "\\u00e9") : plain;
                all.add(base);
                all.add(base.replace("/", "\\/"));
                all.add(base.replace("&", "\\u0026"));
            }
        }
        return all;
    }

    /** Of all that JSON escapes, the letters have three. */
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    // The streaming way.

    private byte[] stream(Case made, @Nullable String coding, List<Integer> tokens) {
        PlaceholderReplacer replacer = Placeholders.of(made.placeholders().stream()
                        .map(text -> text.getBytes(UTF_8))
                        .toList())
                .replacer();
        BodyRewriter rewriter = replacer.body(made.type(), token -> {
            tokens.add(token);
            return made.values().get(token).getBytes(UTF_8);
        });
        Collected out = new Collected();
        byte[] sent = code(made.text().getBytes(UTF_8), coding);
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            int most = 1 + random.nextInt(random.nextBoolean() ? 5 : 500);
            for (int at = 0; at < sent.length; ) {
                int length = Math.min(sent.length - at, random.nextInt(most + 1));
                decoder.write(ByteBuffer.wrap(sent, at, length), bytes -> out.feed(rewriter, bytes));
                at += length;
            }
            decoder.end(bytes -> out.feed(rewriter, bytes));
        }
        rewriter.end(out);
        assertThat(rewriter.changed()).isEqualTo(!tokens.isEmpty());
        return decode(code(out.bytes(), coding), coding);
    }

    private static byte[] code(byte[] plain, @Nullable String coding) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            encoder.write(ByteBuffer.wrap(plain), bytes -> keep(bytes, out));
            encoder.end(bytes -> keep(bytes, out));
        }
        return out.toByteArray();
    }

    private static byte[] decode(byte[] coded, @Nullable String coding) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            decoder.write(ByteBuffer.wrap(coded), bytes -> keep(bytes, out));
            decoder.end(bytes -> keep(bytes, out));
        }
        return out.toByteArray();
    }

    private static void keep(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }
}
