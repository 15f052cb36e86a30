package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Signs requests again. Thread-safe. */
record Resigner(Clock clock) {

    /**
     * A signed request.
     *
     * @param fields the fields with all changes
     * @param query the changed query, or null
     * @param signature the request's signature, from which the chunks' signatures are derived
     */
    record Signed(Fields fields, @Nullable String query, Signing signing, String signature) {

        @Override
        public String toString() {
            return "Signed[" + signing + "]";
        }
    }

    /** The header fields of a request, for {@link #sign}. */
    static Fields fields(RequestContext context) {
        return new Fields(context.head().headers(), authority(context.destination()));
    }

    private static String authority(Destination destination) {
        String authority = destination.authority();
        String usual = destination.secure() ? ":443" : ":80";
        return authority.endsWith(usual) ? authority.substring(0, authority.length() - usual.length()) : authority;
    }

    /**
     * Signs a request.
     *
     * @param fields the fields with the other pending changes
     * @param hash of the content, or a marker
     */
    Signed sign(RequestHead head, Inbound inbound, Fields fields, String hash, Keys keys) {
        return inbound.presigned()
                ? inQuery(head, inbound, fields, hash, keys)
                : inHeader(head, inbound, fields, hash, keys);
    }

    private Signed inHeader(RequestHead head, Inbound inbound, Fields fields, String hash, Keys keys) {
        List<String> dates = head.headers().all(Names.DATE);
        String timestamp;
        if (dates.size() == 1 && Timestamps.isNear(dates.getFirst(), clock.instant())) {
            timestamp = dates.getFirst();
        } else {
            timestamp = Timestamps.of(clock.instant());
            fields.set(Names.DATE, timestamp, false);
        }
        Signing signing = signing(inbound.scope().on(Timestamps.date(timestamp)), timestamp, keys);
        String token = keys.sessionToken();
        if (token == null) {
            fields.remove(Names.SECURITY_TOKEN);
        } else {
            fields.set(Names.SECURITY_TOKEN, token, true);
        }
        Set<String> names = fields.toSign(inbound.signedHeaders());
        String signature = signing.request(canonical(head, head.query(), inbound.scope(), fields, names, hash));
        fields.set(
                Names.AUTHORIZATION,
                Names.ALGORITHM + " Credential=" + keys.accessKeyId() + '/'
                        + signing.scope().text() + ", SignedHeaders=" + String.join(";", names) + ", Signature="
                        + signature,
                true);
        return new Signed(fields, null, signing, signature);
    }

    /** Date and expiry of a presigned URL stay unchanged. */
    private static Signed inQuery(RequestHead head, Inbound inbound, Fields fields, String hash, Keys keys) {
        RawQuery query = RawQuery.of(head.query());
        Signing signing = signing(inbound.scope(), String.valueOf(query.first(Names.DATE)), keys);
        query.set(
                Names.QUERY_CREDENTIAL,
                keys.accessKeyId() + '/' + signing.scope().text());
        String token = keys.sessionToken();
        if (token == null) {
            query.remove(Names.SECURITY_TOKEN);
        } else {
            query.set(Names.SECURITY_TOKEN, token);
        }
        fields.remove(Names.SECURITY_TOKEN);
        Set<String> names = fields.toSign(inbound.signedHeaders());
        query.set(Names.QUERY_SIGNED_HEADERS, String.join(";", names));
        String signature = signing.request(canonical(head, query.raw(), inbound.scope(), fields, names, hash));
        query.set(Names.QUERY_SIGNATURE, signature);
        return new Signed(fields, query.raw(), signing, signature);
    }

    private static Signing signing(Scope scope, String timestamp, Keys keys) {
        return new Signing(timestamp, scope, keys.derive(scope));
    }

    /** The canonical request, which is hashed and signed. */
    private static StringBuilder canonical(
            RequestHead head, String query, Scope scope, Fields fields, Set<String> names, String hash) {
        StringBuilder text = new StringBuilder(512).append(head.method()).append('\n');
        if (scope.objectStore()) {
            Canonical.objectPath(head.path(), text);
        } else {
            Canonical.path(head.path(), text);
        }
        text.append('\n');
        Canonical.query(query, text);
        text.append('\n');
        fields.canonical(names, text);
        return text.append('\n').append(String.join(";", names)).append('\n').append(hash);
    }
}
