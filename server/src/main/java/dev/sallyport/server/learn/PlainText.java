package dev.sallyport.server.learn;

/** What workloads sent, made fit for a terminal and for a comment. Pure functions. */
final class PlainText {

    private PlainText() {}

    /** On one line and in printable ASCII, at most so long; what was cut is said by three dots. */
    static String cut(String text, int length) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length() && plain.length() <= length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7F) {
                plain.append(c);
            } else {
                plain.append("\\u%04x".formatted((int) c));
            }
        }
        return plain.length() <= length ? plain.toString() : plain.substring(0, length) + "...";
    }
}
