package dev.sallyport.mcp.json;

/** Looks at numbers as they are written. Pure functions. */
final class Numbers {

    private Numbers() {}

    /** Whether no double is near a number: it is too large, or too small and not zero. */
    static boolean isBeyondDouble(String spelling) {
        double value = Double.parseDouble(spelling);
        return Double.isInfinite(value) || (value == 0 && !isZero(spelling));
    }

    private static boolean isZero(String spelling) {
        for (int i = 0; i < spelling.length(); i++) {
            char c = spelling.charAt(i);
            if (c == 'e' || c == 'E') {
                return true;
            }
            if (c >= '1' && c <= '9') {
                return false;
            }
        }
        return true;
    }
}
