package dev.sallyport.testkit;

import java.util.List;
import java.util.Locale;

/**
 * Spellings of a path that some origin reads as the same path, and paths below it, which the handler that is mounted there
 * gets too. They must not evade a transform that restricts ({@link dev.sallyport.spi.Capabilities#restricts}).
 */
public final class PathSpellings {

    private PathSpellings() {}

    /**
     * The path itself first, then the others.
     *
     * @param path one segment of lower-case letters, such as {@code /mcp}
     */
    public static List<String> of(String path) {
        if (!path.matches("/[a-z]{2,}")) {
            throw new IllegalArgumentException("path: " + path + " (expected: one segment of lower-case letters)");
        }
        String upper = path.toUpperCase(Locale.ROOT);
        String capital = upper.substring(0, 2) + path.substring(2);
        return List.of(
                path,
                upper,
                path + "/",
                "/" + path,
                "/" + capital + "//",
                path + ";a=b",
                "/;a" + upper + ";b/",
                "/%" + Integer.toHexString(path.charAt(1)) + path.substring(2),
                "/%" + Integer.toHexString(upper.charAt(1)) + upper.substring(2) + "/",
                path + "%3Bx",
                path + "%0a",
                path + "%0d%0a",
                path + "%09",
                path + "%20",
                path + "%23x",
                path + "%3fx",
                path + "%E2%80%8B",
                path + ".",
                path + "~",
                path + ".json",
                path + "/below",
                path + "/below/it.json");
    }
}
