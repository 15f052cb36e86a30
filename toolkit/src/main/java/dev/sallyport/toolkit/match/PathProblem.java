package dev.sallyport.toolkit.match;

/** The reason for which a path is refused before rules are applied: it is ambiguous. Answered with 400. */
public enum PathProblem {
    /** The path is acceptable. */
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

    /** The problem, for the answer to the client; empty for {@link #NONE}. */
    public String reason() {
        return reason;
    }
}
