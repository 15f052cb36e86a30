package dev.sallyport.control.model;

import com.google.re2j.Pattern;

/** Patterns of texts that several resources have. */
public final class Texts {

    /** Control characters, separators of lines and paragraphs, and those that turn the direction of what follows. */
    private static final String CONTROLS = "\\x00-\\x1F\\x7F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069";

    /** Spaces, and characters that show nothing. */
    private static final String BLANKS =
            " \u00A0\u00AD\u115F\u1160\u1680\u180E\u2000-\u200D\u202F\u205F-\u2065\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0";

    /** One character at least that shows, and no control characters. */
    public static final String PRINTABLE = "[^" + CONTROLS + "]*[^" + CONTROLS + BLANKS + "][^" + CONTROLS + "]*";

    /** The same in words. */
    public static final String PRINTABLE_WORDS = "a name that can be seen, without control characters";

    private static final Pattern IS_PRINTABLE = Pattern.compile(PRINTABLE);

    private Texts() {}

    /** Whether a text is as {@link #PRINTABLE} says. */
    public static boolean isPrintable(String text) {
        return IS_PRINTABLE.matches(text);
    }
}
