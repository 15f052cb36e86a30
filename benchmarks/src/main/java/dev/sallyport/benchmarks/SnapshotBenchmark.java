package dev.sallyport.benchmarks;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Pipeline;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A new generation built and put in place, as a reload or a control plane's change does. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SnapshotBenchmark {

    private static final String SECRETS = "{name: secrets, config: {secrets: [{source: {type: env, var: TOKEN}, "
            + "replace: {proxy_value: SALLYPORT_PROXY_TOKEN}, rules: [{host: api.example.com}]}]}}";

    /** Rules of the allowlist. */
    @Param({"10", "1000", "10000"})
    public int rules;

    private final SamplePipeline samples = new SamplePipeline();
    private final Pipeline pipeline = new Pipeline();
    private List<TransformEntry<?>> one = List.of();
    private List<TransformEntry<?>> other = List.of();
    private boolean turn;

    @Setup
    public void prepare() {
        one = entries("one");
        other = entries("other");
        pipeline.swap(samples.build(one));
    }

    private List<TransformEntry<?>> entries(String label) {
        List<String> hosts = new ArrayList<>(rules);
        for (int i = 0; i < rules; i++) {
            hosts.add("{host: \"" + label + i + ".example.com\"}");
        }
        return samples.entries(
                List.of("{name: allowlist, config: {rules: [" + String.join(", ", hosts) + "]}}", SECRETS));
    }

    /** Nothing has changed: the instances are shared. */
    @Benchmark
    public void unchanged() {
        pipeline.swap(samples.build(one));
    }

    /** All rules have changed. */
    @Benchmark
    public void changed() {
        turn = !turn;
        pipeline.swap(samples.build(turn ? other : one));
    }

    @TearDown
    public void close() throws Exception {
        pipeline.close();
        samples.close();
    }
}
