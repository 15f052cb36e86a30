package dev.sallyport.transforms.headerallowlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Rule;
import dev.sallyport.testkit.Allocations;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.toolkit.headers.HeaderPattern;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 6: a request that stays as it is costs no object. */
class AllocationTest {

    private final HeaderAllowlist allowlist = new HeaderAllowlist(
            CompiledRules.of(List.of(Rule.host("api.example.com"))),
            HeaderPatterns.of(
                    Stream.of("Accept", "/^x-acme-/").map(HeaderPattern::parse).toList()));

    AllocationTest() throws ConfigException {}

    @Test
    void requestThatNoRuleMatchesCostsNoObject() {
        TestContext request = TestContext.of(
                TestRequest.get("https://other.example.com/path?q=1").header("X-Unknown", "1"));

        assertThat(Allocations.bytesPerCall(() -> allowlist.decide(request))).isZero();
    }

    @Test
    void requestOfWhichAllIsListedCostsNoObject() {
        TestContext request = TestContext.of(TestRequest.get("https://api.example.com/path?q=1")
                .header("accept", "*/*")
                .header("X-ACME-Id", "1")
                .header("Expect", "100-continue")
                .header("Sec-WebSocket-Key", "k"));

        assertThat(allowlist.decide(request)).isSameAs(Decision.proceed());
        assertThat(Allocations.bytesPerCall(() -> allowlist.decide(request))).isZero();
    }
}
