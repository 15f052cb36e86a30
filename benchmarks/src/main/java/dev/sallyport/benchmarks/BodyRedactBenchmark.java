package dev.sallyport.benchmarks;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.redact.Redaction;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
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
 * Turns values in a response of 1 MiB, which comes in pieces of 16 KiB, back into placeholders. One operation is one
 * body: operations a second are MiB a second.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BodyRedactBenchmark {

    private static final byte[] PLACEHOLDER = "SALLYPORT_PROXY_TOKEN".getBytes(StandardCharsets.US_ASCII);

    /** How many values there are. */
    @Param({"10", "10000"})
    public int values;

    private Redactor redactor = Redactor.of(List.of());
    private Pieces without = new Pieces(new byte[0]);
    private Pieces withHits = without;

    @Setup
    public void prepare() {
        List<String> texts = Samples.placeholders(values);
        redactor = Redactor.of(Samples.bytes(texts).stream()
                .map(value -> new Redaction(value, PLACEHOLDER))
                .toList());
        without = new Pieces(Samples.body(texts, 0));
        withHits = new Pieces(Samples.body(texts, 30));
    }

    /** No value in it. */
    @Benchmark
    public long withoutHits() {
        return without.through(rewriter());
    }

    /** One value about every 4 KiB. */
    @Benchmark
    public long withHits() {
        return withHits.through(rewriter());
    }

    private BodyRewriter rewriter() {
        return redactor.body("application/json", value -> {});
    }
}
