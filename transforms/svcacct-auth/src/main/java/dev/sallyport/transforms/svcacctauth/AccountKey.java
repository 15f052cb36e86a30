package dev.sallyport.transforms.svcacctauth;

import com.google.auth.http.HttpTransportFactory;
import com.google.auth.oauth2.ServiceAccountCredentials;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the key of a service account in Google's JSON. Pure functions. */
final class AccountKey {

    /** What was expected, for error messages. */
    static final String EXPECTED = "the JSON key of a service account";

    private static final String TYPE = "service_account";
    private static final List<String> FIELDS = List.of("client_email", "client_id", "private_key", "private_key_id");

    private AccountKey() {}

    /** A text that is not a key. The message names fields and shows nothing of the text. */
    static final class InvalidKeyException extends Exception {

        private static final long serialVersionUID = 1L;

        InvalidKeyException(String message) {
            super(message);
        }
    }

    /** The credentials of a key, without the library's retries. */
    static ServiceAccountCredentials parse(byte[] json, HttpTransportFactory transport) throws InvalidKeyException {
        check(object(json));
        try {
            return ServiceAccountCredentials.fromStream(new ByteArrayInputStream(json), transport)
                    .createWithCustomRetryStrategy(false);
        } catch (IOException | RuntimeException e) {
            // The exception's message may quote the value.
            throw new InvalidKeyException("private_key cannot be read");
        }
    }

    private static JsonObject object(byte[] json) throws InvalidKeyException {
        try {
            JsonElement parsed = JsonParser.parseString(new String(json, StandardCharsets.UTF_8));
            if (parsed.isJsonObject()) {
                return parsed.getAsJsonObject();
            }
        } catch (JsonParseException e) {
            // Reported below, without the text that the exception quotes.
        }
        throw new InvalidKeyException("not a JSON object");
    }

    private static void check(JsonObject key) throws InvalidKeyException {
        if (!TYPE.equals(text(key, "type"))) {
            throw new InvalidKeyException("type is not " + TYPE);
        }
        List<String> missing = new ArrayList<>(FIELDS);
        missing.removeIf(field -> !text(key, field).isBlank());
        if (!missing.isEmpty()) {
            throw new InvalidKeyException("missing: " + String.join(", ", missing));
        }
    }

    private static String text(JsonObject key, String field) {
        JsonElement value = key.get(field);
        return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
    }
}
