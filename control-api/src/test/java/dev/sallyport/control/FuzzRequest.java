package dev.sallyport.control;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request, well-formed or not.
 *
 * @param target as it stands in the request line
 * @param chunk the length of the chunks of the body; 0 for Content-Length
 */
record FuzzRequest(String method, String target, List<Field> fields, byte @Nullable [] body, int chunk) {

    /** A header field. */
    record Field(String name, String value) {}

    /** As it is sent. */
    byte[] bytes(String host) {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        if (fields.stream().noneMatch(field -> field.name().equals("Host"))) {
            head.append("Host: ").append(host).append("\r\n");
        }
        fields.forEach(field ->
                head.append(field.name()).append(": ").append(field.value()).append("\r\n"));
        if (body != null) {
            head.append(chunk > 0 ? "Transfer-Encoding: chunked" : "Content-Length: " + body.length)
                    .append("\r\n");
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (body != null && chunk > 0) {
            for (int at = 0; at < body.length; at += chunk) {
                int length = Math.min(chunk, body.length - at);
                all.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                all.write(body, at, length);
                all.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            all.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } else if (body != null) {
            all.writeBytes(body);
        }
        return all.toByteArray();
    }

    /** The command that sends it again, with a key in place of the one of the run. */
    String curl(String key) {
        StringBuilder command = new StringBuilder();
        if (body != null && body.length > 0) {
            command.append("printf ").append(quoted(body)).append(" | ");
        }
        command.append("curl -sS -i --path-as-is -X ").append(method);
        for (Field field : fields) {
            String line = field.name() + (field.value().isEmpty() ? ";" : ": " + field.value());
            command.append(" -H ")
                    .append(
                            key.isEmpty() || !line.contains(key)
                                    ? "\"$(printf " + quoted(line.getBytes(StandardCharsets.ISO_8859_1)) + ")\""
                                    : "\"" + line.replace(key, "$KEY") + "\"");
        }
        if (chunk > 0) {
            command.append(" -H 'Transfer-Encoding: chunked'");
        }
        if (body != null) {
            command.append(body.length > 0 ? " --data-binary @-" : " -d ''");
        }
        return command.append(" \"$URL$(printf ")
                .append(quoted(target.getBytes(StandardCharsets.ISO_8859_1)))
                .append(")\"")
                .toString();
    }

    /** For printf(1) and the shell. */
    private static String quoted(byte[] bytes) {
        StringBuilder text = new StringBuilder("'");
        for (byte b : bytes) {
            char c = (char) (b & 0xFF);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '%' -> text.append("%%");
                case '\'' -> text.append("'\\''");
                default -> {
                    if (c >= ' ' && c < 0x7F) {
                        text.append(c);
                    } else {
                        text.append("\\%03o".formatted((int) c));
                    }
                }
            }
        }
        return text.append('\'').toString();
    }
}
