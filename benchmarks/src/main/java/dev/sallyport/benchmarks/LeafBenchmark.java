package dev.sallyport.benchmarks;

import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.LeafCertificate;
import java.time.Duration;
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
import org.openjdk.jmh.annotations.Warmup;

/** Leaf certificates, minted and found in the cache. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LeafBenchmark {

    private final LeafCache leaves = new LeafCache(
            CertificateAuthority.generate("Benchmark CA", Duration.ofDays(30)),
            new LeafCache.Settings(1000, Duration.ofDays(3)),
            Runnable::run);
    private int next;

    @Setup
    public void prepare() {
        leaves.leaf("known.example.com").toCompletableFuture().join();
    }

    /** For a name that has not been seen before. */
    @Benchmark
    public LeafCertificate minted() {
        return leaves.leaf("host" + next++ + ".example.com")
                .toCompletableFuture()
                .join();
    }

    /** For a name that was seen just now. */
    @Benchmark
    public @Nullable LeafCertificate cached() {
        return leaves.cached("known.example.com");
    }
}
