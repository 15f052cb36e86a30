package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The forms in which placeholders may stand in one kind of place, and how their values are written there. The first forms
 * are the placeholders themselves; further ones exist only where encoding changes a placeholder. Immutable.
 */
final class Forms {

    private final TokenMatcher matcher;
    private final List<Form> forms;

    /** How a value is written. */
    private enum Writing {
        RAW,
        JSON,
        PERCENT,
        JSON_IN_PERCENT
    }

    private record Form(int placeholder, Writing writing) {}

    private Forms(TokenMatcher matcher, List<Form> forms) {
        this.matcher = matcher;
        this.forms = List.copyOf(forms);
    }

    /** The forms in the value of a header field, which may be text of any kind: a cookie, a structured field, JSON. */
    static Forms header(List<byte[]> placeholders, TokenMatcher raw) {
        Collector collector = new Collector();
        for (int i = 0; i < placeholders.size(); i++) {
            collector.add(placeholders.get(i), i, Writing.RAW);
        }
        for (int i = 0; i < placeholders.size(); i++) {
            collector.addPercentEncoded(placeholders.get(i), i, Writing.PERCENT);
            for (byte[] json : JsonText.forms(placeholders.get(i))) {
                collector.add(json, i, Writing.JSON);
                collector.addPercentEncoded(json, i, Writing.JSON_IN_PERCENT);
            }
        }
        return collector.build(raw);
    }

    /** The forms in a body. */
    static Forms body(List<byte[]> placeholders, TokenMatcher raw, BodyEscaping escaping) {
        Collector collector = new Collector();
        for (int i = 0; i < placeholders.size(); i++) {
            collector.add(placeholders.get(i), i, writing(escaping));
        }
        for (int i = 0; i < placeholders.size(); i++) {
            byte[] placeholder = placeholders.get(i);
            collector.addPercentEncoded(placeholder, i, Writing.PERCENT);
            for (byte[] json : JsonText.forms(placeholder)) {
                if (escaping == BodyEscaping.FORM) {
                    collector.add(json, i, Writing.JSON_IN_PERCENT);
                    collector.addPercentEncoded(json, i, Writing.JSON_IN_PERCENT);
                } else {
                    collector.add(json, i, Writing.JSON);
                }
            }
        }
        return collector.build(raw);
    }

    /** The forms in text from which percent-encoding has been removed: those placeholders that look encoded decode too. */
    static Forms decoded(List<byte[]> placeholders, TokenMatcher raw, boolean plus) {
        Collector collector = new Collector();
        for (int i = 0; i < placeholders.size(); i++) {
            collector.add(placeholders.get(i), i, Writing.RAW);
        }
        for (int i = 0; i < placeholders.size(); i++) {
            collector.add(Percent.decode(placeholders.get(i), plus), i, Writing.RAW);
        }
        return collector.build(raw);
    }

    TokenMatcher matcher() {
        return matcher;
    }

    /** The placeholder of which a token of the matcher is a form. */
    int placeholder(int token) {
        return forms.get(token).placeholder();
    }

    /** The value as it is written in place of a token of the matcher. */
    byte[] write(int token, byte[] value) {
        return switch (forms.get(token).writing()) {
            case RAW -> value;
            case JSON -> JsonText.escape(value);
            case PERCENT -> Percent.encode(value, Percent.UNRESERVED, false, true);
            case JSON_IN_PERCENT -> Percent.encode(JsonText.escape(value), Percent.UNRESERVED, false, true);
        };
    }

    private static Writing writing(BodyEscaping escaping) {
        return switch (escaping) {
            case RAW -> Writing.RAW;
            case JSON -> Writing.JSON;
            case FORM -> Writing.PERCENT;
        };
    }

    /** Adds each distinct form once: the first one added wins. */
    private static final class Collector {

        private final List<byte[]> tokens = new ArrayList<>();
        private final List<Form> forms = new ArrayList<>();
        private final Set<ByteBuffer> seen = new HashSet<>();

        void add(byte[] token, int placeholder, Writing writing) {
            boolean further = !seen.add(ByteBuffer.wrap(token));
            if (!further || forms.size() == placeholder) {
                tokens.add(token);
                forms.add(new Form(placeholder, writing));
            }
        }

        void addPercentEncoded(byte[] plain, int placeholder, Writing writing) {
            for (boolean upperCase : new boolean[] {true, false}) {
                add(Percent.encode(plain, Percent.UNRESERVED, false, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.COMPONENT, false, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.FORM, true, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.UNRESERVED + "/", false, upperCase), placeholder, writing);
            }
        }

        Forms build(TokenMatcher raw) {
            return new Forms(tokens.size() == raw.size() ? raw : TokenMatcher.of(tokens), forms);
        }
    }
}
