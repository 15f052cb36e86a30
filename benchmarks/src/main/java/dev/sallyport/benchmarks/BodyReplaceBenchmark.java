package dev.sallyport.benchmarks;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import dev.sallyport.toolkit.scan.Placeholders;
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
 * Replaces placeholders in a body of 1 MiB that comes in pieces of 16 KiB. One operation is one body: operations a second
 * are MiB a second.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BodyReplaceBenchmark {

    private static final byte[] VALUE = "ghp_16C7e42F292c6912E7710c838347Ae178B4a".getBytes(StandardCharsets.US_ASCII);

    /** How many placeholders there are. */
    @Param({"10", "10000"})
    public int placeholders;

    private PlaceholderReplacer replacer = Placeholders.of(List.of()).replacer();
    private Pieces without = new Pieces(new byte[0]);
    private Pieces withHits = without;

    @Setup
    public void prepare() {
        List<String> texts = Samples.placeholders(placeholders);
        replacer = Placeholders.of(Samples.bytes(texts)).replacer();
        without = new Pieces(Samples.body(texts, 0));
        withHits = new Pieces(Samples.body(texts, 30));
    }

    /** No placeholder in it. */
    @Benchmark
    public long withoutHits() {
        return without.through(rewriter());
    }

    /** One placeholder about every 4 KiB. */
    @Benchmark
    public long withHits() {
        return withHits.through(rewriter());
    }

    private BodyRewriter rewriter() {
        return replacer.body("application/json", placeholder -> VALUE);
    }
}
