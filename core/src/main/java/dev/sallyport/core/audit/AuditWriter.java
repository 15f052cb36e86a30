package dev.sallyport.core.audit;

import dev.sallyport.core.meter.HeapExhaustion;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes and writes records on a thread of its own, in batches: everything available is written at once. The first
 * record after a silence is written immediately; after each batch the thread rests for two milliseconds, so that under
 * load it neither has to be woken for each record nor takes the processor from the next exchange. A failed write is
 * retried, with growing pauses, until it succeeds: meanwhile slots run out and {@link #ready()} is false.
 */
public final class AuditWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);

    /** The size at which a batch ends, so that one write stays short. */
    private static final int BATCH_BYTES = 256 * 1024;

    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private enum Shutdown {
        NONE,
        /** The remaining records are written. */
        DRAINING,
        /** What remains is given up. */
        ABANDONED
    }

    private final AuditGate gate;
    private final AuditSink sink;
    private final AuditListener listener;

    /** Null where exchanges in progress are not kept. */
    private final @Nullable InFlightTable inFlight;

    private final @Nullable AuditFile file;
    private final List<AuditRecord> leftOver;
    private final MpscAtomicArrayQueue<AuditRecord> queue;
    private final AuditBatch batch;
    private final @Nullable ChainKeeper keeper;
    private final Thread thread;
    private final AtomicLong failures = new AtomicLong();

    /** Whether the sink has taken the records of the batch, beside their lines. */
    private boolean taken;

    private volatile boolean parked;
    private volatile boolean ready;
    private volatile Shutdown shutdown = Shutdown.NONE;

    /** Creates a writer, which owns the sink. Nothing is written before {@link #start}. */
    public AuditWriter(AuditGate gate, AuditSink sink, AuditListener listener) {
        this(gate, sink, listener, null);
    }

    /**
     * As the other, and keeps exchanges in progress in the table of a file. Writes first what an earlier process has
     * left there.
     *
     * @param sink the file, alone or among others
     */
    public AuditWriter(AuditGate gate, AuditSink sink, AuditListener listener, @Nullable AuditFile file) {
        this.gate = gate;
        this.sink = sink;
        this.listener = listener;
        this.file = file;
        this.inFlight = file == null ? null : file.inFlight();
        this.leftOver = file == null ? List.of() : file.leftOver();
        this.keeper = file == null ? null : ChainKeeper.of(file);
        this.batch = new AuditBatch(BATCH_BYTES, file == null ? null : file.chain());
        this.queue = new MpscAtomicArrayQueue<>(Math.max(2, gate.capacity()));
        this.thread = Thread.ofPlatform().daemon().name("sallyport-audit").unstarted(this::run);
    }

    /** Starts the thread. */
    public AuditWriter start() {
        ready = true;
        thread.start();
        return this;
    }

    /** Changes when the file is rotated, where there is one. From any thread. */
    public void rotation(Rotation rotation) {
        if (file != null) {
            file.rotation(rotation);
        }
    }

    /**
     * The initial facts of a record have been filled in: should the process end, the next start reports it. A record
     * that has begun must be offered, or {@link #dropped}.
     */
    public MutableAuditRecord begun(MutableAuditRecord record) {
        if (inFlight != null) {
            inFlight.begin(record);
        }
        return record;
    }

    /** A record that has begun continues without a slot, which is returned next. */
    public void lasts(AuditRecord record) {
        if (inFlight != null) {
            inFlight.lasts(record);
        }
    }

    /** A record that has begun will not be offered. */
    public void dropped(AuditRecord record) {
        if (inFlight != null) {
            inFlight.clear(record);
        }
    }

    /** Takes over a record, with its slot. From any thread; never blocks, never fails. */
    public void offer(AuditSlot slot, AuditRecord record) {
        slot.offered(record.path().length());
        if (inFlight != null) {
            inFlight.ended(record);
        }
        record.slot = slot;
        if (!queue.offer(record)) {
            throw new IllegalStateException("an audit record without a slot");
        }
        // The record must be visible before checking whether the writer sleeps; the writer checks in the opposite
        // order.
        VarHandle.fullFence();
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    /** Whether records reach the sink: false before the start, while writes fail, and after the end. */
    public boolean ready() {
        return ready;
    }

    /** How many attempts to write have failed so far. */
    public long failures() {
        return failures.get();
    }

    /**
     * Writes the remaining records, at most for {@code limit}, then ends. To be called when no exchange is left;
     * blocks.
     *
     * @return false when records were left over
     */
    public boolean shutdown(Duration limit) {
        if (shutdown == Shutdown.NONE) {
            shutdown = Shutdown.DRAINING;
        }
        LockSupport.unpark(thread);
        boolean ended = joined(limit);
        shutdown = Shutdown.ABANDONED;
        LockSupport.unpark(thread);
        ready = false;
        int left = gate.records();
        if (!ended && left > 0) {
            LOG.error(
                    "audit: {} records could not be written in time {}",
                    left,
                    inFlight == null
                            ? "and are lost"
                            : "and are lost, except for what the next start reports about them");
        }
        return ended && queue.isEmpty();
    }

    /** As {@link #shutdown}, with ten seconds. */
    @Override
    public void close() {
        shutdown(CLOSE_LIMIT);
    }

    private boolean isShuttingDown() {
        return shutdown != Shutdown.NONE;
    }

    private boolean isAbandoned() {
        return shutdown == Shutdown.ABANDONED;
    }

    private boolean joined(Duration limit) {
        if (thread.getState() == Thread.State.NEW) {
            return queue.isEmpty();
        }
        try {
            return thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        try {
            writeLeftOver();
            while (!isAbandoned()) {
                fill();
                if (!batch.isEmpty()) {
                    write();
                    rest();
                } else if (isShuttingDown()) {
                    signLast();
                    return;
                } else {
                    sleep();
                }
                sign();
            }
        } finally {
            ready = false;
            try {
                sink.close();
            } catch (IOException e) {
                LOG.warn("audit: the sink could not be closed: {}", e.toString());
            }
        }
    }

    /** The last process's records: nothing waits for them, and they hold no slots. */
    private void writeLeftOver() {
        if (keeper != null) {
            keeper.seal(batch);
        }
        for (AuditRecord record : leftOver) {
            batch.add(record);
            if (batch.isFull()) {
                write();
                batch.clear();
            }
        }
        if (!batch.isEmpty()) {
            write();
        }
    }

    /** A checkpoint, when it is time for one. */
    private void sign() {
        if (keeper != null && keeper.nanosUntilDue() == 0) {
            insist(keeper::sign);
        }
    }

    /** A checkpoint of everything, at most a second later. */
    private void signLast() {
        if (keeper == null) {
            return;
        }
        while (!isAbandoned() && keeper.nanosUntilLast() > 0) {
            LockSupport.parkNanos(this, keeper.nanosUntilLast());
        }
        if (!isAbandoned() && keeper.maySign()) {
            insist(keeper::sign);
        }
    }

    private void fill() {
        batch.clear();
        take();
        // Only beside others: a record about a rotation must not by itself be what causes the next.
        if (keeper != null && !batch.isEmpty()) {
            keeper.tellOfSurplus(batch);
        }
    }

    private void take() {
        while (!batch.isFull()) {
            AuditRecord record = queue.relaxedPoll();
            if (record == null) {
                return;
            }
            batch.add(record);
        }
    }

    /**
     * Lets records accumulate, unless that could delay a waiter. The thread sleeps and is not parked, so it is not
     * woken.
     */
    private void rest() {
        if (!isShuttingDown() && !batch.isFull() && !gate.isWaitedFor() && 2 * gate.available() >= gate.capacity()) {
            LockSupport.parkNanos(this, REST_NANOS);
        }
    }

    private void sleep() {
        parked = true;
        VarHandle.fullFence();
        if (queue.isEmpty() && !isShuttingDown()) {
            if (keeper == null || !keeper.signs()) {
                LockSupport.park(this);
            } else if (keeper.nanosUntilDue() > 0) {
                LockSupport.parkNanos(this, keeper.nanosUntilDue());
            }
        }
        parked = false;
    }

    /** Something that may have to be tried again. */
    @FunctionalInterface
    private interface Attempt {

        /** Goes on with it; true when all is done. */
        boolean proceed() throws IOException;
    }

    /** Returns when all of the batch has been written, or the writer was given up. */
    private void write() {
        ByteBuffer lines = batch.lines();
        taken = false;
        if (insist(() -> proceed(lines))) {
            written();
        }
    }

    private boolean proceed(ByteBuffer lines) throws IOException {
        if (lines.hasRemaining()) {
            sink.write(lines);
            return false;
        }
        if (!taken) {
            sink.take(batch.records());
            taken = true;
        }
        sink.flush();
        return true;
    }

    /** Tries until it succeeds; false when the writer was given up. */
    private boolean insist(Attempt attempt) {
        AuditRetry retry = new AuditRetry();
        while (!isAbandoned()) {
            try {
                while (!attempt.proceed()) {
                    retry.progressed();
                }
                retry.succeeded();
                ready = true;
                return true;
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // Files are written through direct buffers, which may be exhausted.
                HeapExhaustion.note(e);
                failures.incrementAndGet();
                ready = false;
                retry.failed(e);
            }
        }
        return false;
    }

    private void written() {
        for (int i = 0; i < batch.size(); i++) {
            AuditRecord record = batch.record(i);
            if (!listener.equals(AuditListener.NONE)) {
                tell(record, batch.line(i));
            }
            gate.captures().giveBack(record.captureBytes);
            if (inFlight != null) {
                inFlight.clear(record);
            }
            AuditSlot slot = record.slot;
            if (slot != null) {
                slot.written();
            }
        }
        if (keeper != null) {
            keeper.written();
        }
    }

    private void tell(AuditRecord record, ByteBuffer line) {
        try {
            listener.written(record, line);
        } catch (RuntimeException | Error e) {
            HeapExhaustion.note(e);
            LOG.warn("audit: a listener failed", e);
        }
    }
}
