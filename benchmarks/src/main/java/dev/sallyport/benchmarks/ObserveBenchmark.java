package dev.sallyport.benchmarks;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Rule;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.transforms.annotate.AnnotateConfig;
import dev.sallyport.transforms.annotate.AnnotateFactory;
import dev.sallyport.transforms.headerallowlist.HeaderAllowlistConfig;
import dev.sallyport.transforms.headerallowlist.HeaderAllowlistFactory;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * The transforms {@code annotate} and {@code header_allowlist}, one after the other, on a request with 20 headers: what
 * they decide, not what the engine does with it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ObserveBenchmark {

    private static final int HEADERS = 20;

    private InlineTransform annotate = context -> Decision.proceed();
    private InlineTransform allowlist = annotate;
    private TestContext stripped = TestContext.of(TestRequest.get("https://api.example.com/"));
    private TestContext listed = stripped;
    private TestContext elsewhere = stripped;

    @Setup
    public void prepare() throws ConfigException {
        List<Rule> rules = List.of(Rule.host("api.example.com"));
        SampleContext context = new SampleContext();
        AnnotateConfig recorded = new AnnotateConfig(
                List.of(new AnnotateConfig.Annotation(rules, List.of("X-Request-Id", "User-Agent", "Traceparent"))),
                false);
        annotate = (InlineTransform) new AnnotateFactory().create(recorded, context);
        List<String> allowed = new ArrayList<>(List.of("/^x-acme-/"));
        Samples.head().forEach(line -> allowed.add(line[0]));
        allowlist = (InlineTransform)
                new HeaderAllowlistFactory().create(new HeaderAllowlistConfig(allowed, rules), context);
        String url = "https://api.example.com/v1/projects/blue%2D42/keys?page=2&q=a%20b";
        stripped = context(url, "X-Other-");
        listed = context(url, "X-Acme-");
        elsewhere = context("https://elsewhere.test/v1/projects/blue%2D42/keys?page=2&q=a%20b", "X-Other-");
    }

    /** The head of a browser, filled up with more headers. */
    private static TestContext context(String url, String prefix) {
        TestRequest request = TestRequest.get(url);
        for (String[] line : Samples.head()) {
            request = request.header(line[0], line[1]);
        }
        for (int i = Samples.head().size() + 1; i < HEADERS; i++) {
            request = request.header(prefix + i, "value " + i);
        }
        return TestContext.of(request);
    }

    /** Three headers are recorded, seven stripped. */
    @Benchmark
    public void recordedAndStripped(Blackhole results) {
        results.consume(annotate.decide(stripped));
        results.consume(allowlist.decide(stripped));
    }

    /** Three headers are recorded, and all pass. */
    @Benchmark
    public void recordedAndAllListed(Blackhole results) {
        results.consume(annotate.decide(listed));
        results.consume(allowlist.decide(listed));
    }

    /** To a destination that no rule is for. */
    @Benchmark
    public void elsewhere(Blackhole results) {
        results.consume(annotate.decide(elsewhere));
        results.consume(allowlist.decide(elsewhere));
    }
}
