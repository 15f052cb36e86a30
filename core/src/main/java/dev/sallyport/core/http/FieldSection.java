package dev.sallyport.core.http;

import org.jspecify.annotations.Nullable;

/**
 * The fields of one HTTP/2 message, or of its trailers, as they were read: pseudo-header fields apart, the rest in wire
 * order. Knows what makes a section malformed whatever it is for (RFC 9113, 8.2 and 8.3); whether the pseudo-header
 * fields that a request or a response needs are there is its reader's business. Not thread-safe.
 */
public final class FieldSection {

    private final HeaderBlock fields = new HeaderBlock();
    private @Nullable String method;
    private @Nullable String scheme;
    private @Nullable String authority;
    private @Nullable String path;
    private @Nullable String protocol;
    private @Nullable String status;
    private String malformed = "";
    private boolean pseudo;
    private boolean tooLarge;

    /** The fields that are no pseudo-header fields. */
    public HeaderBlock fields() {
        return fields;
    }

    /** {@code :method}. */
    public @Nullable String method() {
        return method;
    }

    /** {@code :scheme}. */
    public @Nullable String scheme() {
        return scheme;
    }

    /** {@code :authority}. */
    public @Nullable String authority() {
        return authority;
    }

    /** {@code :path}. */
    public @Nullable String path() {
        return path;
    }

    /** {@code :protocol} (RFC 8441, 4). */
    public @Nullable String protocol() {
        return protocol;
    }

    /** {@code :status}. */
    public @Nullable String status() {
        return status;
    }

    /** Whether there is any pseudo-header field; trailers have none. */
    public boolean hasPseudo() {
        return pseudo;
    }

    /** Whether there is a pseudo-header field of requests. */
    public boolean hasRequestPseudo() {
        return method != null || scheme != null || authority != null || path != null || protocol != null;
    }

    /** What is wrong with the fields; empty when nothing is. */
    public String malformed() {
        return malformed;
    }

    /** Whether there was more than the limit allows; what is here is then a part. */
    public boolean tooLarge() {
        return tooLarge;
    }

    void cut() {
        tooLarge = true;
    }

    void add(String name, String value) {
        if (!malformed.isEmpty()) {
            return;
        }
        if (!isFieldValue(value)) {
            malformed = "the value of a header field has a control character, or white space around it";
        } else if (name.startsWith(":")) {
            pseudo(name, value);
        } else {
            field(name, value);
        }
    }

    private void field(String name, String value) {
        if (!isLowerCaseToken(name)) {
            malformed = "the name of a header field is not a token in lower case";
        } else if (isConnectionSpecific(name, value)) {
            malformed = "there is a header field that HTTP/2 does not know: " + name;
        } else {
            fields.append(name, value);
        }
    }

    private void pseudo(String name, String value) {
        pseudo = true;
        String before;
        if (!fields.isEmpty()) {
            malformed = "a pseudo-header field follows another field";
            return;
        }
        switch (name) {
            case ":method" -> {
                before = method;
                method = value;
            }
            case ":scheme" -> {
                before = scheme;
                scheme = value;
            }
            case ":authority" -> {
                before = authority;
                authority = value;
            }
            case ":path" -> {
                before = path;
                path = value;
            }
            case ":protocol" -> {
                before = protocol;
                protocol = value;
            }
            case ":status" -> {
                before = status;
                status = value;
            }
            default -> {
                malformed = "there is an unknown pseudo-header field";
                return;
            }
        }
        if (before != null) {
            malformed = "there is more than one " + name;
        }
    }

    /** RFC 9113, 8.2.2. */
    private static boolean isConnectionSpecific(String name, String value) {
        return switch (name) {
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade" -> true;
            case "te" -> !value.equalsIgnoreCase("trailers");
            default -> false;
        };
    }

    private static boolean isLowerCaseToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return false;
            }
        }
        return Tokens.isToken(name);
    }

    /** Horizontal tab, visible ASCII, space and obs-text, without white space at either end (RFC 9113, 8.2.1). */
    private static boolean isFieldValue(String value) {
        int length = value.length();
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F) {
                return false;
            }
        }
        return length == 0 || !(isSpace(value.charAt(0)) || isSpace(value.charAt(length - 1)));
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /** The names only: values may be secrets. */
    @Override
    public String toString() {
        return "FieldSection" + fields;
    }
}
