package dev.sallyport.toolkit.scan;

import java.nio.charset.StandardCharsets;

/** A text with some ranges replaced, from left to right. */
final class Splice {

    private final String text;
    private final StringBuilder out;
    private int done;

    Splice(String text) {
        this.text = text;
        this.out = new StringBuilder(text.length() + 64);
    }

    void replace(int from, int to, byte[] replacement) {
        out.append(text, done, from).append(new String(replacement, StandardCharsets.ISO_8859_1));
        done = to;
    }

    String finish() {
        return out.append(text, done, text.length()).toString();
    }
}
