package dev.sallyport.benchmarks;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.transforms.secrets.SecretsConfig;
import dev.sallyport.transforms.secrets.SecretsFactory;
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

/** The transform {@code secrets} on a request with a head of 2 KiB: what each request to each destination pays. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SecretsBenchmark {

    /** How many entries there are, each with a placeholder and a host of its own. */
    @Param({"10", "1000", "10000"})
    public int entries;

    private InlineTransform secrets = context -> Decision.proceed();
    private TestContext without = context("https://host0.example.com/", "");
    private TestContext with = without;
    private TestContext elsewhere = without;

    private record Source(int number) {}

    @Setup
    public void prepare() throws ConfigException {
        List<String> placeholders = Samples.placeholders(entries);
        List<SecretsConfig.Entry> list = new ArrayList<>(entries);
        for (int i = 0; i < entries; i++) {
            SecretsConfig.Replace replace =
                    new SecretsConfig.Replace(placeholders.get(i), List.of(), true, true, true, false, true);
            SecretRef source = new SecretRef("sample", new Source(i), "", false, "");
            list.add(new SecretsConfig.Entry(
                    source,
                    null,
                    replace,
                    List.of(Rule.host("host" + i + ".example.com")),
                    null,
                    false,
                    RedactResponse.SWAPPED,
                    null,
                    List.of(),
                    null,
                    null,
                    null,
                    null));
        }
        secrets = (InlineTransform) new SecretsFactory().create(new SecretsConfig(list), new SampleContext());
        String url = "https://host0.example.com/v1/projects/blue%2D42/keys?page=2&q=a%20b";
        without = context(url, "none");
        with = context(url, placeholders.getFirst());
        elsewhere = context("https://elsewhere.test/v1/projects/blue%2D42/keys?page=2&q=a%20b", "none");
    }

    private static TestContext context(String url, String token) {
        TestRequest request = TestRequest.get(url).header("X-Api-Key", token);
        for (String[] line : Samples.head()) {
            request = request.header(line[0], line[1]);
        }
        return TestContext.of(request);
    }

    /** To a destination of an entry, with nothing to swap. */
    @Benchmark
    public Decision withoutPlaceholder() {
        return secrets.decide(without);
    }

    /** To a destination of an entry, with a placeholder in one header. */
    @Benchmark
    public Decision withPlaceholder() {
        return secrets.decide(with);
    }

    /** To a destination that no entry is for. */
    @Benchmark
    public Decision elsewhere() {
        return secrets.decide(elsewhere);
    }
}
