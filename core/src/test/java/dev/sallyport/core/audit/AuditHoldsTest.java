package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits while an organization is held back, and who does not. */
@Timeout(120)
class AuditHoldsTest {

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final AtomicInteger woken = new AtomicInteger();

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static ClientShare ofOrganization(AuditGate gate) {
        return gate.share(address("192.0.2.1"), "w", "org_a");
    }

    private static ClientShare shareAt(AuditGate gate, String address, String workload, String organization) {
        return gate.shareAt(address(address), workload, organization);
    }

    private static List<AuditSlot> takeAll(AuditGate gate, ClientShare share) {
        List<AuditSlot> taken = new ArrayList<>();
        for (AuditSlot slot = gate.tryAcquire(share); slot != null; slot = gate.tryAcquire(share)) {
            taken.add(slot);
        }
        return taken;
    }

    /** Else whoever has no credentials would fill what their organization may not fill any more. */
    @Test
    void callersOfNoWorkloadAreCountedByAddressAndHeldBackWithTheirOrganization() {
        AuditGate gate = new AuditGate(512, 0);
        ClientShare one = shareAt(gate, "192.0.2.1", "", "org_a");
        ClientShare two = shareAt(gate, "192.0.2.2", "user:u", "org_a");
        ClientShare nobodys = shareAt(gate, "192.0.2.1", "", "");
        assertThat(takeAll(gate, one)).hasSize(409);
        assertThat(takeAll(gate, two)).as("not with the other").hasSize(82);
        assertThat(gate.tryAcquire(ofOrganization(gate)))
                .as("nor with workloads")
                .isNotNull();

        AuditGate held = new AuditGate(8, 0);
        ClientShare early = shareAt(held, "192.0.2.1", "", "org_a");
        Runnable release = held.hold("org_a");
        ClientShare late = shareAt(held, "192.0.2.2", "user:u", "org_a");
        assertThat(held.tryAcquire(early)).isNull();
        assertThat(held.tryAcquire(late)).isNull();
        assertThat(held.tryAcquire(shareAt(held, "192.0.2.1", "", "org_b"))).isNotNull();
        assertThat(held.tryAcquire(shareAt(held, "192.0.2.1", "", ""))).isNotNull();
        held.whenAvailable(early, loop::add, woken::incrementAndGet);
        held.whenAvailable(late, loop::add, woken::incrementAndGet);
        assertThat(loop).isEmpty();
        assertThat(held.waiting()).isEqualTo(2);

        release.run();

        assertThat(loop).hasSize(2);
        assertThat(held.tryAcquire(early)).isNotNull();
        assertThat(gate.tryAcquire(nobodys)).isNotNull();
    }

    /** Nobody else comes who would wake it. */
    @Test
    void whoeverComesInTheMomentInWhichAHoldEndsIsWoken() throws Exception {
        AuditGate gate = new AuditGate(4, 0);
        ClientShare share = ofOrganization(gate);
        int times = 100_000;
        AtomicReference<Runnable> release = new AtomicReference<>(() -> {});
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Thread ends = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 1; i <= times; i++) {
                await(begun, i);
                release.get().run();
                ended.set(i);
            }
        });

        for (int i = 1; i <= times; i++) {
            release.set(gate.hold("org_a"));
            begun.set(i);
            gate.whenAvailable(share, Runnable::run, woken::incrementAndGet);
            await(ended, i);
            assertThat(woken).as("woken in round " + i).hasValue(i);
        }
        ends.join();
    }

    /** Else whoever connects and leaves, again and again, would use up the memory of all. */
    @Test
    void requestsWhoseConnectionsHaveClosedAreForgotten() {
        AuditGate gate = new AuditGate(64, 0);
        ClientShare share = ofOrganization(gate);
        Runnable release = gate.hold("org_a");
        Runnable releaseAll = gate.hold();
        for (int i = 0; i < 100_000; i++) {
            boolean open = i % 10_000 == 0;
            gate.whenAvailable(
                    i % 2 == 0 ? share : shareAt(gate, "192.0.2.2", "", ""), loop::add, () -> {}, () -> open);
        }
        assertThat(gate.waiting()).isBetween(10, 3000);
        releaseAll.run();
        assertThat(gate.waiting()).as("those of the organization are put aside").isBetween(10, 3000);
        for (int i = 0; i < 100_000; i++) {
            boolean open = i % 10_000 == 0;
            gate.whenAvailable(share, loop::add, woken::incrementAndGet, () -> open);
        }
        assertThat(gate.waiting()).isBetween(20, 6000);

        release.run();
        while (!loop.isEmpty()) {
            loop.remove().run();
        }

        assertThat(woken.get()).as("those that still wait").isBetween(10, 3000);
        assertThat(gate.waiting()).isZero();
    }

    /** They are no exchanges, and their clients make as many as they like. */
    @Test
    void recordsOfWhatHasNeverBegunDoNotWaitForTheEndOfAHold() {
        AuditGate gate = new AuditGate(640, 0);
        ClientShare share = ofOrganization(gate);
        gate.hold("org_a");
        gate.hold();

        List<AuditSlot> taken = new ArrayList<>();
        for (AuditSlot slot = gate.tryAcquireUnbegun(share); slot != null; slot = gate.tryAcquireUnbegun(share)) {
            taken.add(slot);
        }
        assertThat(taken).as("one in 64").hasSize(10);
        assertThat(gate.tryAcquireUnbegun(shareAt(gate, "192.0.2.2", "", "")))
                .as("of another client")
                .isNotNull();
        for (int i = 0; i < 100; i++) {
            gate.whenUnbegunAvailable(share, loop::add, woken::incrementAndGet);
        }
        assertThat(loop).isEmpty();
        assertThat(gate.waiting()).isEqualTo(100);

        taken.removeLast().giveBack();
        assertThat(loop).hasSize(1);
        taken.removeLast().giveBack();
        assertThat(loop.size()).isBetween(2, 3);
        assertThat(gate.tryAcquireUnbegun(share)).isNotNull();
    }

    @Test
    void everyRecordOfWhatHasNeverBegunGetsASlotInTheEnd() {
        AuditGate gate = new AuditGate(4, 0);
        ClientShare share = ofOrganization(gate);
        List<AuditSlot> all = new ArrayList<>();
        for (AuditSlot slot = gate.tryAcquire(); slot != null; slot = gate.tryAcquire()) {
            all.add(slot);
        }
        for (int i = 0; i < 1000; i++) {
            record(gate, share);
        }
        assertThat(loop).isEmpty();
        assertThat(gate.waiting()).isEqualTo(1001); // one asks for all of them

        all.getFirst().giveBack();
        while (!loop.isEmpty()) {
            loop.remove().run();
        }

        assertThat(woken).hasValue(1000);
        assertThat(gate.waiting()).isZero();
    }

    private void record(AuditGate gate, ClientShare share) {
        AuditSlot slot = gate.tryAcquireUnbegun(share);
        if (slot == null) {
            gate.whenUnbegunAvailable(share, loop::add, () -> record(gate, share));
        } else {
            woken.incrementAndGet();
            slot.giveBack();
        }
    }

    private static void await(AtomicInteger number, int value) {
        for (int spins = 0; number.get() < value; spins++) {
            if (spins < 10_000) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(1);
            }
        }
    }
}
