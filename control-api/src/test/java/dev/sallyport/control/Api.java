package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client of the API. Each exchange is compared with the OpenAPI document. Immutable. */
final class Api {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI address;
    private final @Nullable String key;
    private final @Nullable Contract contract;
    private final List<String> headers;

    Api(URI address, @Nullable String key, @Nullable Contract contract) {
        this(address, key, contract, List.of());
    }

    private Api(URI address, @Nullable String key, @Nullable Contract contract, List<String> headers) {
        this.address = address;
        this.key = key;
        this.contract = contract;
        this.headers = headers;
    }

    /** An answer. */
    record Reply(int status, HttpHeaders headers, String text) {

        JsonNode json() {
            try {
                return JSON.readTree(text);
            } catch (JsonProcessingException e) {
                throw new AssertionError("no JSON: " + text, e);
            }
        }

        /** The object in {@code data}. */
        JsonNode data() {
            return json().path("data");
        }

        String code() {
            return json().at("/error/code").asText();
        }

        /** Status and code of an error, as the tables of the specification have them. */
        String error() {
            return status + " " + code();
        }

        /** The fields that are wrong. */
        List<String> fields() {
            List<String> fields = new ArrayList<>();
            json().at("/error/fields")
                    .forEach(field -> fields.add(field.path("field").asText()));
            return fields;
        }

        String header(String name) {
            return headers.firstValue(name).orElse("");
        }
    }

    /** A body, but for one of its fields. */
    static String with(String body, String field, String json) {
        ObjectNode changed = (ObjectNode) tree(body);
        changed.set(field, tree(json));
        return changed.toString();
    }

    static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    Api withKey(@Nullable String other) {
        return new Api(address, other, contract, headers);
    }

    Api withHeader(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new Api(address, key, contract, more);
    }

    String key() {
        return String.valueOf(key);
    }

    Reply get(String path) {
        return send("GET", path, null);
    }

    Reply post(String path, @Nullable String json) {
        return send("POST", path, json);
    }

    Reply put(String path, String json) {
        return send("PUT", path, json);
    }

    Reply patch(String path, String json) {
        return send("PATCH", path, json);
    }

    Reply delete(String path) {
        return send("DELETE", path, null);
    }

    Reply send(String method, String path, @Nullable String body) {
        return sendBytes(method, path, body == null ? null : body.getBytes(StandardCharsets.UTF_8));
    }

    Reply sendBytes(String method, String path, byte @Nullable [] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            Reply reply = new Reply(response.statusCode(), response.headers(), response.body());
            if (contract != null) {
                contract.check(method, path, reply);
            }
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
