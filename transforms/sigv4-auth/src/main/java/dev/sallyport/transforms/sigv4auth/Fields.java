package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Restriction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The header fields of a request, with pending changes. Not thread-safe. */
final class Fields implements Restriction.Change {

    /** Fields that may change on the way: no AWS client signs them, or they are removed before the request leaves. */
    private static final Set<String> UNSIGNABLE = Set.of(
            "authorization",
            "connection",
            "expect",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "x-amzn-trace-id");

    /** Fields that the engine drops from a request whose content changes. */
    private static final List<String> DIGESTS = List.of("content-md5", "digest", "content-digest", "repr-digest");

    private static final String AMZ = "x-amz-";
    private static final String HOST = "host";

    private final Headers before;
    private final String host;
    private final List<Change> changes = new ArrayList<>(4);
    private final Set<String> unsigned = new HashSet<>();

    /** @param value null to remove the field */
    private record Change(String name, @Nullable String value, boolean sensitive) {}

    /** @param host the host to use where the request has no {@code Host} */
    Fields(Headers before, String host) {
        this.before = before;
        this.host = host;
    }

    @Override
    public void set(String name, String value) {
        set(name, value, false);
    }

    /** Sets the value of a field, which keeps its name and place. */
    void set(String name, String value, boolean sensitive) {
        changes.add(new Change(name, value, sensitive));
    }

    @Override
    public void remove(String name) {
        if (before.contains(name)) {
            changes.add(new Change(name, null, false));
        }
    }

    /** Excludes from the signature the fields that do not survive a change of the content. */
    void withoutDigests() {
        unsigned.addAll(DIGESTS);
    }

    /** The names to sign, sorted: those that the client signed, as far as they are sent, and the mandatory ones. */
    Set<String> toSign(List<String> signedByClient) {
        TreeSet<String> names = new TreeSet<>();
        names.add(HOST);
        for (String name : signedByClient) {
            if (before.contains(name)) {
                names.add(name);
            }
        }
        for (int i = 0; i < before.size(); i++) {
            if (before.name(i).regionMatches(true, 0, AMZ, 0, AMZ.length())) {
                names.add(before.name(i).toLowerCase(Locale.ROOT));
            }
        }
        for (Change change : changes) {
            String name = change.name().toLowerCase(Locale.ROOT);
            if (change.value() == null) {
                names.remove(name);
            } else if (name.startsWith(AMZ)) {
                names.add(name);
            }
        }
        names.removeAll(UNSIGNABLE);
        names.removeAll(unsigned);
        return names;
    }

    /** Appends the canonical lines of these fields. */
    void canonical(Set<String> names, StringBuilder out) {
        for (String name : names) {
            out.append(name).append(':');
            value(name, out);
            out.append('\n');
        }
    }

    private void value(String name, StringBuilder out) {
        for (Change change : changes) {
            if (change.value() != null && HeaderNames.equal(change.name(), name)) {
                Canonical.value(change.value(), out);
                return;
            }
        }
        boolean first = true;
        for (int i = 0; i < before.size(); i++) {
            if (HeaderNames.equal(before.name(i), name)) {
                out.append(first ? "" : ",");
                Canonical.value(before.value(i), out);
                first = false;
            }
        }
        if (first && name.equals(HOST)) {
            out.append(host);
        }
    }

    /** Adds the changes as edits, with those that carry a credential last. */
    void addTo(Edits.Builder edits) {
        changes.stream().filter(change -> !change.sensitive()).forEach(change -> add(change, edits));
        edits.sensitive();
        changes.stream().filter(Change::sensitive).forEach(change -> add(change, edits));
    }

    private void add(Change change, Edits.Builder edits) {
        String value = change.value();
        int lines = before.all(change.name()).size();
        if (value == null) {
            edits.removeHeader(change.name());
        } else if (lines == 0) {
            edits.addHeader(change.name(), value);
        } else if (lines == 1) {
            edits.setHeaderValue(change.name(), 0, value);
        } else {
            edits.setHeader(change.name(), value);
        }
    }

    @Override
    public String toString() {
        return "Fields[" + before.size() + ", " + changes.size() + " changes]";
    }
}
