package dev.sallyport.toolkit.match;

/**
 * What keeps origins from reading a path alike. Some problems refuse it at once, with 400; the others only where a rule could
 * read it in two ways (docs/spec/decisions.md, section 20).
 */
public enum PathProblem {
    /** There is none. */
    NONE(""),
    /** A percent sign without two hexadecimal digits (RFC 3986, 2.1). */
    MALFORMED_ESCAPE("the path has a malformed percent escape"),
    /** The decoded octets are not UTF-8 (RFC 3629), overlong forms included. */
    NOT_UTF8("the path is not UTF-8"),
    /** A segment {@code .} or {@code ..} (RFC 3986, 3.3), plain, percent-encoded or followed by a parameter. */
    DOT_SEGMENT("the path has a dot segment"),
    /** A backslash, which some servers read as a slash. */
    BACKSLASH("the path has a backslash"),
    /** A NUL, at which some servers end the path. */
    NUL("the path has a NUL"),
    /** A control character, a space, {@code ?} or {@code #} that is not percent-encoded. */
    INVALID_CHARACTER("the path has a character that must be percent-encoded");

    private final String reason;

    PathProblem(String reason) {
        this.reason = reason;
    }

    /** Whether a path with it is never forwarded, whatever the rules. */
    public boolean refused() {
        return this == NUL || this == INVALID_CHARACTER;
    }

    /** The problem, for the answer to the client; empty for {@link #NONE}. */
    public String reason() {
        return reason;
    }
}
