package dev.sallyport.server.terminal;

import java.util.Locale;

/** Text for a terminal, in colours or without. What a workload sent cannot steer the terminal once it is cleaned. */
public record Palette(boolean on) {

    /** Colours when standard output is a terminal (the launcher knows) and nobody has said no (https://no-color.org). */
    public static Palette ofThisTerminal() {
        String refused = System.getenv("NO_COLOR");
        return new Palette(Boolean.getBoolean("sallyport.tty")
                && (refused == null || refused.isEmpty())
                && !"dumb".equals(System.getenv("TERM")));
    }

    /** Bold. */
    public String bold(String text) {
        return paint(1, text);
    }

    /** Dim. */
    public String dim(String text) {
        return paint(2, text);
    }

    /** Red. */
    public String red(String text) {
        return paint(31, text);
    }

    /** Green. */
    public String green(String text) {
        return paint(32, text);
    }

    /** Yellow. */
    public String yellow(String text) {
        return paint(33, text);
    }

    /** Cyan. */
    public String cyan(String text) {
        return paint(36, text);
    }

    /** What became of an exchange, such as {@code reject}: in capitals, in its colour. */
    public String verdict(String action) {
        return padded(action, 0);
    }

    /** As {@link #verdict}, padded to a width. */
    public String padded(String action, int width) {
        String word = action.toUpperCase(Locale.ROOT);
        String padded = word + " ".repeat(Math.max(0, width - word.length()));
        return switch (action) {
            case "allow" -> green(padded);
            case "reject" -> red(padded);
            case "stub" -> cyan(padded);
            case "cancel" -> dim(padded);
            default -> yellow(padded);
        };
    }

    private String paint(int code, String text) {
        return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** Escapes what a terminal would obey or turn around: control and format characters. */
    public static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE -> clean.append(String.format("\\u%04x", c));
                default -> clean.appendCodePoint(c);
            }
        });
        return clean.toString();
    }
}
