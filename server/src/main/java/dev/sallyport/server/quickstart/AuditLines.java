package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.AuditSink;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Hands every audit record on, parsed. */
final class AuditLines implements AuditSink {

    private final ObjectMapper json = new ObjectMapper();
    private final Consumer<JsonNode> receiver;

    /** {@code receiver} is called by the thread that writes the audit log. */
    AuditLines(Consumer<JsonNode> receiver) {
        this.receiver = receiver;
    }

    @Override
    public void write(ByteBuffer lines) throws JsonProcessingException {
        byte[] bytes = new byte[lines.remaining()];
        lines.get(bytes);
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
            receiver.accept(json.readTree(line));
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
