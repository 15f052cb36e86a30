package dev.sallyport.core.secret;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** {@code json_key}: one field of a secret that is a JSON document. No message quotes the document. */
final class JsonField {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private static final String EXPECTED = " (expected: a JSON document)";

    private JsonField() {}

    /**
     * The field as text: strings unquoted, numbers and booleans as written in the document.
     *
     * @param key a top-level key, or a JSON pointer when it begins with {@code /}
     * @throws SecretException when the field is missing or is an object or array; quotes nothing of the value and has
     *     no cause, because parsers quote what they cannot read
     */
    static SecretValue extract(SecretValue document, String key) throws SecretException {
        String text;
        try {
            byte[] bytes = document.bytes();
            if (!key.startsWith("/")) {
                requireObject(bytes);
            }
            text = find(bytes, pointer(key));
        } catch (IOException e) {
            throw new SecretException("json_key: the value is no JSON" + EXPECTED);
        }
        if (text == null) {
            throw new SecretException(
                    "json_key: the value has no such field, or it is null, an object or an array (expected: a string,"
                            + " number or boolean)");
        }
        return SecretValue.of(text);
    }

    private static JsonPointer pointer(String key) {
        return key.startsWith("/")
                ? JsonPointer.compile(key)
                : JsonPointer.empty().appendProperty(key);
    }

    private static void requireObject(byte[] bytes) throws IOException, SecretException {
        try (JsonParser parser = JSON.createParser(bytes)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new SecretException("json_key: the value is no JSON object (expected: an object with that key)");
            }
        }
    }

    private static @Nullable String find(byte[] bytes, JsonPointer pointer) throws IOException {
        String found = null;
        try (JsonParser whole = JSON.createParser(bytes);
                JsonParser parser = new FilteringParserDelegate(
                        whole, new JsonPointerBasedFilter(pointer), Inclusion.ONLY_INCLUDE_ALL, false)) {
            JsonToken token = parser.nextToken();
            if (token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
                found = parser.getText();
            }
        }
        requireWellFormed(bytes);
        return found;
    }

    private static void requireWellFormed(byte[] bytes) throws IOException {
        try (JsonParser parser = JSON.createParser(bytes)) {
            parser.nextToken();
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new IOException("more than one JSON document");
            }
        }
    }
}
