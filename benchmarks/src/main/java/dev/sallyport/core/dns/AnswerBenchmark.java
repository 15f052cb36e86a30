package dev.sallyport.core.dns;

import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.meter.OutcomeTimer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A DNS query from its bytes to those of the answer, by the number of static records. In this package because the
 * responder is not public.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AnswerBenchmark {

    private static final int TYPE_A = 1;

    /** Static records. */
    @Param({"0", "10000"})
    public int records;

    private final Asker asker = new Asker();
    private final ByteBuf intercepted = query("api.example.com");
    private final ByteBuf fixed = query("host1.static.test");
    private Responder responder = responder();

    /** Counts what it is sent. */
    private static final class Asker implements QuerySource {

        private int answered;

        @Override
        public InetAddress address() {
            return InetAddress.getLoopbackAddress();
        }

        @Override
        public boolean overTcp() {
            return false;
        }

        @Override
        public void send(DnsReply reply) {
            answered += reply.bytes()[0] + 1;
        }
    }

    private Responder responder() {
        List<DnsSection.StaticRecord> statics = new ArrayList<>(records);
        for (int i = 0; i < records; i++) {
            statics.add(new DnsSection.StaticRecord("host" + i + ".static.test", DnsSection.RecordType.A, "192.0.2.7"));
        }
        DnsSection section = new DnsSection(
                true,
                new ListenAddress("127.0.0.1", 0),
                InetAddress.getLoopbackAddress(),
                null,
                null,
                List.of(),
                statics,
                new DnsSection.Limits(
                        0,
                        0,
                        128,
                        256,
                        Duration.ofSeconds(5),
                        new ByteSize(512),
                        new ByteSize(1232),
                        256,
                        Duration.ofSeconds(10)));
        return new Responder(new DefaultEventLoop(), Zone.of(section), new DnsCounters(), OutcomeTimer.NONE);
    }

    private static ByteBuf query(String name) {
        ByteBuf query = Unpooled.directBuffer();
        query.writeShort(7).writeShort(0x0100).writeShort(1).writeShort(0).writeInt(0);
        for (String label : name.split("\\.", -1)) {
            query.writeByte(label.length()).writeCharSequence(label, StandardCharsets.US_ASCII);
        }
        query.writeByte(0).writeShort(TYPE_A).writeShort(1);
        return query;
    }

    @Setup
    public void prepare() {
        responder = responder();
    }

    /** Answered with the proxy's address. */
    @Benchmark
    public int intercepted() {
        return answer(intercepted);
    }

    /** Answered from a static record, where there are any. */
    @Benchmark
    public int fixed() {
        return answer(fixed);
    }

    private int answer(ByteBuf query) {
        query.readerIndex(0);
        responder.take(query, asker);
        return asker.answered;
    }
}
