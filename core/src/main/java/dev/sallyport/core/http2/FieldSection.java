package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one HTTP/2 message, or of its trailers, as they were read: pseudo-header fields apart, the rest in wire
 * order. Knows what makes a section malformed whatever it is for (RFC 9113, 8.2 and 8.3); its reader checks whether the
 * pseudo-header fields of a request or a response are complete. Not thread-safe.
 */
public final class FieldSection {

    private final HeaderBlock fields = new HeaderBlock();
    private final HeadMeter meter;
    private final boolean trimming;
    private HeadMeter.Room room = HeadMeter.Room.ENOUGH;
    private int charged;
    private @Nullable String method;
    private @Nullable String scheme;
    private @Nullable String authority;
    private @Nullable String path;
    private @Nullable String protocol;
    private @Nullable String status;
    private String malformed = "";
    private boolean pseudo;
    private boolean tooLarge;
    private boolean trimmed;

    /** A section that may be of any size. */
    FieldSection() {
        this(HeadMeter.NONE, false);
    }

    /**
     * A section that requests memory before each field; {@link #takeCharge} hands over what it has taken.
     *
     * @param trimming whether white space at the ends of values is dropped, not refused
     */
    FieldSection(HeadMeter meter, boolean trimming) {
        this.meter = meter;
        this.trimming = trimming;
    }

    /** The fields without pseudo-header fields. */
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

    /** The fault of the fields; empty for none. */
    public String malformed() {
        return malformed;
    }

    /** Whether white space was dropped from a value. */
    public boolean trimmed() {
        return trimmed;
    }

    /** Whether the section exceeded its own limit or its connection's; it then holds only a part of the fields. */
    public boolean tooLarge() {
        return tooLarge || room == HeadMeter.Room.NOT_HERE;
    }

    /** Whether the memory shared by all connections was used up; it then holds only a part of the fields. */
    public boolean crowdedOut() {
        return room == HeadMeter.Room.NOWHERE;
    }

    /** Hands over the charge for the fields, which the caller returns. Later calls return 0. */
    public int takeCharge() {
        int taken = charged;
        charged = 0;
        return taken;
    }

    void cut() {
        tooLarge = true;
    }

    void add(String name, String value) {
        if (!malformed.isEmpty() || room != HeadMeter.Room.ENOUGH) {
            return;
        }
        int cost = name.length() + value.length() + HeadBudget.FIELD_COST;
        room = meter.take(cost);
        if (room != HeadMeter.Room.ENOUGH) {
            return;
        }
        charged += cost;
        String clean = trimming && !name.startsWith(":") ? FieldSyntax.trim(value) : value;
        trimmed |= clean.length() < value.length();
        if (!FieldSyntax.isValue(clean) || !FieldSyntax.isTrimmed(clean)) {
            malformed = "the value of a header field has a control character, or white space around it";
        } else if (name.startsWith(":")) {
            pseudo(name, clean);
        } else {
            field(name, clean);
        }
    }

    private void field(String name, String value) {
        if (!FieldSyntax.isLowerCaseName(name)) {
            malformed = "the name of a header field is not a token in lower case";
        } else if (isConnectionSpecific(name, value)) {
            malformed = "there is a header field that HTTP/2 forbids: " + name;
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
        return ReservedFields.isConnectionSpecific(name) || (name.equals("te") && !value.equalsIgnoreCase("trailers"));
    }

    /** The names only: values may be secrets. */
    @Override
    public String toString() {
        return "FieldSection" + fields;
    }
}
