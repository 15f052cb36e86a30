package dev.sallyport.core.redact;

/** The digits of Base64 (RFC 4648, 4 and 5). */
final class Base64Digit {

    private Base64Digit() {}

    /** The value of a digit in either alphabet; negative for any other character. */
    static int value(byte c) {
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        } else if (c >= 'a' && c <= 'z') {
            return c - 'a' + 26;
        } else if (c >= '0' && c <= '9') {
            return c - '0' + 52;
        }
        return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
    }
}
