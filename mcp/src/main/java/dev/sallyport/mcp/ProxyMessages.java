package dev.sallyport.mcp;

import dev.sallyport.mcp.json.JsonWriter;
import dev.sallyport.spi.StubResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** JSON-RPC messages that the proxy itself sends. */
final class ProxyMessages {

    static final String JSON = "application/json";

    private static final int ACCEPTED = 202;

    private ProxyMessages() {}

    /**
     * An error.
     *
     * @param id the id in JSON, exactly as the client wrote it
     * @param reason the reason, as in the audit record
     */
    static String error(String id, int code, String message, String reason, String exchangeId) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + code + ",\"message\":"
                + JsonWriter.quote(message) + ",\"data\":{\"reason\":\"" + reason + "\",\"exchange_id\":"
                + JsonWriter.quote(exchangeId) + "}}}";
    }

    /** A batch. */
    static String batch(List<String> messages) {
        return "[" + String.join(",", messages) + "]";
    }

    static StubResponse json(int status, String json) {
        return StubResponse.status(status)
                .header("Content-Type", JSON)
                .body(json.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    /** The response to messages that expect none. */
    static StubResponse accepted() {
        return StubResponse.status(ACCEPTED).build();
    }
}
