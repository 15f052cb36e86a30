package dev.sallyport.control.agent;

/** Where UTF-8 that comes in pieces can be cut. Pure functions. */
final class Utf8 {

    /** So long is a line that is kept before it ends. */
    private static final int LONG_LINE = 4096;

    private Utf8() {}

    /**
     * How many bytes from the beginning can be shown as they are.
     *
     * @param last whether no more than these may come
     */
    static int usable(byte[] bytes, boolean last) {
        for (int i = bytes.length; i > 0; i--) {
            if (bytes[i - 1] == '\n') {
                return last && i < bytes.length && bytes.length < LONG_LINE ? bytes.length : i;
            }
        }
        if (bytes.length < LONG_LINE) {
            return last ? bytes.length : 0;
        }
        return whole(bytes);
    }

    /** Without a character at the end of which bytes may be missing. */
    private static int whole(byte[] bytes) {
        int at = bytes.length - 1;
        int least = Math.max(0, bytes.length - 3);
        while (at > least && (bytes[at] & 0xC0) == 0x80) {
            at--;
        }
        int needed =
                (bytes[at] & 0xF8) == 0xF0 ? 4 : (bytes[at] & 0xF0) == 0xE0 ? 3 : (bytes[at] & 0xE0) == 0xC0 ? 2 : 1;
        return at + needed > bytes.length ? at : bytes.length;
    }
}
