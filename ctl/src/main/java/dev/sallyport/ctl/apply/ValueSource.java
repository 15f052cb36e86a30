package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Document;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the value of a secret or variable is read: what is read is sent, and never shown.
 *
 * @param field {@code value_env} or {@code value_file}
 * @param from the variable, or the file, relative to the folder of the document
 */
record ValueSource(String field, String from, Document document) {

    private static final String ENV = "value_env";
    private static final String FILE = "value_file";

    /** The bytes that the characters of any value may have, and a line break. */
    private static final int MOST = (256 << 10) + 2;

    /** Takes the source out of an object; null when there is none. */
    static @Nullable ValueSource take(ObjectNode content, Document document) throws Problem {
        JsonNode variable = content.remove(ENV);
        JsonNode file = content.remove(FILE);
        if (variable != null && file != null) {
            throw Problem.usage(document.place(FILE) + ": both value_env and value_file (expected: one of them)");
        }
        if (variable == null && file == null) {
            return null;
        }
        String field = variable == null ? FILE : ENV;
        JsonNode from = variable == null ? file : variable;
        if (from == null || !from.isTextual() || from.asText().isEmpty()) {
            throw Problem.usage(document.place(field) + ": " + field + " is no name (expected: a string)");
        }
        return new ValueSource(field, from.asText(), document);
    }

    /** The value, without the line break at its end. Blocks. */
    String read(Map<String, String> environment) throws Problem {
        String text = field.equals(ENV) ? environment.getOrDefault(from, "") : file();
        String line = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        String value = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
        if (value.isEmpty()) {
            throw problem(empty(environment));
        }
        return value;
    }

    private String empty(Map<String, String> environment) {
        if (field.equals(FILE)) {
            return from + " is empty";
        }
        return "the variable " + from + (environment.containsKey(from) ? " is empty" : " is not set");
    }

    private String file() throws Problem {
        Path folder = Path.of(document.file()).toAbsolutePath().getParent();
        Path path = folder == null ? Path.of(from) : folder.resolve(from);
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MOST + 1);
            if (bytes.length > MOST) {
                throw problem(from + " is longer than 256 KiB");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw problem(from + " is not UTF-8");
        } catch (IOException e) {
            throw problem(from + " cannot be read");
        }
    }

    private Problem problem(String what) {
        return Problem.usage(document.place(field) + ": " + what + " (expected: the value)");
    }
}
