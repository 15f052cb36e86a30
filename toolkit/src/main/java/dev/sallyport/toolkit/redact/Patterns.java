package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.TokenMatcher;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All search tokens: the values, their Base64 cores, their JSON, HTML and percent-encoded forms (for texts that were
 * escaped twice), and the Base64 cores of all of these; and the values with every byte percent-encoded. Immutable.
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
     * The meaning of a token.
     *
     * @param base64 the encoded form; only for the kind of that name
     */
    private record Form(
            int redaction,
            Kind kind,
            @Nullable Base64Text base64,
            @Nullable Form inner) {}

    /** Longer values are not searched for in Base64 of their other forms. */
    private static final int LONGEST_NESTED = 4096;

    /** The same applies to further values when all tokens exceed this many bytes. */
    private static final int MOST_NESTED = 5 << 20;

    /** The characters that common percent-encoders leave alone. */
    private static final List<String> ENCODERS =
            List.of(PercentEscape.UNRESERVED, PercentEscape.COMPONENT, PercentEscape.FORM);

    private final List<Redaction> redactions;
    private final List<Form> forms;
    private final TokenMatcher matcher;
    private final long size;
    private final boolean[] present = new boolean[256];
    private final List<Escaping> escapings;
    private final EscapeTable escapeTable;
    private final Triples triples;

    private Patterns(List<Redaction> redactions, Collector collected) {
        List<byte[]> tokens = collected.tokens;
        this.redactions = redactions;
        this.size = collected.size;
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
        escapeTable = new EscapeTable(escapings, present);
        triples = new Triples(tokens);
    }

    private static TokenMatcher matcher(List<byte[]> tokens, List<Form> forms, List<Integer> heads) {
        int[] least = new int[tokens.size()];
        boolean[] cutAnywhere = new boolean[tokens.size()];
        for (int i = 0; i < least.length; i++) {
            least[i] = heads.get(i);
            // The digit after a cut depends on the text that was cut off.
            cutAnywhere[i] = forms.get(i).kind() == Kind.BASE64 && least[i] < tokens.get(i).length;
        }
        return TokenMatcher.ofBeginnings(tokens, least, cutAnywhere);
    }

    /** @throws IllegalArgumentException when the values are too long in all */
    static Patterns of(List<Redaction> redactions) {
        return new Patterns(List.copyOf(redactions), collected(redactions));
    }

    private static Collector collected(List<Redaction> redactions) {
        Collector collector = new Collector();
        for (int i = 0; i < redactions.size(); i++) {
            for (byte[] reading : ValueVariants.of(redactions.get(i).value())) {
                collector.add(i, reading);
            }
        }
        return collector;
    }

    /** All search tokens, made again: they are needed rarely. */
    List<byte[]> tokens() {
        return collected(redactions).tokens;
    }

    /** The length of all tokens. */
    long size() {
        return size;
    }

    TokenMatcher matcher() {
        return matcher;
    }

    /** The escapings that make a difference. */
    List<Escaping> escapings() {
        return escapings;
    }

    /** Where escapes may begin. */
    EscapeTable escapeTable() {
        return escapeTable;
    }

    /** Whether the bytes of an escape can be part of a token. */
    boolean mayContain(int escape) {
        if (Escape.isByte(escape)) {
            return present[Escape.toByte(escape) & 0xff];
        }
        byte[] bytes = new byte[Escape.MOST_BYTES];
        int count = Escape.write(escape, bytes, 0);
        boolean all = true;
        for (int i = 0; i < count; i++) {
            all &= present[bytes[i] & 0xff];
        }
        return all;
    }

    /**
     * Skips escapes one right after the other that can be part of no token.
     *
     * @return the index behind the last one
     */
    int skip(Escaping escaping, byte[] text, int from, int end) {
        return escaping.skip(text, from, end, present);
    }

    /** Which bytes stand in a row in tokens. */
    Triples triples() {
        return triples;
    }

    /** The value of which a token is a form. */
    int redaction(int token) {
        return forms.get(token).redaction();
    }

    /**
     * The replacement of a token.
     *
     * @param escaping the notation in which it was found, or the notation of plain text here; null for neither
     * @param plain whether it was found without an escape
     */
    byte[] standIn(int token, @Nullable Escaping escaping, boolean plain) {
        Form form = forms.get(token);
        byte[] text = text(form);
        boolean isEscaped = plain && form.kind() != Kind.PLAIN && form.kind() != Kind.BASE64;
        return escaping == null || isEscaped ? text : escaping.write(text);
    }

    /** The replacement, cut or filled to a length, for messages that declare lengths. */
    byte[] standInOfLength(int token, int length) {
        byte[] text = standIn(token, null, true);
        byte[] fitted = new byte[length];
        for (int i = 0; i < length; i++) {
            fitted[i] = i < text.length ? text[i] : (byte) 'x';
        }
        return fitted;
    }

    /** The same form of the placeholder. */
    private byte[] text(Form form) {
        byte[] placeholder = redactions.get(form.redaction()).placeholder();
        Base64Text base64 = form.base64();
        Form inner = form.inner();
        return switch (form.kind()) {
            case PLAIN -> placeholder;
            case BASE64 -> {
                if (base64 == null || inner == null) {
                    throw new IllegalStateException("the form is not Base64");
                }
                yield base64.standIn(text(inner));
            }
            case JSON -> Escaping.JSON.write(placeholder);
            case HTML -> Escaping.HTML.write(placeholder);
            case PERCENT -> Escaping.PERCENT.write(placeholder);
        };
    }

    /** Adds each distinct token once: the first one wins. */
    private static final class Collector {

        private final List<byte[]> tokens = new ArrayList<>();
        private final List<Form> forms = new ArrayList<>();
        /** How many bytes of a truncated token must be present. */
        private final List<Integer> heads = new ArrayList<>();

        private final Set<ByteBuffer> seen = new HashSet<>();
        private long size;

        void add(int redaction, byte[] value) {
            int first = tokens.size();
            byte[] head = Arrays.copyOf(value, Math.min(value.length, PublicPrefix.of(value) + Redactor.MIN_LENGTH));
            Form plain = new Form(redaction, Kind.PLAIN, null, null);
            add(value, head.length, plain);
            addBase64(value, head, plain);
            byte[] json = Escaping.JSON.write(value);
            byte[] jsonHead = Escaping.JSON.write(head);
            Form inJson = new Form(redaction, Kind.JSON, null, null);
            add(json, jsonHead.length, inJson);
            add(withEscapedSlashes(json), withEscapedSlashes(jsonHead).length, inJson);
            for (HtmlEscape.Quotes quotes : HtmlEscape.Quotes.values()) {
                byte[] html = HtmlEscape.write(value, quotes);
                add(html, HtmlEscape.write(head, quotes).length, new Form(redaction, Kind.HTML, null, null));
            }
            for (boolean upperCase : new boolean[] {true, false}) {
                for (String kept : ENCODERS) {
                    int least = PercentEscape.write(head, kept, upperCase).length;
                    byte[] token = PercentEscape.write(value, kept, upperCase);
                    add(token, least, new Form(redaction, Kind.PERCENT, null, null));
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
                addEveryByte(redaction, value, head.length);
            }
        }

        /** Every byte percent-encoded, as it is found in what was percent-encoded once more. */
        private void addEveryByte(int redaction, byte[] value, int headLength) {
            for (boolean upperCase : new boolean[] {true, false}) {
                byte[] token = PercentEscape.writeAll(value, upperCase);
                add(token, headLength * PercentEscape.LENGTH, new Form(redaction, Kind.PERCENT, null, null));
            }
        }

        private void addBase64(byte[] value, byte[] head, Form inner) {
            for (int alignment = 0; alignment < Base64Text.ALIGNMENTS; alignment++) {
                for (boolean url : new boolean[] {false, true}) {
                    Base64Text base64 = new Base64Text(value, alignment, url);
                    int least = new Base64Text(head, alignment, url).core().length;
                    add(base64.core(), least, new Form(inner.redaction(), Kind.BASE64, base64, inner));
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
