package dev.sallyport.ctl.text;

import java.util.regex.Pattern;

/** Text of others that is shown to people. */
public final class Plain {

    /** What a key of the API looks like: of people, and of proxies. */
    private static final Pattern KEY = Pattern.compile("\\b(sp_[a-z]+_)[A-Za-z0-9_-]{8,}");

    private Plain() {}

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

    /** As {@link #clean}, with everything that looks like a key cut. */
    public static String masked(String text) {
        return KEY.matcher(clean(text)).replaceAll("$1***");
    }
}
