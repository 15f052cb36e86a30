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
import java.util.concurrent.TimeUnit;
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
        return share(gate, address, workload, "");
    }

    private static ClientShare share(AuditGate gate, String address, String workload, String organization) {
        try {
            return gate.share(InetAddress.getByName(address), workload, organization);
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
    void anOrganizationHasOneShareWithManyAddressesAndWorkloads() {
        AuditGate gate = new AuditGate(512, 0);
        List<ClientShare> shares = new ArrayList<>();
        int taken = 0;
        for (int i = 1; i <= 100; i++) {
            ClientShare share = share(gate, "192.0.2." + i, "w" + i % 10, "org_a");
            shares.add(share);
            taken += takeAll(gate, share).size();
        }
        shares.add(share(gate, "2001:db8::1", "w", "org_a"));

        assertThat(taken).as("what one client alone gets").isEqualTo(409);
        assertThat(shares).allMatch(share -> share == shares.getFirst());
        assertThat(takeAll(gate, share(gate, "192.0.2.1", "w1", "org_b"))).hasSize(82);
        assertThat(gate.tryAcquire(share(gate, "192.0.2.1", "w1", "org_c"))).isNotNull();
    }

    @Test
    void anOrganizationSharesNothingWithOthersNorWithAWorkloadThatIsCalledLikeIt() {
        AuditGate gate = new AuditGate(100, 0);
        ClientShare organization = share(gate, "192.0.2.1", "a", "a");

        assertThat(share(gate, "192.0.2.1", "a", "b")).isNotSameAs(organization);
        assertThat(share(gate, "192.0.2.1", "a")).isNotSameAs(organization);
        assertThat(share(gate, "0.0.0.0", "a")).isNotSameAs(organization);
        assertThat(share(gate, "0.0.0.0", "")).isNotSameAs(organization);
    }

    @Test
    void whoeverComesFirstIsLetInAsLongAsThereIsASlot() {
        AuditGate gate = new AuditGate(1, 0);

        assertThat(gate.tryAcquire(share(gate, "192.0.2.1"))).isNotNull();
        assertThat(gate.tryAcquire(share(gate, "192.0.2.2"))).isNull();
    }

    @Test
    void whoWaitsIsCountedUntilThereIsASlot() {
        AuditGate gate = new AuditGate(1, 0);
        AuditSlot only = gate.tryAcquire();

        gate.whenAvailable(null, loop::add, woken::incrementAndGet);
        gate.whenAvailable(null, loop::add, woken::incrementAndGet);
        assertThat(gate.waiting()).isEqualTo(2);
        only.giveBack();

        assertThat(gate.waiting()).isOne();
        assertThat(gate.waits()).as("so far").isEqualTo(2);
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

    /** docs/spec/decisions.md, section 16: a spool that is full stops reading new requests; some of it is for refusals. */
    @Test
    void whileItIsHeldNothingBeginsAndWhatHasBegunStillGetsSlots() {
        AuditGate gate = new AuditGate(8, 0);
        ClientShare client = share(gate, "192.0.2.1");
        Runnable first = gate.hold();
        Runnable second = gate.hold();

        assertThat(gate.tryAcquire(client)).isNull();
        assertThat(gate.tryAcquire()).isNotNull();
        gate.whenAvailable(client, Runnable::run, woken::incrementAndGet);
        first.run();
        first.run();
        assertThat(woken).hasValue(0);
        assertThat(gate.tryAcquire(client)).isNull();

        second.run();

        assertThat(woken).hasValue(1);
        assertThat(gate.tryAcquire(client)).isNotNull();
    }

    @Test
    void atTheEndWhoeverIsHeldIsWoken() {
        AuditGate gate = new AuditGate(8, 0);
        gate.hold();
        gate.whenAvailable(share(gate, "192.0.2.1"), Runnable::run, woken::incrementAndGet);

        gate.end();

        assertThat(woken).hasValue(1);
        assertThat(gate.isWaitedFor()).isFalse();
    }

    /** Under a hold thousands may wait: each record that is written must not look at all of them. */
    @Test
    void aHoldWithManyWhoWaitCostsRecordsNothing() {
        AuditGate gate = new AuditGate(8, 0);
        ClientShare client = share(gate, "192.0.2.1");
        Runnable release = gate.hold();
        int many = 50_000;
        long begun = System.nanoTime();
        for (int i = 0; i < many; i++) {
            gate.whenAvailable(client, loop::add, woken::incrementAndGet);
            AuditSlot slot = gate.tryAcquire();
            assertThat(slot).isNotNull();
            slot.giveBack();
        }

        // 2,500,000,000 looks take longer by far.
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(5));
        assertThat(gate.waiting()).isEqualTo(many);
        assertThat(loop).isEmpty();
        release.run();
        assertThat(loop).hasSize(8);
    }

    @Test
    void aClientThatHasUsedItsShareUpCostsOthersNothingHoweverManyOfItWait() {
        AuditGate gate = new AuditGate(10, 0);
        ClientShare hog = share(gate, "192.0.2.1");
        List<AuditSlot> held = takeAll(gate, hog);
        ClientShare other = share(gate, "192.0.2.2");
        int many = 50_000;
        long begun = System.nanoTime();
        for (int i = 0; i < many; i++) {
            gate.whenAvailable(hog, loop::add, woken::incrementAndGet);
            AuditSlot slot = gate.tryAcquire(other);
            assertThat(slot).isNotNull();
            slot.giveBack();
        }

        // 1,250,000,000 looks take longer by far.
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(5));
        assertThat(gate.waiting()).isEqualTo(many);
        assertThat(loop).isEmpty();
        held.getFirst().giveBack();
        assertThat(loop).isNotEmpty();
    }

    @Test
    void thoseWhoWaitAreServedInTurnAndNotTheConnectionsOfOneFirst() {
        AuditGate gate = new AuditGate(1, 0);
        AuditSlot only = gate.tryAcquire();
        List<String> served = new ArrayList<>();
        for (String client : List.of("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3")) {
            ClientShare share = share(gate, client);
            gate.whenAvailable(share, loop::add, () -> served.add(client));
        }

        only.giveBack();
        while (!loop.isEmpty()) {
            loop.remove().run();
        }

        assertThat(served).containsExactly("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.1", "192.0.2.1");
        assertThat(gate.waiting()).isZero();
        assertThat(gate.isWaitedFor()).isFalse();
    }

    /** An organization whose events have no room any more holds up nobody else. */
    @Test
    void anOrganizationIsHeldBackAloneWhereverItComesFrom() {
        AuditGate gate = new AuditGate(8, 0);
        ClientShare other = share(gate, "192.0.2.1", "w", "org_b");
        Runnable first = gate.hold("org_a");
        Runnable second = gate.hold("org_a");
        ClientShare its = share(gate, "192.0.2.1", "w", "org_a");
        gate.whenAvailable(its, loop::add, woken::incrementAndGet);
        gate.whenAvailable(share(gate, "192.0.2.9", "v", "org_a"), loop::add, woken::incrementAndGet);

        assertThat(gate.tryAcquire(its)).isNull();
        assertThat(gate.tryAcquire(other)).isNotNull();
        assertThat(gate.tryAcquire(share(gate, "192.0.2.1", "org_a"))).isNotNull();
        assertThat(gate.tryAcquire()).as("what has begun").isNotNull();
        assertThat(loop).isEmpty();
        assertThat(gate.waiting()).isEqualTo(2);
        first.run();
        first.run();
        assertThat(loop).isEmpty();
        assertThat(gate.tryAcquire(its)).isNull();

        second.run();

        assertThat(loop).hasSize(2);
        assertThat(gate.tryAcquire(its)).isNotNull();
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void atTheEndAnOrganizationThatIsHeldIsWoken() {
        AuditGate gate = new AuditGate(8, 0);
        gate.hold("org_a");
        gate.whenAvailable(share(gate, "192.0.2.1", "w", "org_a"), Runnable::run, woken::incrementAndGet);

        gate.end();

        assertThat(woken).hasValue(1);
        assertThat(gate.isWaitedFor()).isFalse();
        assertThat(gate.tryAcquire(share(gate, "192.0.2.1", "w", "org_a"))).isNotNull();
    }

    @Test
    void aHoldOfNobodyIsRefused() {
        AuditGate gate = new AuditGate(8, 0);

        assertThatThrownBy(() -> gate.hold("")).isInstanceOf(IllegalArgumentException.class);
    }

    /** Else an organization with thousands of waiting requests would take the processor from all others. */
    @Test
    void whoWaitsForAHeldOrganizationIsLookedAtOnceAndNotByEachWhoReturnsASlot() {
        AuditGate gate = new AuditGate(8, 0);
        ClientShare held = share(gate, "192.0.2.1", "w", "org_a");
        Runnable release = gate.hold("org_a");
        int many = 1000;
        AtomicInteger asked = new AtomicInteger();
        for (int i = 0; i < many; i++) {
            gate.whenAvailable(held, loop::add, asked::incrementAndGet);
        }

        assertThat(gate.isWaitedFor())
                .as("a slot that is returned wakes nobody")
                .isFalse();
        assertThat(gate.waiting()).isEqualTo(many);
        release.run();
        while (!loop.isEmpty()) {
            loop.remove().run();
        }
        assertThat(asked).hasValue(many);
    }

    @Test
    void nobodyIsForgottenWhileAHoldComesAndGoes() throws Exception {
        AuditGate gate = new AuditGate(4, 0);
        int each = 5_000;
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ClientShare share = share(gate, "192.0.2.1", "w", i % 2 == 0 ? "org_a" : "org_b");
            workers.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    enter(gate, share).giveBack();
                }
            }));
        }
        while (workers.stream().anyMatch(Thread::isAlive)) {
            Runnable release = gate.hold("org_a");
            Thread.onSpinWait();
            release.run();
        }

        assertThat(gate.waiting()).isZero();
        assertThat(gate.available()).isEqualTo(4);
    }

    @Test
    void underAHoldARecordOfWhatHasEndedIsWokenAlthoughOthersWaitBeforeIt() {
        AuditGate gate = new AuditGate(1, 0);
        AuditSlot only = gate.tryAcquire();
        gate.hold();
        gate.whenAvailable(share(gate, "192.0.2.1"), loop::add, () -> {});
        gate.whenAvailable(null, loop::add, woken::incrementAndGet);

        only.giveBack();
        assertThat(loop).hasSize(1);
        loop.remove().run();

        assertThat(woken).hasValue(1);
        assertThat(gate.waiting()).isOne();
    }
}
