package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.AuditSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Parses every audit record and hands it on. */
final class AuditLines implements AuditSink {

    private final ObjectMapper json = new ObjectMapper();
    private final Consumer<JsonNode> receiver;

    /** {@code receiver} is called by the thread that writes the audit log. */
    AuditLines(Consumer<JsonNode> receiver) {
        this.receiver = receiver;
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        byte[] bytes = new byte[lines.remaining()];
        lines.get(bytes);
        try (MappingIterator<JsonNode> records = json.readerFor(JsonNode.class).readValues(bytes)) {
            records.forEachRemaining(receiver);
        }
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
