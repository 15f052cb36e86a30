package dev.sallyport.transforms.oauthtoken;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.interfaces.RSAPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A JWT bearer assertion (RFC 7523, 3), signed with RS256 (RFC 7518, 3.3).
 *
 * @param keyId {@code kid}, or null
 * @param scopes sent as a claim too, since some issuers ignore the request parameter; no claim when empty
 */
record Assertion(
        String issuer,
        String subject,
        String audience,
        @Nullable String keyId,
        List<String> scopes) {

    /** Some issuers accept no longer lifetime, and each assertion is used at once. */
    static final Duration LIFETIME = Duration.ofMinutes(3);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    /** The assertion in its compact form (RFC 7515, 7.1). */
    String signed(RSAPrivateKey key, Instant now) throws GeneralSecurityException {
        ObjectNode header = JSON.createObjectNode().put("alg", "RS256").put("typ", "JWT");
        if (keyId != null) {
            header.put("kid", keyId);
        }
        ObjectNode claims = JSON.createObjectNode()
                .put("iss", issuer)
                .put("sub", subject)
                .put("aud", audience)
                .put("jti", UUID.randomUUID().toString())
                .put("iat", now.getEpochSecond())
                .put("exp", now.plus(LIFETIME).getEpochSecond());
        if (!scopes.isEmpty()) {
            claims.put("scope", String.join(" ", scopes));
        }
        String content = encoded(header) + "." + encoded(claims);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key);
        signature.update(content.getBytes(StandardCharsets.US_ASCII));
        return content + "." + BASE64.encodeToString(signature.sign());
    }

    private static String encoded(ObjectNode node) {
        return BASE64.encodeToString(node.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "Assertion[]";
    }
}
