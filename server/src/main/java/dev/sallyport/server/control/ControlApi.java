package dev.sallyport.server.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The API of a control plane on this machine, called as a script would. For one thread; blocks. */
public final class ControlApi {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PASSWORD_BYTES = 24;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(PATIENCE)
            .build();
    private final String base;
    private String key = "";

    /** @param base such as {@code http://127.0.0.1:8090} */
    public ControlApi(String base) {
        this.base = base;
    }

    /** Its address. */
    public String base() {
        return base;
    }

    /** Uses this key in all later calls. */
    public void useKey(String key) {
        this.key = key;
    }

    /** Signs somebody up, uses the key that comes of it, and returns it. Nobody learns the password. */
    public String signUp(String email) throws IOException, InterruptedException {
        byte[] password = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(password);
        String user = JSON.createObjectNode()
                .put("first_name", "Demo")
                .put("last_name", "User")
                .put("email", email)
                .put("password", HexFormat.of().formatHex(password))
                .toString();
        key = call("POST", "/v1/users", user).at("/api_key/token").asText();
        return key;
    }

    /**
     * Makes a call, with a body of JSON or none, and returns the body of the answer.
     *
     * @throws IOException when there is no answer, or it is an error
     */
    public JsonNode call(String method, String path, @Nullable String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(PATIENCE)
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        if (response.statusCode() >= 300) {
            throw new IOException(method + " " + path + " was answered " + response.statusCode() + " "
                    + response.body().strip());
        }
        return response.body().isEmpty() ? JSON.missingNode() : JSON.readTree(response.body());
    }
}
