package dev.sallyport.mcp.json;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.Map;

/**
 * Meaningful names, and a test for names that a lenient reader might take for one of them: other case (servers in Go
 * and .NET ignore it), white space and invisible characters around or inside, compatibility forms. Immutable.
 */
public final class Names {

    private final Map<String, String> byFold = new HashMap<>();

    private Names() {}

    /** These names. */
    public static Names of(String... names) {
        Names all = new Names();
        for (String name : names) {
            all.byFold.put(fold(name), name);
        }
        return all;
    }

    /** Whether a name is not one of these but a lenient reader might take it for one. */
    public boolean resembles(String name) {
        String meant = byFold.get(fold(name));
        return meant != null && !meant.equals(name);
    }

    /** Whether some member of an object resembles one of these names. */
    public boolean resembledIn(Json.Obj object) {
        for (String name : object.members().keySet()) {
            if (resembles(name)) {
                return true;
            }
        }
        return false;
    }

    /** The folded form of a name; equal for names that lenient readers may confuse. */
    public static String fold(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < 'a' || c > 'z') {
                return folded(name);
            }
        }
        return name;
    }

    private static String folded(String name) {
        String plain = ascii(name) ? name : Normalizer.normalize(name, Normalizer.Form.NFKC);
        StringBuilder folded = new StringBuilder(plain.length());
        plain.codePoints().forEach(c -> {
            if (!invisible(c)) {
                folded.appendCodePoint(Character.toLowerCase(Character.toUpperCase(c)));
            }
        });
        return folded.toString();
    }

    private static boolean ascii(String name) {
        return name.chars().allMatch(c -> c < 0x80);
    }

    private static boolean invisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
