package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.ProxyIdentity;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who is let in of the proxies that connect. */
class AdmissionTest {

    private final AtomicLong time = new AtomicLong();
    private final Admission admission = new Admission(new RateLimits.Rate(40, 8), time::get);

    private boolean enters(String proxy, String organization) {
        try {
            admission.enter(new ProxyIdentity(proxy, organization, List.of()));
            return true;
        } catch (Refusal refusal) {
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.code()).isEqualTo("overloaded");
            assertThat(refusal.retryAfter()).isNotNull();
            return false;
        }
    }

    @Test
    void aProxyConnectsFiveTimesAtOnceAndThenOnceASecond() {
        for (int i = 0; i < 5; i++) {
            assertThat(enters("p", "o")).isTrue();
        }
        assertThat(enters("p", "o")).isFalse();
        assertThat(enters("other", "o")).isTrue();

        time.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(enters("p", "o")).isTrue();
        assertThat(enters("p", "o")).isFalse();
    }

    @Test
    void anOrganizationLeavesPlacesToOthers() {
        for (int i = 0; i < 1000; i++) {
            assertThat(enters("p" + i, "greedy")).isEqualTo(i < 10);
        }
        assertThat(enters("q", "other")).isTrue();

        time.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(enters("r", "greedy")).isTrue();
    }

    @Test
    void allTogetherHaveSoManyPlaces() {
        for (int i = 0; i < 41; i++) {
            assertThat(enters("p" + i, "o" + i)).isEqualTo(i < 40);
        }
    }
}
