package dev.sallyport.core.redact;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyEventListener;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RedactResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Which values a response may have, and the search for them in a head and a body of 4 KiB. In this package because what is
 * remembered of workloads is not public.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SearchBenchmark {

    private static final String SENDER = "ci-42";
    private static final Destination ORIGIN = Destination.named("api.example.com", 443, true);
    private static final Destination SIBLING = Destination.named("www.example.com", 443, true);
    private static final Destination STRANGER = Destination.named("registry.example.org", 443, true);
    private static final int BYTES = 4096;
    private static final BodyEventListener NOBODY = (position, why) -> {};

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final EventLoop loop = new DefaultEventLoop();
    private final BodyBudget budget = new BodyBudget(Long.MAX_VALUE);
    private final RedactionRegistry registry =
            new RedactionRegistry(new RedactionSettings(RedactResponse.SWAPPED, Duration.ofDays(1)), System::nanoTime);
    private final MutableAuditRecord record = new MutableAuditRecord("apkgwr5wr5t760000000000001", 0);
    private final Count sink = new Count();
    private final InetSocketAddress first = address(1);
    private final InetSocketAddress second = address(2);
    private final ByteBuf content = allocator
            .directBuffer(BYTES)
            .writeBytes("{\"id\": 1}, ".repeat(BYTES).substring(0, BYTES).getBytes(StandardCharsets.US_ASCII));

    /** Counts what leaves. */
    private static final class Count implements BodySink {

        private long bytes;

        @Override
        public void begin(long length) {}

        @Override
        public void data(ByteBuf data) {
            bytes += data.readableBytes();
            data.release();
        }

        @Override
        public void end(HeaderBlock trailers) {}

        @Override
        public void failed(BodyFailure failure) {
            throw new IllegalStateException(failure.toString());
        }

        @Override
        public boolean isWritable() {
            return true;
        }
    }

    private static InetSocketAddress address(int last) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) last}), 443);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Setup
    public void prepare() throws InterruptedException {
        CarriedCredentials carried = new CarriedCredentials();
        Edits.Builder edits = Edits.builder();
        for (int i = 0; i < 10; i++) {
            edits.credential(Credential.of("KEY" + i, "q7Zt2LmWd9kRx4Vb6Hn3YpG8sJcBfK" + i)
                    .from("secrets[" + i + "]"));
        }
        carried.add("secrets", edits.build());
        ExchangeRedaction redaction =
                Objects.requireNonNull(registry.begin(loop, record, SENDER, ORIGIN, first, carried));
        CountDownLatch compiled = new CountDownLatch(1);
        loop.execute(() -> redaction.whenReady(compiled::countDown));
        compiled.await();
        if (begin(SENDER, ORIGIN, first) == null || begin(SENDER, STRANGER, second) != null) {
            throw new IllegalStateException("not what is to be measured");
        }
    }

    @TearDown
    public void end() {
        loop.shutdownGracefully();
        content.release();
    }

    private @Nullable ExchangeRedaction begin(String workload, Destination to, InetSocketAddress address) {
        return registry.begin(loop, record, workload, to, address, null);
    }

    /** A workload that has sent nothing. */
    @Benchmark
    public @Nullable Object ofAnother() {
        return begin("ci-43", ORIGIN, first);
    }

    /** From where no value of the workload may come. */
    @Benchmark
    public @Nullable Object fromAStranger() {
        return begin(SENDER, STRANGER, second);
    }

    /** From where ten values were sent to. */
    @Benchmark
    public long fromTheOrigin() {
        return answered(ORIGIN, first, 200, "");
    }

    /** From a host of the same domain. */
    @Benchmark
    public long fromASibling() {
        return answered(SIBLING, second, 200, "");
    }

    /** The same, in the middle of a content. */
    @Benchmark
    public long partFromTheOrigin() {
        return answered(ORIGIN, first, 206, "bytes 4096-8191/1000000");
    }

    private long answered(Destination from, InetSocketAddress address, int status, String range) {
        ExchangeRedaction redaction = begin(SENDER, from, address);
        if (redaction != null) {
            HeaderBlock headers = new HeaderBlock(8);
            headers.append("Content-Type", "application/json");
            headers.append("Content-Length", "4096");
            headers.append("Date", "Thu, 26 Nov 2026 08:00:00 GMT");
            headers.append("ETag", "\"33a64df551425fcc55e4d42a148795d9f25f89d4\"");
            if (!range.isEmpty()) {
                headers.append("Content-Range", range);
            }
            ResponseMessage head = new ResponseMessage(status, "", headers, BYTES);
            redaction.whenReady(() -> search(redaction, head));
        }
        return sink.bytes;
    }

    private void search(ExchangeRedaction redaction, ResponseMessage head) {
        ResponseSearch search = redaction.search();
        MessageBody body = new MessageBody(
                allocator, budget, BodyLimits.response(1 << 20), head.headers(), BYTES, bytes -> {}, NOBODY);
        if (search == null || search.head(head) != null || search.body(head, body, false) != null) {
            throw new IllegalStateException("not searched");
        }
        body.release(sink);
        body.data(content.retainedDuplicate());
        body.end(new HeaderBlock());
    }
}
