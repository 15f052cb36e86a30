package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import dev.sallyport.core.audit.AuditRecord.Action;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * docs/design.md, section 5, and docs/spec/decisions.md, section 14: each record is written exactly once, whatever the
 * sink does.
 */
class AuditWriterTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MemorySink sink = new MemorySink();

    @Test
    void recordsOfManyThreadsAreAllThereOnce() throws Exception {
        AuditGate gate = new AuditGate(256, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        int threads = 4;
        int each = 25_000;
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String name = "t" + i + "-";
            producers.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    writer.offer(enter(gate), new MutableAuditRecord(name + n, 0).action(Action.ALLOW));
                }
            }));
        }
        for (Thread producer : producers) {
            producer.join();
        }

        assertThat(writer.shutdown(LONG)).isTrue();

        Set<String> ids = new HashSet<>();
        int[] next = new int[threads];
        for (String line : sink.lines()) {
            String id = JSON.readTree(line).get("exchange_id").textValue();
            assertThat(ids.add(id)).as(id).isTrue();
            int thread = id.charAt(1) - '0';
            assertThat(id).as("in order").endsWith("-" + next[thread]++);
        }
        assertThat(ids).hasSize(threads * each);
        assertThat(gate.available()).isEqualTo(256);
        assertThat(sink.closed).isTrue();
    }

    @Test
    void blockedSinkClosesTheGateAndBlocksNoProducer() {
        AuditGate gate = new AuditGate(4, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        sink.block();
        Queue<String> woken = new ConcurrentLinkedQueue<>();

        for (int i = 0; i < 4; i++) {
            writer.offer(enter(gate), record(i));
        }
        assertThat(gate.tryAcquire()).isNull();
        gate.whenAvailable(null, Runnable::run, () -> woken.add("now"));
        assertThat(woken).isEmpty();
        sink.unblock();

        Awaitility.await().until(() -> !woken.isEmpty());
        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(sink.lines()).hasSize(4);
    }

    /** Slots bound the memory of what waits: a path of 16 KiB takes as many as eight records without one. */
    @Test
    void longRecordsThatWaitTakeMoreSlots() {
        AuditGate gate = new AuditGate(64, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        sink.block();

        for (int i = 0; i < 4; i++) {
            writer.offer(enter(gate), record(i).path("/" + "x".repeat(16 * 1024)));
        }
        writer.offer(enter(gate), record(4).path("/short"));

        assertThat(gate.available()).isEqualTo(64 - 4 * 9 - 1);
        assertThat(gate.records()).isEqualTo(5);
        sink.unblock();
        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(gate.available()).isEqualTo(64);
        assertThat(sink.lines()).hasSize(5);
    }

    @Test
    void whatPilesUpGoesOutInOneWrite() {
        AuditGate gate = new AuditGate(64, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        sink.block();
        writer.offer(enter(gate), record(0));
        Awaitility.await().until(() -> sink.writes.get() == 1);
        for (int i = 1; i < 64; i++) {
            writer.offer(enter(gate), record(i));
        }

        sink.unblock();

        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(sink.writes).hasValue(2);
        assertThat(sink.lines()).hasSize(64);
    }

    @Test
    void sinkThatFailsAndRecoversLosesNothingAndRepeatsNothing() throws Exception {
        AuditGate gate = new AuditGate(8, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        assertThat(writer.ready()).isTrue();
        // Every attempt takes a piece of a line, then fails.
        sink.failAfter(7);
        for (int i = 0; i < 8; i++) {
            writer.offer(enter(gate), record(i));
        }

        Awaitility.await().until(() -> !writer.ready());
        assertThat(gate.tryAcquire()).isNull();
        sink.recover();

        Awaitility.await().until(writer::ready);
        assertThat(writer.shutdown(LONG)).isTrue();
        List<String> ids = new ArrayList<>();
        for (String line : sink.lines()) {
            ids.add(JSON.readTree(line).get("exchange_id").textValue());
        }
        assertThat(ids).containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
    }

    @Test
    void ofSeveralSinksEachGetsEachLineOnceHoweverOftenOneFails() {
        MemorySink other = new MemorySink();
        AuditGate gate = new AuditGate(8, 0);
        AuditWriter writer = new AuditWriter(gate, AuditSinks.all(List.of(other, sink)), AuditListener.NONE).start();
        sink.failAfter(7);
        for (int i = 0; i < 8; i++) {
            writer.offer(enter(gate), record(i));
        }

        Awaitility.await().until(() -> writer.failures() > 1);
        assertThat(writer.ready()).isFalse();
        sink.recover();

        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(sink.lines()).hasSize(8).isEqualTo(other.lines());
        assertThat(other.closed).isTrue();
        assertThat(sink.closed).isTrue();
    }

    @Test
    void permitsComeBackOnlyAfterTheFlush() {
        AuditGate gate = new AuditGate(2, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        sink.failFlush(true);
        writer.offer(enter(gate), record(0));

        Awaitility.await().until(() -> !writer.ready());
        assertThat(gate.available()).isEqualTo(1);
        sink.failFlush(false);

        Awaitility.await().until(() -> gate.available() == 2);
        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(sink.lines()).hasSize(1);
    }

    @Test
    void shutdownGivesUpAtItsLimitAndSaysSo() {
        AuditGate gate = new AuditGate(2, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        sink.failAfter(0);
        writer.offer(enter(gate), record(0));

        assertThat(writer.shutdown(Duration.ofMillis(50))).isFalse();
        assertThat(writer.ready()).isFalse();
        assertThat(sink.lines()).isEmpty();
    }

    /** A file takes a direct buffer of the JVM's, and there may be none just then. */
    @Test
    void sinkWithoutMemoryLosesNothing() throws Exception {
        AuditGate gate = new AuditGate(4, 0);
        AtomicInteger attempts = new AtomicInteger();
        AuditSink scarce = new AuditSink() {
            @Override
            public void write(ByteBuffer lines) {
                if (attempts.incrementAndGet() < 3) {
                    throw new OutOfMemoryError("Cannot reserve 8192 bytes of direct buffer memory");
                }
                lines.position(lines.limit());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        AuditWriter writer = new AuditWriter(gate, scarce, AuditListener.NONE).start();

        writer.offer(enter(gate), record(0));

        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(attempts).hasValue(3);
        assertThat(gate.available()).isEqualTo(4);
    }

    @Test
    void listenerSeesRecordAndLineAndMayFail() {
        AuditGate gate = new AuditGate(4, 0);
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        AuditWriter writer = new AuditWriter(gate, sink, (record, line) -> {
                    seen.add(record.action() + " " + StandardCharsets.UTF_8.decode(line));
                    throw new LinkageError("a careless listener");
                })
                .start();
        for (int i = 0; i < 3; i++) {
            writer.offer(enter(gate), record(i));
        }

        assertThat(writer.shutdown(LONG)).isTrue();

        assertThat(seen)
                .containsExactlyElementsOf(
                        sink.lines().stream().map(line -> "ALLOW " + line).toList());
        assertThat(gate.available()).isEqualTo(4);
    }

    @Test
    void aSlotTakesOneRecord() {
        AuditGate gate = new AuditGate(2, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE);
        AuditSlot slot = enter(gate);
        writer.offer(slot, record(0));

        assertThatThrownBy(() -> writer.offer(slot, record(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(slot::giveBack).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void largeRecordsPassWhole() throws Exception {
        AuditGate gate = new AuditGate(4, 0);
        AuditWriter writer = new AuditWriter(gate, sink, AuditListener.NONE).start();
        String body = "\u0001\u00E9\uD83D\uDE00".repeat(300_000);
        writer.offer(enter(gate), record(0).group("body_capture", Map.of("request_body", body)));

        assertThat(writer.shutdown(LONG)).isTrue();

        JsonNode line = JSON.readTree(sink.lines().getFirst());
        assertThat(line.get("body_capture").get("request_body").textValue()).isEqualTo(body);
    }

    @Test
    void roomForCapturedBytesComesBackWhenTheRecordHasBeenWritten() {
        AuditGate gate = new AuditGate(4, 100);
        AuditWriter writer =
                new AuditWriter(gate, AuditSinks.stream(OutputStream.nullOutputStream()), AuditListener.NONE);
        MutableAuditRecord record = record(0).capturesFrom(gate);
        TransformTrace trace = record.requestTrace("body_capture");
        assertThat(trace.reserve(40)).isTrue();
        assertThat(trace.reserve(61)).isFalse();
        assertThat(trace.reserve(10)).isTrue();

        assertThat(gate.captures().tryTake(51)).isFalse();
        writer.start();
        writer.offer(enter(gate), record);

        assertThat(writer.shutdown(LONG)).isTrue();
        assertThat(gate.captures().tryTake(100)).isTrue();
        assertThat(record(1).requestTrace("body_capture").reserve(1)).isFalse();
    }

    @Test
    void aLoggerGetsEachRecordAsOneMessage() throws IOException {
        Logger log = (Logger) LoggerFactory.getLogger("audit." + getClass().getName());
        log.setAdditive(false);
        ListAppender<ILoggingEvent> kept = new ListAppender<>();
        kept.start();
        log.addAppender(kept);
        ByteBuffer lines = ByteBuffer.allocateDirect(64);
        lines.put("{\"a\":\"\u00fc {}\"}\n{\"b\":2}\n".getBytes(StandardCharsets.UTF_8))
                .flip();

        try (AuditSink sink = AuditSinks.slf4j(log)) {
            sink.write(lines);
            sink.flush();
        }

        assertThat(lines.hasRemaining()).isFalse();
        assertThat(kept.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("{\"a\":\"\u00fc {}\"}", "{\"b\":2}");
    }

    @Test
    void filesAreAppendedTo(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("audit.jsonl"), "{\"before\":1}\n");
        AuditGate gate = new AuditGate(4, 0);
        try (AuditWriter writer = new AuditWriter(gate, AuditSinks.file(file), AuditListener.NONE).start()) {
            writer.offer(enter(gate), record(7));
        }

        assertThat(Files.readAllLines(file)).hasSize(2).last().asString().contains("\"exchange_id\":\"7\"");
    }

    @Test
    void streamsAreFlushedAndClosed() {
        CountDownLatch flushed = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ByteArrayOutputStream stream = new ByteArrayOutputStream() {
            @Override
            public void flush() {
                flushed.countDown();
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        AuditGate gate = new AuditGate(4, 0);
        try (AuditWriter writer = new AuditWriter(gate, AuditSinks.stream(stream), AuditListener.NONE).start()) {
            writer.offer(enter(gate), record(7));
        }

        assertThat(flushed.getCount()).isZero();
        assertThat(closed.getCount()).isZero();
        assertThat(stream.toString(StandardCharsets.UTF_8)).endsWith("}\n").contains("\"exchange_id\":\"7\"");
    }

    private static MutableAuditRecord record(int id) {
        return new MutableAuditRecord(Integer.toString(id), 0).action(Action.ALLOW);
    }

    private static AuditSlot enter(AuditGate gate) {
        AuditSlot slot = gate.tryAcquire();
        while (slot == null) {
            CountDownLatch room = new CountDownLatch(1);
            gate.whenAvailable(null, Runnable::run, room::countDown);
            try {
                room.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            slot = gate.tryAcquire();
        }
        return slot;
    }

    /** Both get the whole line, whatever the first does with it, and nothing is made for them. */
    @Test
    void listenersShareALine() {
        int[] bytes = {0};
        ByteBuffer line = ByteBuffer.wrap("..{}..".getBytes(StandardCharsets.UTF_8))
                .position(2)
                .limit(4);
        AuditListener counting = (record, text) -> {
            while (text.hasRemaining()) {
                bytes[0] += text.get() == 0 ? 0 : 1;
            }
        };
        AuditListener all =
                AuditListener.NONE.and(counting).and(AuditListener.NONE).and(counting);
        MutableAuditRecord record = new MutableAuditRecord("x", 0);

        all.written(record, line);

        assertThat(bytes[0]).isEqualTo(4);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long fewest = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) { // whatever compiles the code meanwhile allocates, too
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                line.limit(4).position(2);
                all.written(record, line);
            }
            fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(fewest).isLessThan(1000);
    }

    /** A sink that makes something else of records gets each of them, once, however often it or another one fails. */
    @Test
    void aSinkOfRecordsGetsEachOnceInOrder() throws Exception {
        AuditGate gate = new AuditGate(64, 0);
        List<String> seen = new ArrayList<>();
        AtomicInteger failures = new AtomicInteger(3);
        AuditSink records = new AuditSink() {

            private int taken;

            @Override
            public void write(ByteBuffer lines) {
                lines.position(lines.limit());
            }

            @Override
            public void take(List<AuditRecord> batch) throws IOException {
                while (taken < batch.size()) {
                    if (seen.size() % 5 == 3 && failures.getAndDecrement() > 0) {
                        throw new IOException("not now");
                    }
                    seen.add(batch.get(taken).exchangeId());
                    taken++;
                }
                taken = 0;
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        AtomicInteger flushes = new AtomicInteger(2);
        AuditSink failing = AuditSinks.stream(new OutputStream() {

            @Override
            public void write(int b) {}

            @Override
            public void flush() throws IOException {
                if (flushes.getAndDecrement() > 0) {
                    throw new IOException("not yet");
                }
            }
        });
        AuditWriter writer =
                new AuditWriter(gate, AuditSinks.all(List.of(sink, failing, records)), AuditListener.NONE).start();

        for (int i = 0; i < 20; i++) {
            writer.offer(enter(gate), record(i));
        }

        assertThat(writer.shutdown(LONG)).isTrue();
        List<String> written = new ArrayList<>();
        for (String line : sink.lines()) {
            written.add(JSON.readTree(line).get("exchange_id").textValue());
        }
        assertThat(seen).isEqualTo(written).hasSize(20);
        assertThat(writer.failures()).isGreaterThanOrEqualTo(2);
    }
}
