package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.Needles;
import dev.sallyport.toolkit.scan.TokenMatcher;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is searched for: the values, their Base64 cores, their JSON, HTML and percent-encoded forms, which are
 * there for texts that were escaped twice, and the Base64 cores of all of these. Immutable.
 */
final class Patterns {

    private enum Kind {
        PLAIN,
        BASE64,
        JSON,
        HTML,
        PERCENT
    }

    /**
     * What a token of the matcher is.
     *
     * @param base64 for the kind of that name only, with the form of what is in it
     */
    private record Form(
            int cover,
            Kind kind,
            @Nullable Base64Text base64,
            @Nullable Form inner) {}

    /** Longer values are not looked for in Base64 of their other forms. */
    private static final int LONGEST_NESTED = 4096;

    /** Once the tokens come to so many bytes, further values are not either. */
    private static final int MOST_NESTED = 5 << 20;

    /** What percent-encoders in use leave as it is. */
    private static final List<String> ENCODERS =
            List.of(PercentEscape.UNRESERVED, PercentEscape.COMPONENT, PercentEscape.FORM);

    private final List<Cover> covers;
    private final List<Form> forms;
    private final TokenMatcher matcher;
    private final boolean[] present = new boolean[256];
    /** For each character of ASCII: whether an escape begins with it. */
    private final boolean[] begins = new boolean[128];

    private final List<Escaping> escapings;
    private final Needles allNeedles;
    private final Map<Escaping, Needles> needles = new EnumMap<>(Escaping.class);

    private Patterns(List<Cover> covers, Collector collected) {
        List<byte[]> tokens = collected.tokens;
        this.covers = covers;
        this.forms = List.copyOf(collected.forms);
        this.matcher = matcher(tokens, forms, collected.heads);
        for (byte[] token : tokens) {
            for (byte value : token) {
                present[value & 0xff] = true;
            }
        }
        escapings = present[' ']
                ? List.of(Escaping.JSON, Escaping.PERCENT, Escaping.FORM, Escaping.HTML, Escaping.UTF_16)
                : List.of(Escaping.JSON, Escaping.PERCENT, Escaping.HTML, Escaping.UTF_16);
        allNeedles = needles(escapings);
        for (Escaping escaping : escapings) {
            needles.put(escaping, needles(List.of(escaping)));
            begins[escaping.first()] = true;
            begins[escaping.second()] = true;
        }
    }

    private static Needles needles(List<Escaping> escapings) {
        byte[] bytes = new byte[2 * escapings.size()];
        int count = 0;
        for (Escaping escaping : escapings) {
            bytes[count++] = escaping.first();
            bytes[count++] = escaping.second();
        }
        return Needles.of(bytes);
    }

    private static TokenMatcher matcher(List<byte[]> tokens, List<Form> forms, List<Integer> heads) {
        int[] least = new int[tokens.size()];
        boolean[] cutAnywhere = new boolean[tokens.size()];
        for (int i = 0; i < least.length; i++) {
            least[i] = heads.get(i);
            // The digit behind a cut depends on what was cut off.
            cutAnywhere[i] = forms.get(i).kind() == Kind.BASE64 && least[i] < tokens.get(i).length;
        }
        return TokenMatcher.ofBeginnings(tokens, least, cutAnywhere);
    }

    /** @throws IllegalArgumentException when the values are too long in all */
    static Patterns of(List<Cover> covers) {
        Collector collector = new Collector();
        for (int i = 0; i < covers.size(); i++) {
            for (byte[] reading : Readings.of(covers.get(i).value())) {
                collector.add(i, reading);
            }
        }
        return new Patterns(List.copyOf(covers), collector);
    }

    TokenMatcher matcher() {
        return matcher;
    }

    /** The escapings that make a difference. */
    List<Escaping> escapings() {
        return escapings;
    }

    /** All bytes with which escapes begin. */
    Needles needles() {
        return allNeedles;
    }

    boolean mayBeginEscape(char c) {
        return c < begins.length && begins[c];
    }

    Needles needles(Escaping escaping) {
        Needles own = needles.get(escaping);
        if (own == null) {
            throw new IllegalArgumentException("escaping: " + escaping + " (expected: one of " + escapings + ")");
        }
        return own;
    }

    /** Whether what an escape stands for can be a part of a token. */
    boolean mayContain(Unit unit) {
        for (int i = 0; i < unit.count; i++) {
            if (!present[unit.bytes[i] & 0xff]) {
                return false;
            }
        }
        return true;
    }

    /** Which value a token is a form of. */
    int cover(int token) {
        return forms.get(token).cover();
    }

