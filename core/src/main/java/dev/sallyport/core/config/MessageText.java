package dev.sallyport.core.config;

/** Formats configuration text for messages: short, and on one line. */
final class MessageText {

    private static final int MAX_LENGTH = 40;

    private MessageText() {}

    /** Formats a scalar that is not a secret. */
    static String of(ConfigNode.Scalar scalar) {
        return switch (scalar.type()) {
            case STRING, SWITCH, TEXT -> quoted(scalar.text());
            case NULL, BOOLEAN, INTEGER, FLOAT -> shortened(scalar.text());
        };
    }

    static String quoted(String text) {
        return '"' + shortened(text) + '"';
    }

    /** Reduces a text to a form that fits one line of a report. */
    static String onOneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.chars().forEach(c -> line.append(isShown((char) c) ? (char) c : '?'));
        return line.toString();
    }

    static String shortened(String text) {
        String start = onOneLine(text.substring(0, Math.min(text.length(), MAX_LENGTH)));
        return text.length() > MAX_LENGTH ? start + "..." : start;
    }

    /** Excludes characters that control a terminal, end a line or change the direction of text. */
    private static boolean isShown(char c) {
        int type = Character.getType(c);
        return !Character.isISOControl(c)
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR;
    }
}
