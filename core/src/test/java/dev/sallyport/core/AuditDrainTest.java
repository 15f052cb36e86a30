package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.ClientShare;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What waits for a permit when the proxy ends. */
class AuditDrainTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void recordsOfWhatNeverBeganAreWaitedFor() throws Exception {
        AuditGate gate = new AuditGate(64, 0);
        ClientShare share = gate.share(InetAddress.getLoopbackAddress(), "w", "");
        AuditSlot only = gate.tryAcquireUnbegun(share);
        assertThat(only).isNotNull();
        assertThat(gate.tryAcquireUnbegun(share)).isNull();
        AtomicInteger woken = new AtomicInteger();
        gate.whenUnbegunAvailable(share, Runnable::run, woken::incrementAndGet);

        assertThat(AuditDrain.await(gate, List.of(), SHORT)).isFalse();
        only.giveBack();

        assertThat(woken).hasValue(1);
        assertThat(AuditDrain.await(gate, List.of(), LONG)).isTrue();
    }
}
