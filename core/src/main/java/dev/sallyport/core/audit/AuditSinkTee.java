package dev.sallyport.core.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Writes to several sinks, one after the other. Each gets every line once, however often another one fails. */
final class AuditSinkTee implements AuditSink {

    private final List<AuditSink> sinks;

    /** The position of each sink in what has been offered. */
    private final int[] done;

    /** How many sinks have taken the records that are being offered. */
    private int taken;

    AuditSinkTee(List<AuditSink> sinks) {
        this.sinks = List.copyOf(sinks);
        this.done = new int[sinks.size()];
    }

    /** Advances when every sink has written all: until then the same lines are offered again. */
    @Override
    public void write(ByteBuffer lines) throws IOException {
        for (int i = 0; i < done.length; i++) {
            ByteBuffer rest = lines.slice(lines.position() + done[i], lines.remaining() - done[i]);
            try {
                while (rest.hasRemaining()) {
                    sinks.get(i).write(rest);
                }
            } finally {
                done[i] += rest.position();
            }
        }
        lines.position(lines.limit());
        Arrays.fill(done, 0);
    }

    @Override
    public void take(List<AuditRecord> records) throws IOException {
        while (taken < sinks.size()) {
            sinks.get(taken).take(records);
            taken++;
        }
        taken = 0;
    }

    @Override
    public void flush() throws IOException {
        for (AuditSink sink : sinks) {
            sink.flush();
        }
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        for (AuditSink sink : sinks) {
            try {
                sink.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
