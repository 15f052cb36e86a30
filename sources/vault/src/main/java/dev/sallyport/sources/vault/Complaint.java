package dev.sallyport.sources.vault;

import java.nio.charset.StandardCharsets;

/** What a program wrote to standard error, fit to be shown: one line, cut, and with nothing secret in it. */
final class Complaint {

    private static final int MAX_LENGTH = 200;

    /** What a line may not have in common with a secret: that much is no coincidence. */
    private static final int TELLING = 8;

    private Complaint() {}

    /** The first line that says something; withheld when it shares text with the token or the output. */
    static String of(byte[] standardError, String token, byte[] output) {
        String line = new String(standardError, StandardCharsets.UTF_8)
                .lines()
                .map(Complaint::printable)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        if (line.isEmpty()) {
            return "it gave no reason";
        }
        if (tells(line, token) || tells(line, new String(output, StandardCharsets.UTF_8))) {
            return "its reason is withheld, because there is something secret in it";
        }
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
    }

    /** Without escape sequences and other characters that would do something to a terminal or a log. */
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
