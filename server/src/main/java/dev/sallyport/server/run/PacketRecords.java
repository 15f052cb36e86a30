package dev.sallyport.server.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.server.run.linux.RefusedPacket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Appends what the kernel refuses to the audit file, beside the proxy's records. One thread uses it. */
final class PacketRecords implements AutoCloseable {

    private final @Nullable AuditSink sink;

    private PacketRecords(@Nullable AuditSink sink) {
        this.sink = sink;
    }

    /** @param file null for none: then nothing is written */
    static PacketRecords to(@Nullable Path file) throws IOException {
        return new PacketRecords(file == null ? null : AuditSinks.file(file));
    }

    /** Appends a record, a whole line at once. */
    void append(RefusedPacket packet) throws IOException {
        if (sink != null) {
            ByteBuffer line = ByteBuffer.wrap((json(packet) + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                sink.write(line);
            }
            sink.flush();
        }
    }

    private static String json(RefusedPacket packet) {
        ObjectNode record = JsonNodeFactory.instance.objectNode();
        record.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        record.put("level", "WARN").put("msg", "request").put("schema_version", 1);
        record.putObject("audit")
                .put("host", packet.address().getHostAddress())
                .put("port", packet.port())
                .put("protocol", packet.protocol())
                .put("action", "reject");
        return record.put("rejected_by", "kernel").toString();
    }

    @Override
    public void close() throws IOException {
        if (sink != null) {
            sink.close();
        }
    }
}
