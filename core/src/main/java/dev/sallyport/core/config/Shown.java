package dev.sallyport.core.config;

/** How words of a configuration are shown in messages: short, and on one line. */
final class Shown {

    private static final int MAX_LENGTH = 40;

    private Shown() {}

    /** A scalar that is no secret. */
    static String of(Node.Scalar scalar) {
        return switch (scalar.type()) {
            case STRING, TEXT -> quoted(scalar.text());
            case NULL, BOOLEAN, INTEGER, FLOAT -> shortened(scalar.text());
        };
    }

    static String quoted(String text) {
        return '"' + shortened(text) + '"';
    }

    static String plain(String text) {
        return shortened(text);
    }

    private static String shortened(String text) {
        int length = Math.min(text.length(), MAX_LENGTH);
        StringBuilder shown = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            shown.append(
                    Character.isISOControl(c) || Character.isSurrogate(c) || Character.getType(c) == Character.FORMAT
                            ? '?'
                            : c);
        }
        return text.length() > length ? shown.append("...").toString() : shown.toString();
    }
}
