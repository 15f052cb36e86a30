package dev.sallyport.transforms.annotate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.testkit.Allocations;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 6: what is not annotated costs no object. */
class AllocationTest {

    private final Annotate annotate = Annotate.of(
            List.of(
                    new AnnotateConfig.Annotation(List.of(Rule.host("api.example.com")), List.of("X-Request-Id")),
                    new AnnotateConfig.Annotation(List.of(Rule.host("*.example.org")), List.of("User-Agent"))),
            CompiledRules::of);

    AllocationTest() throws ConfigException {}

    @Test
    void requestThatNoRuleMatchesCostsNoObject() {
        TestContext request = TestContext.of(
                TestRequest.get("https://other.example.com/path?q=1").header("X-Request-Id", "1"));

        assertThat(Allocations.bytesPerCall(() -> annotate.decide(request))).isZero();
    }

    @Test
    void requestWithoutTheHeadersCostsNoObject() {
        TestContext request = TestContext.of(
                TestRequest.get("https://api.example.com/path?q=1").header("Accept", "*/*"));

        assertThat(Allocations.bytesPerCall(() -> annotate.decide(request))).isZero();
    }
}
