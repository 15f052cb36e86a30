package dev.sallyport.server.management;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** An error response of the management API: {@code {"error": {"code", "message", ...}}}. Messages hold no secret. */
public final class ApiException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient ObjectNode error;
    private final transient Map<String, String> headers;

    /** @param code stable, lower snake case */
    public ApiException(int status, String code, String message) {
        this(status, code, message, Map.of());
    }

    /** @param headers header fields of the response */
    ApiException(int status, String code, String message, Map<String, String> headers) {
        super(message);
        this.status = status;
        this.headers = Map.copyOf(headers);
        this.error = JsonNodeFactory.instance.objectNode().put("code", code).put("message", message);
    }

    /** A field or parameter with a wrong value: 422. */
    public static ApiException invalid(String field, String message) {
        ApiException invalid = new ApiException(422, "validation_error", field + ": " + message);
        invalid.error.putArray("fields").addObject().put("field", field).put("message", message);
        return invalid;
    }

    /** Keeps the cause, for the log. */
    ApiException because(Throwable cause) {
        initCause(cause);
        return this;
    }

    /** The object {@code error}, to which more members may be added. */
    public ObjectNode error() {
        return error;
    }

    /** The response. */
    ApiResponse.Content answer() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.set("error", error);
        return ApiResponse.json(status, body).with(headers);
    }
}
