package dev.sallyport.transforms.oauthtoken;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.Upstream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Clock;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** An issuer that enforces each grant, as RFC 6749 and RFC 7523 say. Its texts must not be seen by anybody. */
final class TokenServer implements Upstream {

    static final String CLIENT = "client é:1";
    static final String SECRET = "s3cr3t & client+secret/ü";
    static final String USER = "user@example.com";
    static final String PASSWORD = "p4ss word=&";
    static final String REFRESH = "r3fresh-token-of-the-operator";
    static final String AUDIENCE = "https://issuer.example.com/";
    static final String TEXT = "text-of-the-endpoint";

    private static final ObjectMapper JSON = new ObjectMapper();

    final AtomicInteger asked = new AtomicInteger();
    final Set<String> valid = ConcurrentHashMap.newKeySet();
    volatile Map<String, String> form = Map.of();
    volatile Clock clock = Clock.systemUTC();
    volatile int lifetime = 3600;
    volatile boolean rotates;
    volatile Function<ForwardedRequest, TestResponse> instead;

    TokenServer() {
        valid.add(REFRESH);
    }

    @Override
    public TestResponse answer(ForwardedRequest request) {
        int number = asked.incrementAndGet();
        form = decode(request.body());
        if (instead != null) {
            return instead.apply(request);
        }
        if (!request.method().equals("POST")
                || !request.header("Content-Type").equals("application/x-www-form-urlencoded")) {
            return error(400, "invalid_request");
        }
        return switch (form.getOrDefault("grant_type", "")) {
            case "client_credentials" -> isClient(request) ? token(number) : error(401, "invalid_client");
            case "password" ->
                !isClient(request)
                        ? error(401, "invalid_client")
                        : USER.equals(form.get("username")) && PASSWORD.equals(form.get("password"))
                                ? token(number)
                                : error(400, "invalid_grant");
            case "refresh_token" -> !isClient(request) ? error(401, "invalid_client") : refresh(number);
            case "urn:ietf:params:oauth:grant-type:jwt-bearer" ->
                isAsserted() ? token(number) : error(400, "invalid_grant");
            default -> error(400, "unsupported_grant_type");
        };
    }

    private boolean isClient(ForwardedRequest request) {
        String authorization = request.header("Authorization");
        if (authorization.isEmpty()) {
            return CLIENT.equals(form.get("client_id")) && SECRET.equals(form.get("client_secret"));
        }
        String[] pair = new String(
                        Base64.getDecoder().decode(authorization.replaceFirst("^Basic ", "")),
                        StandardCharsets.US_ASCII)
                .split(":", -1);
        return pair.length == 2
                && CLIENT.equals(url(pair[0]))
                && SECRET.equals(url(pair[1]))
                && !form.containsKey("client_id")
                && !form.containsKey("client_secret");
    }

    private TestResponse refresh(int number) {
        String shown = form.getOrDefault("refresh_token", "");
        if (!valid.contains(shown)) {
            return error(400, "invalid_grant");
        }
        if (!rotates) {
            return token(number);
        }
        valid.remove(shown);
        valid.add("rotated-refresh-" + number);
        return TestResponse.ok("{\"access_token\":\"" + value(number) + "\",\"token_type\":\"bearer\",\"expires_in\":"
                + lifetime + ",\"refresh_token\":\"rotated-refresh-" + number + "\"}");
    }

    private boolean isAsserted() {
        try {
            String[] parts = form.get("assertion").split("\\.", -1);
            JsonNode header = JSON.readTree(Base64.getUrlDecoder().decode(parts[0]));
            JsonNode claims = JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(Keys.publicKey());
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            long now = clock.instant().getEpochSecond();
            return signature.verify(Base64.getUrlDecoder().decode(parts[2]))
                    && header.path("alg").asText().equals("RS256")
                    && header.path("kid").asText("none").equals("key-7")
                    && claims.path("iss").asText().equals("issuer-1")
                    && claims.path("sub").asText().equals(USER)
                    && claims.path("aud").asText().equals(AUDIENCE)
                    && claims.path("jti").asText().length() >= 16
                    && claims.path("iat").asLong() <= now
                    && claims.path("exp").asLong() > now
                    && claims.path("exp").asLong() <= now + 3600;
        } catch (IOException | GeneralSecurityException e) {
            return false;
        }
    }

    static String value(int number) {
        return "minted-token-" + number;
    }

    private TestResponse token(int number) {
        return TestResponse.ok("{\"access_token\":\"" + value(number) + "\",\"token_type\":\"bEaReR\",\"expires_in\":"
                + lifetime + "}");
    }

    static TestResponse error(int status, String code) {
        return TestResponse.status(status)
                .header("Content-Type", "application/json")
                .body("{\"error\":\"" + code + "\",\"error_description\":\"" + TEXT + "\"}");
    }

    private static Map<String, String> decode(String body) {
        Map<String, String> form = new LinkedHashMap<>();
        for (String pair : body.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.put(url(pair.substring(0, equals)), url(pair.substring(equals + 1)));
            }
        }
        return form;
    }

    private static String url(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
