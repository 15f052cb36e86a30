package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * What one request shows of the real credentials, and what the workload sent in their places.
 *
 * @param content whether the service is one whose successful answers are content, and not about the request
 * @param signature the real one; empty while there is none
 */
record Exposed(
        Keys keys,
        String placeholderId,
        @Nullable String placeholderToken,
        String placeholderSignature,
        boolean content,
        String signature) {

    static Exposed before(RequestHead head, Inbound inbound, Keys keys) {
        String token = keys.sessionToken() == null ? null : head.headers().first(Names.SECURITY_TOKEN);
        if (token == null && inbound.presigned() && keys.sessionToken() != null) {
            token = RawQuery.of(head.query()).first(Names.SECURITY_TOKEN);
        }
        return new Exposed(
                keys,
                inbound.accessKeyId(),
                token,
                inbound.signature(),
                inbound.scope().objectStore(),
                "");
    }

    Exposed signed(String realSignature) {
        return new Exposed(keys, placeholderId, placeholderToken, placeholderSignature, content, realSignature);
    }

    @Override
    public String toString() {
        return "Exposed[***]";
    }
}
