package dev.sallyport.ctl.text;

import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The text of a file, or of standard input. Errors quote nothing of it. Blocks. */
final class SourceText {

    /** Larger than any body that the API takes. */
    private static final int LONGEST = 8 << 20;

    private static final String STANDARD_INPUT = "-";

    private SourceText() {}

    /** What a file is called in messages. */
    static String name(String file) {
        return file.equals(STANDARD_INPUT) ? "standard input" : file;
    }

    /**
     * Reads all of it.
     *
     * @param file {@code -} for standard input
     * @param expected what it should hold, for messages
     */
    static String read(String file, InputStream standardInput, String expected) throws Problem {
        Path path = file.equals(STANDARD_INPUT) ? null : Path.of(file);
        byte[] bytes = bytes(path, standardInput, name(file));
        if (bytes.length > LONGEST) {
            throw Problem.usage(name(file) + ": longer than " + (LONGEST >> 20) + " MiB (expected: " + expected + ")");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.usage(name(file) + ": not text (expected: YAML or JSON in UTF-8)");
        }
    }

    private static byte[] bytes(@Nullable Path file, InputStream standardInput, String name) throws Problem {
        try (InputStream in = file == null ? standardInput : Files.newInputStream(file)) {
            return in.readNBytes(LONGEST + 1);
        } catch (IOException e) {
            throw Problem.usage(name + ": cannot be read (expected: a file of YAML or JSON)");
        }
    }
}
