package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The forms of placeholders in one kind of place, and the notation of their values there. The first forms are the
 * placeholders themselves; further ones exist only where encoding changes a placeholder. Immutable.
 */
final class PlaceholderForms {

    /** Replaces a placeholder's index for a token that is not a form of one. */
    private static final int NONE = -1;

    private final TokenMatcher matcher;
    private final List<Form> forms;

    /** How a value is written. */
    private enum Writing {
        RAW,
        JSON,
        PERCENT,
        JSON_IN_PERCENT,
        XML,
        JSON_IN_XML,
        /** Not a placeholder but the start of a CDATA section. */
        CDATA_START,
        /** Not a placeholder but the end of a CDATA section. */
        CDATA_END
    }

    private record Form(int placeholder, Writing writing) {}

    private PlaceholderForms(TokenMatcher matcher, List<Form> forms) {
        this.matcher = matcher;
        this.forms = List.copyOf(forms);
    }

    /** The forms in the value of a header field, which may be text of any kind: a cookie, a structured field, JSON. */
    static PlaceholderForms header(List<byte[]> placeholders, TokenMatcher raw) {
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
    static PlaceholderForms body(List<byte[]> placeholders, TokenMatcher raw, BodyEscaping escaping) {
        Collector collector = new Collector();
        for (int i = 0; i < placeholders.size(); i++) {
            collector.add(placeholders.get(i), i, writing(escaping));
        }
        for (int i = 0; i < placeholders.size(); i++) {
            byte[] placeholder = placeholders.get(i);
            collector.addPercentEncoded(placeholder, i, Writing.PERCENT);
            if (escaping == BodyEscaping.XML) {
                collector.addAll(XmlText.forms(placeholder), i, Writing.XML);
            }
            for (byte[] json : JsonText.forms(placeholder)) {
                switch (escaping) {
                    case RAW, JSON -> collector.add(json, i, Writing.JSON);
                    case XML -> collector.addAll(XmlText.forms(json), i, Writing.JSON_IN_XML);
                    case FORM -> {
                        collector.add(json, i, Writing.JSON_IN_PERCENT);
                        collector.addPercentEncoded(json, i, Writing.JSON_IN_PERCENT);
                    }
                }
            }
        }
        if (escaping == BodyEscaping.XML) {
            collector.add(XmlText.CDATA_START, NONE, Writing.CDATA_START);
            collector.add(XmlText.CDATA_END, NONE, Writing.CDATA_END);
        }
        return collector.build(raw);
    }

    /**
     * The forms in text from which percent-encoding has been removed: those placeholders that look encoded decode too.
     */
    static PlaceholderForms decoded(List<byte[]> placeholders, TokenMatcher raw, boolean plus) {
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

    /** The replacements of the matcher's tokens in one text, to be called in their order. */
    ReplacingRewriter.Replacer replacer(PlaceholderReplacer.Choice choice) {
        return new ReplacingRewriter.Replacer() {
            private boolean cdata;

            @Override
            public byte @Nullable [] replacement(int token) {
                Form form = forms.get(token);
                if (form.placeholder() == NONE) {
                    cdata = form.writing() == Writing.CDATA_START;
                    return null;
                }
                byte[] value = choice.value(form.placeholder());
                return value == null ? null : write(form.writing(), value, cdata);
            }
        };
    }

    /** The value in the notation of the token that it replaces. */
    byte[] write(int token, byte[] value) {
        return write(forms.get(token).writing(), value, false);
    }

    private static byte[] write(Writing writing, byte[] value, boolean cdata) {
        return switch (writing) {
            case RAW, CDATA_START, CDATA_END -> value;
            case JSON -> JsonText.escape(value);
            case PERCENT -> Percent.encode(value, Percent.UNRESERVED, false, true);
            case JSON_IN_PERCENT -> Percent.encode(JsonText.escape(value), Percent.UNRESERVED, false, true);
            case XML -> cdata ? XmlText.requireInCdata(value) : XmlText.escape(value);
            case JSON_IN_XML ->
                cdata ? XmlText.requireInCdata(JsonText.escape(value)) : XmlText.escape(JsonText.escape(value));
        };
    }

    private static Writing writing(BodyEscaping escaping) {
        return switch (escaping) {
            case RAW -> Writing.RAW;
            case JSON -> Writing.JSON;
            case FORM -> Writing.PERCENT;
            case XML -> Writing.XML;
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

        void addAll(List<byte[]> encoded, int placeholder, Writing writing) {
            encoded.forEach(token -> add(token, placeholder, writing));
        }

        void addPercentEncoded(byte[] plain, int placeholder, Writing writing) {
            for (boolean upperCase : new boolean[] {true, false}) {
                add(Percent.encode(plain, Percent.UNRESERVED, false, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.COMPONENT, false, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.FORM, true, upperCase), placeholder, writing);
                add(Percent.encode(plain, Percent.UNRESERVED + "/", false, upperCase), placeholder, writing);
            }
        }

        PlaceholderForms build(TokenMatcher raw) {
            return new PlaceholderForms(tokens.size() == raw.size() ? raw : TokenMatcher.of(tokens), forms);
        }
    }
}
