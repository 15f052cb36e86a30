package dev.sallyport.core.audit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what is written, and can be made to fail, to stutter or to hang. */
final class MemorySink implements AuditSink {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private volatile int takes = Integer.MAX_VALUE;
    private volatile boolean failing;
    private volatile boolean failingFlush;
    private volatile CountDownLatch open = new CountDownLatch(0);
    final AtomicInteger writes = new AtomicInteger();
    volatile boolean closed;

    /** Writes fail after having taken this many bytes each. */
    void failAfter(int bytesEach) {
        takes = bytesEach;
        failing = true;
    }

    void failFlush(boolean fails) {
        failingFlush = fails;
    }

    void recover() {
        failing = false;
        takes = Integer.MAX_VALUE;
    }

    /** Writes hang until {@link #unblock}. */
    void block() {
        open = new CountDownLatch(1);
    }

    void unblock() {
        open.countDown();
    }

    List<String> lines() {
        synchronized (bytes) {
            return bytes.toString(StandardCharsets.UTF_8).lines().toList();
        }
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        writes.incrementAndGet();
        try {
            open.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        int count = Math.min(takes, lines.remaining());
        byte[] taken = new byte[count];
        lines.get(taken);
        synchronized (bytes) {
            bytes.writeBytes(taken);
        }
        if (failing) {
            throw new IOException("disk full");
        }
    }

    @Override
    public void flush() throws IOException {
        if (failingFlush) {
            throw new IOException("disk full");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
