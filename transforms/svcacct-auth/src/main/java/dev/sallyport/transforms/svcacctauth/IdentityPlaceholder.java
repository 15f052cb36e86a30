package dev.sallyport.transforms.svcacctauth;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/** ID tokens that are worth nothing: without a signature (RFC 7519, 6), but such as libraries can read. Pure functions. */
final class IdentityPlaceholder {

    private static final Duration LIFETIME = Duration.ofHours(1);
    private static final String HEADER = encoded("{\"alg\":\"none\",\"typ\":\"JWT\"}");

    private IdentityPlaceholder() {}

    static String of(String audience, String email, Instant now) {
        JsonObject claims = new JsonObject();
        claims.addProperty("iss", "https://accounts.google.com");
        claims.addProperty("sub", "sallyport-stub-token");
        claims.addProperty("azp", "sallyport-stub-token");
        claims.addProperty("aud", audience);
        claims.addProperty("email", email);
        claims.addProperty("email_verified", true);
        claims.addProperty("iat", now.getEpochSecond());
        claims.addProperty("exp", now.plus(LIFETIME).getEpochSecond());
        return HEADER + "." + encoded(claims.toString()) + ".";
    }

    private static String encoded(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
