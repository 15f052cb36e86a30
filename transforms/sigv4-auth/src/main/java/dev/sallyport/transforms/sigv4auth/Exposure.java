package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.redact.Restriction;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Declares to the engine which parts of the real credentials requests reveal. The content of successful responses of an
 * object store is data, so requests may ask for ranges of it. Thread-safe.
 */
final class Exposure {

    private static final String AMAZON = ".amazonaws.com";
    private static final String AMAZON_CHINA = ".amazonaws.com.cn";

    /** The number of credential states that are kept. */
    private static final int KEPT = 4;

    private final @Nullable RedactResponse when;
    private final Predicate<Destination> reach;
    private final ConcurrentHashMap<Keys, Shown> shown = new ConcurrentHashMap<>();

    private record Shown(Credential accessKeyId, @Nullable Credential sessionToken) {}

    Exposure(@Nullable RedactResponse when, RuleSet rules) {
        this.when = when;
        this.reach = destination -> rules.reaches(destination) && !isObjectStore(destination.host());
    }

    /** Whether a host is one of Amazon's object stores, whatever service the request is signed for. */
    static boolean isObjectStore(String host) {
        String suffix = host.endsWith(AMAZON) ? AMAZON : host.endsWith(AMAZON_CHINA) ? AMAZON_CHINA : "";
        if (suffix.isEmpty()) {
            return false;
        }
        for (String label : host.substring(0, host.length() - suffix.length()).split("\\.", -1)) {
            if (Names.isObjectStore(label) || label.startsWith("s3-") || label.startsWith("s3express-")) {
                return true;
            }
        }
        return false;
    }

    /** Restricts a request before it is signed, so that the whole response can be searched. */
    void restrict(RequestHead head, String host, Fields fields) {
        if (when != RedactResponse.OFF && !isObjectStore(host)) {
            Restriction.of(head.headers(), fields);
        }
    }

    /** Declares the secret parts of a request's edits. */
    void tell(String host, Keys keys, Inbound inbound, String signature, Edits.Builder edits) {
        boolean store = isObjectStore(host);
        Shown known = shown(keys);
        edits.credential(store ? known.accessKeyId.outsideOfContent() : known.accessKeyId);
        Credential token = known.sessionToken;
        if (token != null) {
            edits.credential(store ? token.outsideOfContent() : token);
        }
        Credential made = Credential.of("signature", signature)
                .placeholder(inbound.signature().getBytes(StandardCharsets.ISO_8859_1))
                .redact(when)
                .forOneExchange();
        edits.credential(store ? made.outsideOfContent() : made);
    }

    private Shown shown(Keys keys) {
        Shown known = shown.get(keys);
        if (known == null) {
            if (shown.size() >= KEPT) {
                shown.clear();
            }
            String token = keys.sessionToken();
            known = new Shown(
                    Credential.of("access_key_id", keys.accessKeyId())
                            .redact(when)
                            .within(reach),
                    token == null
                            ? null
                            : Credential.of("session_token", token).redact(when).within(reach));
            shown.put(keys, known);
        }
        return known;
    }

    @Override
    public String toString() {
        return "Exposure[***]";
    }
}
