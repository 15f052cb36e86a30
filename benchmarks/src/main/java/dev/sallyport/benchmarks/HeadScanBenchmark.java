package dev.sallyport.benchmarks;

import dev.sallyport.toolkit.scan.Match;
import dev.sallyport.toolkit.scan.TokenMatcher;
import java.nio.ByteBuffer;
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

/** Looks for placeholders in a head of 2 KiB that has none: the time must not grow with their number. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HeadScanBenchmark {

    /** How many placeholders there are. */
    @Param({"10", "1000", "10000"})
    public int placeholders;

    private List<String> values = List.of();
    private ByteBuffer whole = ByteBuffer.allocate(0);
    private TokenMatcher matcher = TokenMatcher.of(List.of());
    private final Match match = new Match();

    @Setup
    public void prepare() {
        values = Samples.head().stream().map(line -> line[1]).toList();
        StringBuilder text = new StringBuilder();
        Samples.head()
                .forEach(line ->
                        text.append(line[0]).append(": ").append(line[1]).append("\r\n"));
        whole = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.ISO_8859_1));
        matcher = TokenMatcher.of(Samples.bytes(Samples.placeholders(placeholders)));
    }

    /** The head as one piece of memory. */
    @Benchmark
    public boolean bytes() {
        return matcher.find(whole, 0, whole.limit(), match);
    }

    /** Each value by itself, as transforms see them. */
    @Benchmark
    public int values() {
        int found = 0;
        for (int i = 0; i < values.size(); i++) {
            found += matcher.matches(values.get(i)) ? 1 : 0;
        }
        return found;
    }
}
