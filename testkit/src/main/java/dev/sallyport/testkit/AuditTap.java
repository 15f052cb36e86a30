package dev.sallyport.testkit;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditWriter;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The audit log of a harness: the engine's own writer, with its lines kept. */
final class AuditTap implements AuditListener, AutoCloseable {

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final AuditGate gate = new AuditGate(64, 1L << 24);
    private final AuditWriter writer =
            new AuditWriter(gate, AuditSinks.stream(OutputStream.nullOutputStream()), this).start();

    AuditGate gate() {
        return gate;
    }

    AuditWriter writer() {
        return writer;
    }

    /** The next record; waits for the writer's thread. */
    String next() {
        try {
            String line = lines.poll(Waiting.LIMIT_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new AssertionError("no audit record (expected: one for each exchange)");
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for an audit record", e);
        }
    }

    @Override
    public void written(AuditRecord record, ByteBuffer line) {
        lines.add(StandardCharsets.UTF_8.decode(line).toString());
    }

    @Override
    public void close() {
        writer.close();
    }
}
