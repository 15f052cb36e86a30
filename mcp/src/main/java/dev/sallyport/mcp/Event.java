package dev.sallyport.mcp;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes of one event of a stream (WHATWG HTML, 9.2). Reads its data and can replace them. */
final class Event {

    private static final byte[] DATA = {'d', 'a', 't', 'a'};
    private static final List<byte[]> FIELDS = List.of(
            DATA, new byte[] {'e', 'v', 'e', 'n', 't'}, new byte[] {'i', 'd'}, new byte[] {'r', 'e', 't', 'r', 'y'});
    static final byte[] BOM = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /**
     * A line.
     *
     * @param start where it begins
     * @param value where its data begin; -1 for a line that has none
     * @param end where it ends
     */
    private record Line(int start, int value, int end) {}

    private final byte[] bytes;
    private final List<Line> lines = new ArrayList<>(4);
    private final int first;
    private final boolean terminated;

    Event(byte[] bytes) {
        this.bytes = bytes;
        first = begins(bytes, 0, bytes.length, BOM) ? BOM.length : 0;
        int at = first;
        while (at < bytes.length) {
            int end = at;
            while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
                end++;
            }
            lines.add(new Line(at, value(at, end), end));
            boolean crlf = end + 1 < bytes.length && bytes[end] == '\r' && bytes[end + 1] == '\n';
            at = end + (crlf ? 2 : 1);
        }
        terminated = at == bytes.length;
    }

    /** Whether a text that begins so may be a stream of events: its first line with a text is a comment or has a field. */
    static boolean mayBegin(byte[] text) {
        int at = begins(text, 0, text.length, BOM) ? BOM.length : 0;
        while (at < text.length && (text[at] == '\n' || text[at] == '\r')) {
            at++;
        }
        if (at < text.length && text[at] == ':') {
            return true;
        }
        for (byte[] field : FIELDS) {
            int end = at + field.length;
            if (begins(text, at, text.length, field)
                    && (end == text.length || text[end] == ':' || text[end] == '\n' || text[end] == '\r')) {
                return true;
            }
        }
        return false;
    }

    private int value(int start, int end) {
        int colon = start + DATA.length;
        if (!begins(bytes, start, end, DATA) || (colon < end && bytes[colon] != ':')) {
            return -1;
        }
        int value = Math.min(end, colon + 1);
        return value < end && bytes[value] == ' ' ? value + 1 : value;
    }

    /** The data of all lines, joined with line feeds. */
    byte[] data() {
        ByteArrayOutputStream data = new ByteArrayOutputStream(bytes.length);
        boolean more = false;
        for (Line line : lines) {
            if (line.value() >= 0) {
                if (more) {
                    data.write('\n');
                }
                more = true;
                data.write(bytes, line.value(), line.end() - line.value());
            }
        }
        return data.toByteArray();
    }

    /**
     * The same event with other data, in place of the first line that had some. All lines then end with a line feed: if
     * a line were removed from among different line breaks, two breaks could become one.
     */
    byte[] with(byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        out.write(bytes, 0, first);
        boolean written = false;
        for (Line line : lines) {
            if (line.value() < 0) {
                out.write(bytes, line.start(), line.end() - line.start());
                out.write('\n');
            } else if (!written) {
                written = true;
                data(data, line, out);
            }
        }
        byte[] all = out.toByteArray();
        return terminated ? all : Arrays.copyOf(all, all.length - 1);
    }

    private void data(byte[] data, Line line, ByteArrayOutputStream out) {
        int from = 0;
        for (int i = 0; i <= data.length; i++) {
            if (i == data.length || data[i] == '\n') {
                out.write(bytes, line.start(), line.value() - line.start());
                out.write(data, from, i - from);
                out.write('\n');
                from = i + 1;
            }
        }
    }

    /**
     * Whether some clients see extra lines: those that honour every Unicode line break see fields within a single line.
     */
    boolean hidesLines() {
        for (int i = 0; i + DATA.length < bytes.length; i++) {
            int length = lineBreak(i);
            if (length > 0 && begins(bytes, i + length, bytes.length, DATA)) {
                return true;
            }
        }
        return false;
    }

    /** The length of a line break that event streams do not have; 0 for none. */
    private int lineBreak(int at) {
        int b = bytes[at] & 0xff;
        if (b == 0x0b || b == 0x0c || (b >= 0x1c && b <= 0x1e)) {
            return 1;
        }
        int second = at + 1 < bytes.length ? bytes[at + 1] & 0xff : 0;
        int third = at + 2 < bytes.length ? bytes[at + 2] & 0xff : 0;
        if (b == 0xc2 && second == 0x85) {
            return 2;
        }
        return b == 0xe2 && second == 0x80 && (third == 0xa8 || third == 0xa9) ? 3 : 0;
    }

    private static boolean begins(byte[] bytes, int from, int to, byte[] with) {
        if (to - from < with.length) {
            return false;
        }
        for (int i = 0; i < with.length; i++) {
            if (bytes[from + i] != with[i]) {
                return false;
            }
        }
        return true;
    }
}
