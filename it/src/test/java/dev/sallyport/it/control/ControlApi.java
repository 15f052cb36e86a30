package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.crypto.PasswordCost;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;

/** A client of the API with the key of an account. */
final class ControlApi {

    /** Tests would spend half of their time on hashing at the price of real passwords. */
    static final PasswordCost PASSWORDS = new PasswordCost(64, 1);

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REVISION = "Sallyport-Revision";
    private static final AtomicInteger USERS = new AtomicInteger();

    private final int port;
    private final String key;

    private long lastRevision;
    private String applied = "";

    private ControlApi(int port, String key) {
        this.port = port;
        this.key = key;
    }

    /** Signs somebody up. */
    static ControlApi signUp(int port) throws Exception {
        JsonNode user = new ControlApi(port, "")
                .send(
                        "POST",
                        "/v1/users",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"u" + USERS.incrementAndGet()
                                + "@example.com\", \"password\": \"correct horse\"}",
                        201);
        return new ControlApi(port, user.at("/api_key/token").asText());
    }

    /** The key of the account. */
    String key() {
        return key;
    }

    /** A client with another key. */
    ControlApi with(String other) {
        return new ControlApi(port, other);
    }

    /** A call that must have this status. */
    JsonNode send(String method, String path, String body, int status) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode())
                .as(method + " " + path + ": " + response.body())
                .isEqualTo(status);
        response.headers().firstValue(REVISION).ifPresent(revision -> lastRevision = Long.parseLong(revision));
        applied = response.headers().firstValue("Sallyport-Applied").orElse("");
        return response.body().isEmpty() ? JSON.nullNode() : JSON.readTree(response.body());
    }

    /** The number of the last change. */
    long lastRevision() {
        return lastRevision;
    }

    /** What the last change said of proxies; empty for nothing. */
    String applied() {
        return applied;
    }

    /** Makes something; returns its path. */
    String create(String collection, String body) throws Exception {
        return collection + "/"
                + send("POST", collection, body, 201).at("/data/id").asText();
    }

    /** A network policy for these hosts. */
    static String network(String name, String... hosts) {
        StringBuilder rules = new StringBuilder();
        for (String host : hosts) {
            rules.append(rules.isEmpty() ? "" : ", ")
                    .append("{\"host\": \"")
                    .append(host)
                    .append("\"}");
        }
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [" + rules + "]}";
    }
}
