package dev.sallyport.feed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.sallyport.core.audit.ObservedEgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Events as the control plane reads them. */
final class EventText {

    /** A character takes four bytes at most, so that the longest event fits; an escape of a pair takes twelve. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .build();

    private EventText() {}

    /**
     * An event.
     *
     * @param account whose workload it was; empty where all are of one organization
     */
    static byte[] of(ObservedEgress seen, String account) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField(
                    "timestamp", Instant.ofEpochMilli(seen.millis()).toString());
            json.writeStringField("workload", seen.workload());
            if (!account.isEmpty()) {
                json.writeStringField("account", account);
            }
            json.writeStringField("host", seen.host());
            if (seen.range() != null) {
                json.writeStringField("cidr", seen.range());
            }
            json.writeStringField("protocol", seen.protocol().name().toLowerCase(Locale.ROOT));
            json.writeStringField("verdict", seen.denied() ? "denied" : "allowed");
            json.writeBooleanField("allowed", seen.allowed());
            json.writeStringField("mode", seen.warns() ? "warn" : "enforce");
            if (seen.dial() != null) {
                json.writeStringField("dial", seen.dial().name().toLowerCase(Locale.ROOT));
            }
            json.writeArrayFieldStart("replacements");
            for (ObservedEgress.Replacement replacement : seen.replacements()) {
                json.writeStartObject();
                json.writeStringField("secret", replacement.secret());
                json.writeStringField("location", replacement.location());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException(e); // nothing is written anywhere
        }
        return out.toByteArray();
    }

    /** Whose an event is; empty where all are of one organization. */
    static String account(byte[] event) {
        try (JsonParser json = JSON.createParser(event)) {
            for (String name = field(json); name != null && !name.equals("host"); name = field(json)) {
                if (name.equals("account")) {
                    return json.getText();
                }
            }
            return "";
        } catch (IOException e) {
            throw new IllegalArgumentException("an event that is no JSON", e);
        }
    }

    /** The name of the next member, at whose value the parser stands; null for none. */
    private static @Nullable String field(JsonParser json) throws IOException {
        JsonToken token = json.nextToken();
        while (token != null && token != JsonToken.FIELD_NAME) {
            token = json.nextToken();
        }
        if (token == null) {
            return null;
        }
        String name = json.currentName();
        json.nextToken();
        return name;
    }

    /** A batch of them. */
    static byte[] of(EventSpool.Batch batch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(FileSpool.BATCH_BYTES);
        out.writeBytes(("{\"epoch\":\"" + batch.epoch() + "\",\"first\":" + batch.first() + ",\"events\":[")
                .getBytes(StandardCharsets.US_ASCII));
        List<byte[]> events = batch.events();
        for (int i = 0; i < events.size(); i++) {
            if (i > 0) {
                out.write(',');
            }
            out.writeBytes(events.get(i));
        }
        out.writeBytes("]}".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }
}