    /**
     * What to write in place of a token.
     *
     * @param escaping that in which it was found, or the one in which plain text stands here; null for neither
     * @param plain whether it was found without an escape
     */
    byte[] standIn(int token, @Nullable Escaping escaping, boolean plain) {
        Form form = forms.get(token);
        byte[] text = text(form);
        boolean isEscaped = plain && form.kind() != Kind.PLAIN && form.kind() != Kind.BASE64;
        return escaping == null || isEscaped ? text : escaping.write(text);
    }

    /** The same, cut or filled to a length, for messages in which lengths are counted. */
    byte[] standInOfLength(int token, int length) {
        byte[] text = standIn(token, null, true);
        byte[] fitted = new byte[length];
        for (int i = 0; i < length; i++) {
            fitted[i] = i < text.length ? text[i] : (byte) 'x';
        }
        return fitted;
    }

    /** What says the same as the form, of the placeholder. */
    private byte[] text(Form form) {
        byte[] placeholder = covers.get(form.cover()).placeholder();
        Base64Text base64 = form.base64();
        Form inner = form.inner();
        return switch (form.kind()) {
            case PLAIN -> placeholder;
            case BASE64 -> {
                if (base64 == null || inner == null) {
                    throw new IllegalStateException("a form that is not Base64");
                }
                yield base64.standIn(text(inner));
            }
            case JSON -> Escaping.JSON.write(placeholder);
            case HTML -> Escaping.HTML.write(placeholder);
            case PERCENT -> Escaping.PERCENT.write(placeholder);
        };
    }

    /** Takes each distinct token once: the first one that comes wins. */
    private static final class Collector {

        private final List<byte[]> tokens = new ArrayList<>();
        private final List<Form> forms = new ArrayList<>();
        /** How many bytes of a token have to be there, the others being cut off. */
        private final List<Integer> heads = new ArrayList<>();

        private final Set<ByteBuffer> seen = new HashSet<>();
        private long size;

        void add(int cover, byte[] value) {
            int first = tokens.size();
            byte[] head = Arrays.copyOf(value, Math.min(value.length, PublicPrefix.of(value) + Redactor.MIN_LENGTH));
            Form plain = new Form(cover, Kind.PLAIN, null, null);
            add(value, head.length, plain);
            addBase64(value, head, plain);
            byte[] json = Escaping.JSON.write(value);
            byte[] jsonHead = Escaping.JSON.write(head);
            Form inJson = new Form(cover, Kind.JSON, null, null);
            add(json, jsonHead.length, inJson);
            add(withEscapedSlashes(json), withEscapedSlashes(jsonHead).length, inJson);
            for (HtmlEscape.Quotes quotes : HtmlEscape.Quotes.values()) {
                byte[] html = HtmlEscape.write(value, quotes);
                add(html, HtmlEscape.write(head, quotes).length, new Form(cover, Kind.HTML, null, null));
            }
            for (boolean upperCase : new boolean[] {true, false}) {
                for (String kept : ENCODERS) {
                    int least = PercentEscape.write(head, kept, upperCase).length;
                    byte[] token = PercentEscape.write(value, kept, upperCase);
                    add(token, least, new Form(cover, Kind.PERCENT, null, null));
                }
            }
            if (value.length <= LONGEST_NESTED && size <= MOST_NESTED) {
                int last = tokens.size();
                for (int i = first; i < last; i++) {
                    if (forms.get(i).kind() != Kind.PLAIN) {
                        byte[] token = tokens.get(i);
                        addBase64(token, Arrays.copyOf(token, heads.get(i)), forms.get(i));
                    }
                }
            }
        }

        private void addBase64(byte[] value, byte[] head, Form inner) {
            for (int alignment = 0; alignment < Base64Text.ALIGNMENTS; alignment++) {
                for (boolean url : new boolean[] {false, true}) {
                    Base64Text base64 = new Base64Text(value, alignment, url);
                    int least = new Base64Text(head, alignment, url).core().length;
                    add(base64.core(), least, new Form(inner.cover(), Kind.BASE64, base64, inner));
                }
            }
        }

        private void add(byte[] token, int least, Form form) {
            if (seen.add(ByteBuffer.wrap(token))) {
                tokens.add(token);
                forms.add(form);
                heads.add(least);
                size += token.length;
            }
        }

        private static byte[] withEscapedSlashes(byte[] json) {
            byte[] out = new byte[2 * json.length];
            int length = 0;
            for (byte value : json) {
                if (value == '/') {
                    out[length++] = '\\';
                }
                out[length++] = value;
            }
            return Arrays.copyOf(out, length);
        }
    }
}
