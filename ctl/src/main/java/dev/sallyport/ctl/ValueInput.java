package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Values that are read from standard input, where no list of processes shows them. */
final class ValueInput {

    /** One byte more than any value may have. */
    private static final int MOST = (64 << 10) + 2;

    private ValueInput() {}

    /** All of standard input as it is. */
    static String all(Terminal terminal) throws Problem {
        try {
            byte[] bytes = terminal.in().readNBytes(MOST);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.usage("standard input is not UTF-8 (expected: the value)");
        } catch (IOException e) {
            throw Problem.usage("standard input cannot be read (expected: the value)");
        }
    }

    /** All of standard input, without the line break at its end. */
    static String line(Terminal terminal) throws Problem {
        String text = all(terminal);
        String value = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        value = value.endsWith("\r") ? value.substring(0, value.length() - 1) : value;
        if (value.isEmpty()) {
            throw Problem.usage("standard input is empty (expected: the value, one line)");
        }
        return value;
    }
}
