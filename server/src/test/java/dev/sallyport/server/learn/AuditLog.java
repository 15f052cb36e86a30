package dev.sallyport.server.learn;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Records as the proxy writes them, for a test. */
final class AuditLog {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<String> lines = new ArrayList<>();

    /** One that was let through, over TLS on port 443. */
    AuditLog allow(String method, String host, String path) {
        return add(record -> {}, method, host, 443, path, "allow");
    }

    /** One that the allowlist refused. */
    AuditLog refused(String method, String host, String path) {
        return add(record -> record.put("rejected_by", "allowlist"), method, host, 443, path, "reject");
    }

    AuditLog add(Consumer<ObjectNode> change, String method, String host, int port, String path, String action) {
        ObjectNode record = JSON.createObjectNode();
        record.put("time", "2026-01-02T03:04:05.678Z").put("level", "INFO").put("msg", "request");
        record.put("exchange_id", "e" + lines.size());
        record.putObject("audit")
                .put("host", host)
                .put("port", port)
                .put("method", method)
                .put("path", path)
                .put("sni", port == 443 ? host : "")
                .put("mode", "mitm")
                .put("action", action);
        record.putArray("request_transforms");
        change.accept(record);
        lines.add(record.toString());
        return this;
    }

    AuditLog line(String line) {
        lines.add(line);
        return this;
    }

    /** A trace of a transform, for {@link #add}. */
    static Consumer<ObjectNode> traced(String transform, String action, String note, Object value) {
        return record -> {
            ObjectNode trace = record.withArray("request_transforms").addObject();
            trace.put("name", transform).put("action", action);
            if (!note.isEmpty()) {
                trace.putObject("annotations").set(note, JSON.valueToTree(value));
            }
        };
    }

    AuditLog shuffled(long seed) {
        AuditLog other = new AuditLog();
        other.lines.addAll(lines);
        Collections.shuffle(other.lines, new Random(seed));
        return other;
    }

    InputStream stream() {
        return new ByteArrayInputStream((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return String.join("\n", lines) + "\n";
    }
}
