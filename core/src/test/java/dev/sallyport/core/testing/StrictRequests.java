package dev.sallyport.core.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The requests that some bytes of HTTP/1.x are, as RFC 9112 writes them and nothing looser: a second opinion about what a
 * request says and where it ends. Characters are bytes.
 */
public final class StrictRequests {

    /** One field line. */
    public record Field(String name, String value) {}

    /**
     * One request.
     *
     * @param body as far as it is there
     * @param complete whether it has ended
     */
    public record Request(
            String method,
            String target,
            String version,
            List<Field> fields,
            String body,
            List<Field> trailers,
            boolean complete) {

        /** The same without what follows the head. */
        public Request head() {
            return new Request(method, target, version, fields, "", List.of(), false);
        }
    }

    private static final Pattern REQUEST_LINE =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) (HTTP/1\\.[01])");
    private static final Pattern FIELD_LINE =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*((?:[!-~\\x80-\\xFF](?:[\\t -~\\x80-\\xFF]*"
                    + "[!-~\\x80-\\xFF])?)?)[ \\t]*");
    private static final Pattern CHUNK_SIZE = Pattern.compile("([0-9A-Fa-f]{1,15})(?:[ \\t]*;[\\t -~\\x80-\\xFF]*)?");

    private static final long CHUNKED = -1;
    private static final long MALFORMED = -2;

    private final String text;
    private final List<Request> requests = new ArrayList<>();
    private final StringBuilder body = new StringBuilder();
    private List<Field> trailers = List.of();
    private int at;
    private boolean malformed;

    private StrictRequests(String text) {
        this.text = text;
    }

    /** Reads until something is incomplete or malformed. */
    public static StrictRequests of(byte[] bytes) {
        StrictRequests reading = new StrictRequests(new String(bytes, StandardCharsets.ISO_8859_1));
        while (reading.next()) {
            // One after the other.
        }
        return reading;
    }

    /** Those with a complete head; only the last one may be incomplete. */
    public List<Request> requests() {
        return requests;
    }

    /** Whether something was met that is no HTTP/1.x. */
    public boolean malformed() {
        return malformed;
    }

    /** Whether it ends where a request ends. */
    public boolean atEnd() {
        return at == text.length();
    }

    private boolean next() {
        while (text.startsWith("\r\n", at)) {
            at += 2;
        }
        int end = text.indexOf("\r\n\r\n", at);
        if (end < 0) {
            return false;
        }
        String[] lines = text.substring(at, end).split("\r\n", -1);
        Matcher line = REQUEST_LINE.matcher(lines[0]);
        List<Field> fields = fields(lines, 1);
        if (!line.matches() || fields == null) {
            return fail();
        }
        long length = length(fields, line.group(3));
        if (length == MALFORMED) {
            return fail();
        }
        at = end + 4;
        body.setLength(0);
        trailers = List.of();
        boolean complete = length == CHUNKED ? chunks() : take(length);
        requests.add(
                new Request(line.group(1), line.group(2), line.group(3), fields, body.toString(), trailers, complete));
        return complete;
    }

    private boolean fail() {
        malformed = true;
        return false;
    }

    private static @Nullable List<Field> fields(String[] lines, int from) {
        List<Field> fields = new ArrayList<>();
        for (int i = from; i < lines.length; i++) {
            Matcher field = FIELD_LINE.matcher(lines[i]);
            if (!field.matches()) {
                return null;
            }
            fields.add(new Field(field.group(1), field.group(2)));
        }
        return fields;
    }

    private static List<String> values(List<Field> fields, String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(Field::value)
                .toList();
    }

    private static long length(List<Field> fields, String version) {
        List<String> codings = values(fields, "Transfer-Encoding");
        List<String> lengths = values(fields, "Content-Length");
        if (codings.isEmpty() && lengths.isEmpty()) {
            return 0;
        }
        if (codings.isEmpty()) {
            boolean one = lengths.size() == 1 && lengths.getFirst().matches("[0-9]{1,18}");
            return one ? Long.parseLong(lengths.getFirst()) : MALFORMED;
        }
        boolean chunked = lengths.isEmpty()
                && version.equals("HTTP/1.1")
                && codings.size() == 1
                && codings.getFirst().equalsIgnoreCase("chunked");
        return chunked ? CHUNKED : MALFORMED;
    }

    private boolean take(long length) {
        int there = (int) Math.min(length, text.length() - at);
        body.append(text, at, at + there);
        at += there;
        return there == length;
    }

    private boolean chunks() {
        while (true) {
            int end = text.indexOf("\r\n", at);
            if (end < 0) {
                return false;
            }
            Matcher size = CHUNK_SIZE.matcher(text.substring(at, end));
            if (!size.matches()) {
                return fail();
            }
            at = end + 2;
            long length = Long.parseLong(size.group(1), 16);
            if (length == 0) {
                return trailerSection();
            }
            boolean there = take(length);
            if (!there || text.length() < at + 2) {
                return false;
            }
            if (!text.startsWith("\r\n", at)) {
                return fail();
            }
            at += 2;
        }
    }

    private boolean trailerSection() {
        if (text.startsWith("\r\n", at)) {
            at += 2;
            return true;
        }
        int end = text.indexOf("\r\n\r\n", at);
        if (end < 0) {
            return false;
        }
        List<Field> found = fields(text.substring(at, end).split("\r\n", -1), 0);
        if (found == null) {
            return fail();
        }
        trailers = found;
        at = end + 4;
        return true;
    }
}
