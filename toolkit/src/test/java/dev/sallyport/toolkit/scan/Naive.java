package dev.sallyport.toolkit.scan;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** What the search should find, in the plainest words. */
final class Naive {

    private Naive() {}

    /** The longest token at this place, or -1. */
    static int longestAt(byte[] text, int at, List<byte[]> tokens) {
        int best = -1;
        for (int token = 0; token < tokens.size(); token++) {
            byte[] bytes = tokens.get(token);
            if (isAt(text, at, bytes) && (best < 0 || bytes.length > tokens.get(best).length)) {
                best = token;
            }
        }
        return best;
    }

    static byte[] replace(byte[] text, List<byte[]> tokens, List<byte[]> replacements, List<Integer> replaced) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = 0;
        while (at < text.length) {
            int token = longestAt(text, at, tokens);
            if (token < 0) {
                out.write(text[at++]);
            } else {
                out.writeBytes(replacements.get(token));
                replaced.add(token);
                at += tokens.get(token).length;
            }
        }
        return out.toByteArray();
    }

    private static boolean isAt(byte[] text, int at, byte[] token) {
        if (at + token.length > text.length) {
            return false;
        }
        for (int i = 0; i < token.length; i++) {
            if (text[at + i] != token[i]) {
                return false;
            }
        }
        return true;
    }
}
