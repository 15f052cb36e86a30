package dev.sallyport.sources.vault;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.SecretException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a Connect server, after the vendor's <a
 * href="https://developer.1password.com/docs/connect/api-reference">description of its API</a>, version 1.8.1: a bearer
 * token, and collections filtered in the manner of SCIM (RFC 7644, 3.4.2.2), vaults by name and items by title.
 */
final class ConnectApi {

    /** Time limit of one call, from dialling to the last byte. */
    static final Duration CALL_LIMIT = Duration.ofSeconds(10);

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final String base;
    private final String token;
    private final String tokenEnv;
    private final HttpCaller http;

    /** @param tokenEnv the name of the token in messages */
    ConnectApi(String base, String token, String tokenEnv, HttpCaller http) {
        this.base = base;
        this.token = token;
        this.tokenEnv = tokenEnv;
        this.http = http;
    }

    /** The object; null when there is none that this token may see. */
    @Nullable JsonNode ask(String path, String noun) throws SecretException, InterruptedException {
        HttpReply reply = call(path);
        return switch (reply.status()) {
            case 200 -> object(json(reply), noun);
            case 403, 404 -> null;
            default -> throw refused(reply.status(), noun);
        };
    }

    /** The object, which must exist. */
    JsonNode get(String path, String noun) throws SecretException, InterruptedException {
        HttpReply reply = call(path);
        if (reply.status() != 200) {
            throw refused(reply.status(), noun);
        }
        return object(json(reply), noun);
    }

    /** The members of a collection whose {@code key} is {@code value}, as the server compares them. */
    JsonNode list(String path, String key, String value, String noun) throws SecretException, InterruptedException {
        String filter =
                key + " eq \"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(value)) + "\"";
        HttpReply reply = call(path + "?filter=" + encoded(filter));
        if (reply.status() != 200) {
            throw refused(reply.status(), noun);
        }
        JsonNode list = json(reply);
        if (!list.isArray()) {
            throw strange(noun + "s");
        }
        return list;
    }

    /** The id of an object. */
    static String id(JsonNode node, String noun) throws SecretException {
        String id = node.path("id").asText();
        if (id.isEmpty()) {
            throw new SecretException("the server's answer has no id of the " + noun);
        }
        return id;
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static JsonNode object(JsonNode json, String noun) throws SecretException {
        if (!json.isObject()) {
            throw strange(noun);
        }
        return json;
    }

    private static SecretException strange(String noun) {
        return new SecretException("the answer is JSON, but no " + noun + " (expected: a Connect server)");
    }

    private SecretException refused(int status, String noun) {
        return new SecretException(
                switch (status) {
                    case 401 -> "the server does not accept the token of " + tokenEnv + " (status 401)";
                    case 403 -> "the token of " + tokenEnv + " gives no access to the " + noun + " (status 403)";
                    case 404 -> "the server does not find the " + noun + " (status 404)";
                    default ->
                        status >= 500
                                ? "the server failed (status " + status + ")"
                                : "the server refused (status " + status + ")";
                });
    }

    private JsonNode json(HttpReply reply) throws SecretException {
        try {
            return JSON.readTree(reply.body());
        } catch (IOException e) {
            // The exception's message would quote the malformed text.
            throw new SecretException("the answer is not JSON (expected: a Connect server)");
        }
    }

    private HttpReply call(String path) throws SecretException, InterruptedException {
        URI uri = URI.create(base + path);
        CompletableFuture<HttpReply> pending = http.call(HttpCall.to("GET", uri)
                        .header("Authorization", "Bearer " + token)
                        .header("Accept", "application/json")
                        .timeout(CALL_LIMIT)
                        .build())
                .toCompletableFuture();
        try {
            return pending.get();
        } catch (InterruptedException e) {
            pending.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            throw new SecretException(
                    switch (e.getCause()) {
                        case TimeoutException late ->
                            uri.getAuthority() + " gave no complete answer within " + CALL_LIMIT.toSeconds() + " s";
                        case IOException io -> "no answer from " + uri.getAuthority() + ": " + io.getMessage();
                        case null, default -> "no answer from " + uri.getAuthority();
                    });
        }
    }
}
