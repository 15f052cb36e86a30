package dev.sallyport.toolkit.headers;

/** Names of header fields (RFC 9110, 5.1). Pure functions. */
public final class HeaderNames {

    private HeaderNames() {}

    /**
     * The canonical form: the first letter and each letter after a hyphen in upper case, the others in lower case, so
     * that {@code x-request-id} becomes {@code X-Request-Id}. A text that is not a field name, or is already canonical,
     * is returned unchanged.
     */
    public static String canonical(String name) {
        int wrong = -1;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!FieldSyntax.isTokenCharacter(c)) {
                return name;
            }
            if (wrong < 0 && c != canonical(name, i)) {
                wrong = i;
            }
        }
        if (wrong < 0) {
            return name;
        }
        char[] chars = name.toCharArray();
        for (int i = wrong; i < chars.length; i++) {
            chars[i] = canonical(name, i);
        }
        return new String(chars);
    }

    private static char canonical(String name, int index) {
        char c = name.charAt(index);
        if (index == 0 || name.charAt(index - 1) == '-') {
            return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
        }
        return lower(c);
    }

    /** Whether two names are the same field. */
    public static boolean equal(String one, String other) {
        if (one.length() != other.length()) {
            return false;
        }
        for (int i = 0; i < one.length(); i++) {
            if (lower(one.charAt(i)) != lower(other.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** A hash that is the same for names that are {@linkplain #equal equal}. */
    public static int hash(String name) {
        int hash = 0;
        for (int i = 0; i < name.length(); i++) {
            hash = hash * 31 + lower(name.charAt(i));
        }
        return hash ^ hash >>> 15;
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
    }
}
