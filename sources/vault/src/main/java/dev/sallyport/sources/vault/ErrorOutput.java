package dev.sallyport.sources.vault;

import java.nio.charset.StandardCharsets;

/** A program's standard error in a form that may be shown: one line, shortened, without secrets. */
final class ErrorOutput {

    private static final int MAX_LENGTH = 200;

    /** The length of a text that a line may not share with a secret: a longer one is no coincidence. */
    private static final int TELLING = 8;

    private ErrorOutput() {}

    /** The first line that is not blank; withheld when it shares text with the token or the output. */
    static String of(byte[] standardError, String token, byte[] output) {
        String line = new String(standardError, StandardCharsets.UTF_8)
                .lines()
                .map(ErrorOutput::printable)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        if (line.isEmpty()) {
            return "it gave no reason";
        }
        if (tells(line, token) || tells(line, new String(output, StandardCharsets.UTF_8))) {
            return "its reason is withheld because it contains a secret";
        }
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
    }

    /** Removes escape sequences and other characters that would affect a terminal or a log. */
    private static String printable(String line) {
        return line.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
                .replaceAll("[\\p{Cntrl}\\p{Cf}\u2028\u2029\ufffd]", "")
                .strip();
    }

    private static boolean tells(String line, String secret) {
        if (secret.isBlank()) {
            return false;
        }
        int window = Math.min(TELLING, secret.length());
        for (int i = 0; i + window <= secret.length(); i++) {
            if (line.contains(secret.substring(i, i + window))) {
                return true;
            }
        }
        return false;
    }
}
