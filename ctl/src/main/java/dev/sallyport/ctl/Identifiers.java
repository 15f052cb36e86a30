package dev.sallyport.ctl;

import java.util.regex.Pattern;

/** Identifiers of objects: a prefix and 26 characters of Crockford's base 32. Names may begin like them. */
final class Identifiers {

    private static final Pattern DIGITS = Pattern.compile("[0-9a-hjkmnp-tv-z]{26}");

    private Identifiers() {}

    /** Whether a text is an identifier with this prefix. */
    static boolean isOne(String prefix, String text) {
        return text.startsWith(prefix)
                && DIGITS.matcher(text.substring(prefix.length())).matches();
    }
}
