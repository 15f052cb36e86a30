package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Headers;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.redact.Cover;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Takes real credentials out of responses. Thread-safe. */
final class Echoes {

    /** What takes the place of a session token where the workload has none. */
    static final String MARKER = "SALLYPORT_REDACTED";

    private static final int KEPT = 32;

    private final ConcurrentHashMap<Key, Redaction> compiled = new ConcurrentHashMap<>();

    private record Key(
            Keys keys, String placeholderId, @Nullable String placeholderToken) {

        @Override
        public String toString() {
            return "Key[***]";
        }
    }

    /**
     * Some values that must not come back.
     *
     * @param names what the value of each index is
     */
    record Redaction(Redactor redactor, List<String> names) {}

    /** What is done with the response to a request. */
    ResponseStep.Inline step(Exposed exposed) {
        return new EchoStep(this, exposed);
    }

    /** Looks for the credentials; shared by the requests of a workload. */
    Redaction credentials(Exposed exposed) {
        Key key = new Key(exposed.keys(), exposed.placeholderId(), exposed.placeholderToken());
        Redaction known = compiled.get(key);
        if (known == null) {
            if (compiled.size() >= KEPT) {
                compiled.clear(); // workloads choose their placeholders
            }
            known = compiled.computeIfAbsent(key, missing -> compile(exposed, false));
        }
        return known;
    }

    /** Looks for the signature too, with which a request could be repeated by others. */
    static Redaction all(Exposed exposed) {
        return compile(exposed, true);
    }

    private static Redaction compile(Exposed exposed, boolean signature) {
        List<Cover> covers = new ArrayList<>(3);
        List<String> names = new ArrayList<>(3);
        add("access_key_id", exposed.keys().accessKeyId(), exposed.placeholderId(), covers, names);
        String instead = exposed.placeholderToken();
        add("session_token", exposed.keys().sessionToken(), instead == null ? MARKER : instead, covers, names);
        if (signature) {
            add("signature", exposed.signature(), exposed.placeholderSignature(), covers, names);
        }
        return new Redaction(Redactor.of(covers), List.copyOf(names));
    }

    private static void add(
            String name, @Nullable String value, String placeholder, List<Cover> covers, List<String> names) {
        if (value != null && value.length() >= Redactor.MIN_LENGTH) {
            covers.add(new Cover(
                    value.getBytes(StandardCharsets.ISO_8859_1), placeholder.getBytes(StandardCharsets.ISO_8859_1)));
            names.add(name);
        }
    }

    /**
     * Sees to it that a response can be read where all of it is looked through: whole (RFC 9110, 14.2), and in a content
     * coding that is known here.
     */
    void restrict(Headers headers, Inbound inbound, Fields fields) {
        if (inbound.scope().objectStore()) {
            return;
        }
        fields.remove("Range");
        fields.remove("If-Range");
        List<String> lines = headers.all("Accept-Encoding");
        List<String> kept = new ArrayList<>(4);
        boolean dropped = false;
        for (String element : String.join(",", lines).split(",", -1)) {
            String coding = element.strip();
            if (isKnown(coding)) {
                kept.add(coding);
            } else {
                dropped |= !coding.isEmpty();
            }
        }
        if (dropped) {
            fields.set("Accept-Encoding", kept.isEmpty() ? "identity" : String.join(", ", kept), false);
        }
    }

    private static boolean isKnown(String element) {
        int semicolon = element.indexOf(';');
        String coding = (semicolon < 0 ? element : element.substring(0, semicolon)).strip();
        return coding.equalsIgnoreCase("identity")
                || (!coding.isEmpty() && Codings.parse(coding).known());
    }
}
