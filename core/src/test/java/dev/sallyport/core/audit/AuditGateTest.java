package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 5: slots bound what is on its way, and nobody takes all of them. */
class AuditGateTest {

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final AtomicInteger woken = new AtomicInteger();

    private static ClientShare share(AuditGate gate, String address) {
        return share(gate, address, "");
    }

    private static ClientShare share(AuditGate gate, String address, String workload) {
        try {
            return gate.share(InetAddress.getByName(address), workload);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static List<AuditSlot> takeAll(AuditGate gate, ClientShare share) {
        List<AuditSlot> taken = new ArrayList<>();
        for (AuditSlot slot = gate.tryAcquire(share); slot != null; slot = gate.tryAcquire(share)) {
            taken.add(slot);
        }
        return taken;
    }

    @Test
    void thereAreAsManySlotsAsPlaces() {
        AuditGate gate = new AuditGate(2, 0);

        AuditSlot first = gate.tryAcquire();
        assertThat(gate.tryAcquire()).isNotNull();
        assertThat(gate.tryAcquire()).isNull();
        first.giveBack();
        assertThat(gate.tryAcquire()).isNotNull();
    }

    @Test
    void whoIsAloneHoldsFourFifthsAndLeavesTheRestToOthers() {
        AuditGate gate = new AuditGate(512, 0);
        ClientShare hog = share(gate, "192.0.2.1");

        assertThat(takeAll(gate, hog)).hasSize(409);
        assertThat(takeAll(gate, share(gate, "192.0.2.2"))).hasSize(82);
        assertThat(gate.tryAcquire(share(gate, "192.0.2.3"))).isNotNull();
        assertThat(gate.available()).isPositive();
    }

    @Test
    void workloadsOfOneAddressAndAddressesOfOneWorkloadShareNothingButNetworksOfIpv6Do() {
        AuditGate gate = new AuditGate(100, 0);
        ClientShare one = share(gate, "192.0.2.1", "a");

        assertThat(share(gate, "192.0.2.1", "a")).isSameAs(one);
        assertThat(share(gate, "192.0.2.1", "b")).isNotSameAs(one);
        assertThat(share(gate, "192.0.2.2", "a")).isNotSameAs(one);
        assertThat(share(gate, "2001:db8::1")).isSameAs(share(gate, "2001:db8::2"));
        assertThat(share(gate, "2001:db8:0:1::1")).isNotSameAs(share(gate, "2001:db8::1"));
    }

    @Test
    void whoeverComesFirstIsLetInAsLongAsThereIsASlot() {
        AuditGate gate = new AuditGate(1, 0);

        assertThat(gate.tryAcquire(share(gate, "192.0.2.1"))).isNotNull();
        assertThat(gate.tryAcquire(share(gate, "192.0.2.2"))).isNull();
    }

    @Test
    void aShareIsWokenWhenItMayHaveASlotAndNotBefore() {
        AuditGate gate = new AuditGate(10, 0);
        ClientShare hog = share(gate, "192.0.2.1");
        List<AuditSlot> held = takeAll(gate, hog);
        assertThat(gate.available()).isPositive();
        gate.whenAvailable(hog, loop::add, woken::incrementAndGet);
        assertThat(loop).as("its share is used up").isEmpty();

        gate.whenAvailable(share(gate, "192.0.2.2"), loop::add, woken::incrementAndGet);
        assertThat(loop).as("it is not held up by who waits before it").hasSize(1);

        held.getFirst().giveBack();
        assertThat(loop).hasSize(2);
    }

    @Test
    void whoeverWaitsIsWokenOnceOnItsExecutor() {
        AuditGate gate = new AuditGate(2, 0);
        AuditSlot slot = gate.tryAcquire();
        AuditSlot other = gate.tryAcquire();
        gate.whenAvailable(null, loop::add, woken::incrementAndGet);
        assertThat(loop).isEmpty();

        slot.giveBack();
        assertThat(loop).hasSize(1);
        assertThat(woken).hasValue(0);
        loop.remove().run();
        other.giveBack();

        assertThat(loop).isEmpty();
        assertThat(woken).hasValue(1);
    }

    @Test
    void whoeverAsksWhileThereIsRoomIsWokenAtOnce() {
        AuditGate gate = new AuditGate(1, 0);

        gate.whenAvailable(null, loop::add, woken::incrementAndGet);

        assertThat(loop).hasSize(1);
    }

    @Test
    void whoNoLongerWantsItsSlotLeavesItToTheNext() {
        AuditGate gate = new AuditGate(1, 0);
        AuditSlot slot = gate.tryAcquire();
        gate.whenAvailable(null, loop::add, () -> {});
        gate.whenAvailable(null, loop::add, woken::incrementAndGet);

        slot.giveBack();
        while (!loop.isEmpty()) {
            loop.remove().run();
        }

        assertThat(woken).hasValue(1);
    }

    @Test
    void aSlotCannotComeBackTwice() {
        AuditGate gate = new AuditGate(1, 0);
        AuditSlot slot = gate.tryAcquire();
        slot.giveBack();

        assertThatThrownBy(slot::giveBack).isInstanceOf(IllegalStateException.class);
        assertThat(gate.available()).isEqualTo(1);
    }

    @Test
    void nobodyIsForgottenUnderContention() throws Exception {
        AuditGate gate = new AuditGate(4, 0);
        int threads = 8;
        int each = 2_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(threads);
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            ClientShare share = i == 0 ? null : share(gate, "192.0.2." + i % 3);
            workers.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    AuditSlot slot = enter(gate, share);
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    slot.giveBack();
                }
                done.countDown();
            }));
        }

        for (Thread worker : workers) {
            worker.join();
        }

        assertThat(done.getCount()).isZero();
        assertThat(most.get()).isLessThanOrEqualTo(4);
        assertThat(gate.available()).isEqualTo(4);
        assertThat(gate.isWaitedFor()).isFalse();
    }

    @Test
    void capturedBytesAreThereOrNot() {
        AuditGate gate = new AuditGate(2, 50);

        assertThat(gate.tryCapture(30)).isTrue();
        assertThat(gate.tryCapture(21)).isFalse();
        assertThat(gate.tryCapture(20)).isTrue();
        assertThat(gate.tryCapture(1)).isFalse();
        gate.releaseCapture(50);
        assertThat(gate.tryCapture(50)).isTrue();
    }

    private static AuditSlot enter(AuditGate gate, @Nullable ClientShare share) {
        AuditSlot slot = take(gate, share);
        while (slot == null) {
            CountDownLatch room = new CountDownLatch(1);
            gate.whenAvailable(share, Runnable::run, room::countDown);
            try {
                room.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            slot = take(gate, share);
        }
        return slot;
    }

    private static @Nullable AuditSlot take(AuditGate gate, @Nullable ClientShare share) {
        return share == null ? gate.tryAcquire() : gate.tryAcquire(share);
    }
}
