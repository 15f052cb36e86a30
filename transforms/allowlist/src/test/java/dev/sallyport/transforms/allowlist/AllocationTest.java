package dev.sallyport.transforms.allowlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.testkit.Allocations;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 6: nothing is allocated between head and verdict. */
class AllocationTest {

    @Test
    void allowedRequestCostsNoObject() throws ConfigException {
        AllowlistConfig config =
                new AllowlistConfig(List.of("*.example.com"), List.of("10.0.0.0/8"), List.of(), false, false);
        Allowlist allowlist = Allowlist.of(config.all(), CompiledRules.of(config.all()), false);
        TestContext request = TestContext.of(TestRequest.get("https://a.b.example.com/path?q=1"));

        assertThat(Allocations.bytesPerCall(() -> allowlist.decide(request))).isZero();
    }
}
