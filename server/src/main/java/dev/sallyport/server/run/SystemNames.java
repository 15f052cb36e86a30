package dev.sallyport.server.run;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Names of files as the kernel has them: bytes, which paths of this JVM cannot always express. Pure functions. */
final class SystemNames {

    /** How the JVM turns paths into bytes. */
    static final Charset CHARSET = Charset.forName(
            System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()), StandardCharsets.UTF_8);

    private SystemNames() {}

    /**
     * The path of these bytes.
     *
     * @param bytes a character for each byte (ISO 8859-1)
     * @return null when no path of this JVM stands for exactly these bytes
     */
    static @Nullable Path path(String bytes) {
        byte[] name = bytes.getBytes(StandardCharsets.ISO_8859_1);
        String text = new String(name, CHARSET);
        try {
            return Arrays.equals(text.getBytes(CHARSET), name) ? Path.of(text) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** The path of a text that begins with a slash; null for every other text, and where no path has such a name. */
    static @Nullable Path absolute(String text) {
        try {
            return text.startsWith("/") ? Path.of(text) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** The bytes of a path, a character for each. */
    static String bytes(Path path) {
        return new String(path.toString().getBytes(CHARSET), StandardCharsets.ISO_8859_1);
    }

    /** Whether a name can stand in a line: it has no control characters, such as tabs and ends of lines. */
    static boolean isPlain(String name) {
        return name.chars().noneMatch(Character::isISOControl);
    }
}
