package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.ChainEnd;
import dev.sallyport.core.audit.chain.Sha256;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** An audit record as JSON, which the writer's thread makes of it. In this package because the encoder is not public. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RecordBenchmark {

    private static final int ROOM = 64 * 1024;

    private final JsonBuffer out = new JsonBuffer(ROOM);
    private final RecordEncoder encoder = new RecordEncoder(out);
    private final RecordEncoder linking =
            new RecordEncoder(out, new AuditChain(new ChainEnd(0, new byte[Sha256.BYTES], null)));
    private MutableAuditRecord plain = new MutableAuditRecord("", 0);
    private MutableAuditRecord annotated = plain;

    @Setup
    public void prepare() {
        plain = allowed();
        plain.requestTrace("allowlist").durationNanos(1_000);
        annotated = allowed();
        for (String name : List.of("allowlist", "secrets", "annotate", "header_allowlist", "body_capture")) {
            annotated.requestTrace(name).durationNanos(1_000);
        }
        annotated
                .requestTrace("secrets")
                .annotate(
                        "swapped", List.of(Map.of("secret", "API_KEY", "locations", List.of("header:Authorization"))));
        annotated.group(
                "body_capture",
                Map.of("request_body", "{\"text\": \"" + "a".repeat(1000) + "\"}", "request_body_truncated", false));
    }

    private static MutableAuditRecord allowed() {
        return new MutableAuditRecord("apkgwr5wr5t760000000000001", 1_795_000_000_000L)
                .host("api.example.com")
                .port(443)
                .method("GET")
                .path("/v1/projects/blue%2D42/keys?page=2&q=a%20b")
                .remoteAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000))
                .workload("ci-42")
                .sni("api.example.com")
                .mode("mitm")
                .protocol("http/1.1")
                .upstreamAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 443))
                .action(AuditRecord.Action.ALLOW)
                .statusCode(200)
                .durationNanos(3_141_592)
                .responseBytes(1024)
                .tunnelTarget("api.example.com:443");
    }

    /** One transform, nothing to say. */
    @Benchmark
    public int plain() {
        return encoded(plain);
    }

    /** Five transforms, annotations and a captured body of 1 KiB. */
    @Benchmark
    public int annotated() {
        return encoded(annotated);
    }

    /** As {@link #plain}, with its number and the hash of the line before, and hashed itself. */
    @Benchmark
    public int linked() {
        return encoded(linking, plain);
    }

    private int encoded(AuditRecord record) {
        return encoded(encoder, record);
    }

    private int encoded(RecordEncoder by, AuditRecord record) {
        by.encode(record);
        int length = out.size();
        out.truncate(0);
        return length;
    }
}
