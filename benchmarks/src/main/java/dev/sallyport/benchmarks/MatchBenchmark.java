package dev.sallyport.benchmarks;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.toolkit.match.CompiledRules;
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
 * Which rule a request meets, by the number of rules: the cost must not grow with it. A quarter of the rules are names, a
 * quarter whole domains, a quarter have globs inside a label, and a quarter name methods and paths.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MatchBenchmark {

    /** Rules. */
    @Param({"10", "100", "1000", "10000", "100000"})
    public int rules;

    private RuleSet set = CompiledRules.empty();
    private TestContext name = context("https://api.example.com/");
    private TestContext domain = name;
    private TestContext path = name;
    private TestContext nobody = name;

    private static TestContext context(String url) {
        return TestContext.of(TestRequest.get(url));
    }

    @Setup
    public void prepare() throws ConfigException {
        List<Rule> list = new ArrayList<>(rules);
        for (int i = 0; i < rules; i++) {
            String label = "tenant" + i;
            list.add(
                    switch (i % 4) {
                        case 0 -> Rule.host(label + ".names.test");
                        case 1 -> Rule.host("*." + label + ".domains.test");
                        case 2 -> Rule.host("api-*." + label + ".globs.test");
                        default -> rule(label + ".paths.test", i);
                    });
        }
        set = CompiledRules.of(list);
        int middle = rules / 2 / 4 * 4;
        name = context("https://tenant" + middle + ".names.test/v1/items");
        domain = context("https://a.b.tenant" + (middle + 1) + ".domains.test/v1/items");
        path = context("https://tenant" + (middle + 3) + ".paths.test/v1/" + (middle + 3) + "/items/42");
        nobody = context("https://tenant" + middle + ".elsewhere.test/v1/items");
        for (TestContext known : List.of(name, domain, path)) {
            if (set.match(known) == RuleSet.NO_MATCH) {
                throw new IllegalStateException(known.destination() + " meets no rule");
            }
        }
    }

    private static Rule rule(String host, int number) {
        return Rule.host(host).withMethods("GET", "POST").withPaths("/v1/" + number + "/*");
    }

    /** A name that is listed. */
    @Benchmark
    public int name() {
        return set.match(name);
    }

    /** Two labels below a domain that is listed. */
    @Benchmark
    public int domain() {
        return set.match(domain);
    }

    /** A rule with a method and a path. */
    @Benchmark
    public int path() {
        return set.match(path);
    }

    /** No rule. */
    @Benchmark
    public int nobody() {
        return set.match(nobody);
    }
}
