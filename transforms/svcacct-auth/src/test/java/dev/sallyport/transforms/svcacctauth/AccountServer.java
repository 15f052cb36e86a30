package dev.sallyport.transforms.svcacctauth;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.Upstream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A token endpoint that verifies assertions with the operator's key. Its texts must not be seen by anybody. */
final class AccountServer implements Upstream {

    static final String TEXT = "text-of-the-endpoint";

    final AtomicInteger asked = new AtomicInteger();
    private final Map<Integer, String> idTokens = new ConcurrentHashMap<>();
    volatile JsonObject claims = new JsonObject();
    volatile Function<ForwardedRequest, TestResponse> instead;
    volatile Runnable before = () -> {};

    @Override
    public TestResponse answer(ForwardedRequest request) {
        int number = asked.incrementAndGet();
        before.run();
        if (instead != null) {
            return instead.apply(request);
        }
        if (!isAsserted(request)) {
            return error(400, "invalid_grant");
        }
        return claims.has("target_audience")
                ? TestResponse.ok("{\"id_token\":\"" + idToken(number) + "\"}")
                : TestResponse.ok(
                        "{\"access_token\":\"" + token(number) + "\",\"expires_in\":3599,\"token_type\":\"Bearer\"}");
    }

    /** Equal within a test, so that its end does not matter. */
    String idToken(int number) {
        return idTokens.computeIfAbsent(number, made -> {
            JsonObject payload = new JsonObject();
            payload.addProperty("aud", "x");
            payload.addProperty("jti", "minted-id-token-" + made);
            payload.addProperty("iat", Instant.now().getEpochSecond());
            payload.addProperty("exp", Instant.now().getEpochSecond() + 3600);
            return part("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "." + part(payload.toString()) + "."
                    + part("signature");
        });
    }

    private static String part(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static String token(int number) {
        return "ya29.minted-token-" + number;
    }

    static TestResponse error(int status, String code) {
        return TestResponse.status(status)
                .header("Content-Type", "application/json")
                .body("{\"error\":\"" + code + "\",\"error_description\":\"" + TEXT + "\"}");
    }

    private boolean isAsserted(ForwardedRequest request) {
        String body = request.body();
        int at = body.indexOf("assertion=");
        if (!request.method().equals("POST")
                || at < 0
                || !URLDecoder.decode(body, StandardCharsets.UTF_8)
                        .contains("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer")) {
            return false;
        }
        String[] parts = URLDecoder.decode(body.substring(at + 10).split("&", -1)[0], StandardCharsets.UTF_8)
                .split("\\.", -1);
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(KeyFiles.REAL.publicKey());
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            claims = JsonParser.parseString(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            return signature.verify(Base64.getUrlDecoder().decode(parts[2]))
                    && claims.get("iss").getAsString().equals(KeyFiles.EMAIL)
                    && claims.get("exp").getAsLong() > Instant.now().getEpochSecond();
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
