package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Design, section 5: permits bound what is on its way, captured bytes with them. */
class AuditGateTest {

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final AtomicInteger woken = new AtomicInteger();

    @Test
    void thereAreAsManyPermitsAsPlaces() {
        AuditGate gate = new AuditGate(2, 0);

        assertThat(gate.tryAcquire()).isTrue();
        assertThat(gate.tryAcquire()).isTrue();
        assertThat(gate.tryAcquire()).isFalse();
        gate.release();
        assertThat(gate.tryAcquire()).isTrue();
    }

    @Test
    void capturedBytesAreTakenWithThePermitOrNeither() {
        AuditGate gate = new AuditGate(10, 100);

        assertThat(gate.tryAcquire(40)).isTrue();
        assertThat(gate.tryAcquire(50)).isTrue();
        assertThat(gate.tryAcquire(20)).isFalse();
        assertThat(gate.available()).isEqualTo(8);
        assertThat(gate.tryAcquire(10)).isTrue();
        assertThat(gate.tryAcquire()).isTrue();
        gate.release(50);
        assertThat(gate.tryAcquire(50)).isTrue();
    }

    @Test
    void oneExchangeGetsHalfOfTheBytesAtMost() {
        AuditGate gate = new AuditGate(10, 100);

        assertThat(gate.tryAcquire(1_000)).isTrue();
        assertThat(gate.tryAcquire(1_000)).isTrue();
        assertThat(gate.tryAcquire(1)).isFalse();
        gate.release(1_000);
        assertThat(gate.tryAcquire(50)).isTrue();
    }

    @Test
    void whoeverWaitsIsWokenOnceAtLowWaterOnItsExecutor() {
        AuditGate gate = new AuditGate(8, 0);
        for (int i = 0; i < 8; i++) {
            gate.tryAcquire();
        }
        gate.whenAvailable(loop::add, woken::incrementAndGet);

        gate.release();
        assertThat(loop).isEmpty();
        gate.release();

        assertThat(loop).hasSize(1);
        assertThat(woken).hasValue(0);
        loop.remove().run();
        gate.release();
        assertThat(loop).isEmpty();
        assertThat(woken).hasValue(1);
    }

    @Test
    void whoeverAsksWhileThereIsRoomIsWokenAtOnce() {
        AuditGate gate = new AuditGate(1, 0);

        gate.whenAvailable(loop::add, woken::incrementAndGet);

        assertThat(loop).hasSize(1);
    }

    @Test
    void bytesAreWaitedForToo() {
        AuditGate gate = new AuditGate(10, 100);
        gate.tryAcquire(50);
        gate.tryAcquire(30);
        gate.whenAvailable(loop::add, woken::incrementAndGet);
        assertThat(loop).isEmpty();

        gate.release(50);

        assertThat(loop).hasSize(1);
        assertThat(gate.tryAcquire(1_000)).isTrue();
    }

    @Test
    void aPermitCannotComeBackTwice() {
        AuditGate gate = new AuditGate(1, 0);
        gate.tryAcquire();
        gate.release();

        assertThatThrownBy(gate::release).isInstanceOf(IllegalStateException.class);
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
            workers.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    enter(gate);
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    gate.release();
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
    }

    @Test
    void capturesUnderWayGetHalfOfTheMemoryAndHoldNobodyUp() {
        AuditGate gate = new AuditGate(2, 100);
        gate.tryAcquire();

        assertThat(gate.tryCapture(30)).isTrue();
        assertThat(gate.tryCapture(21)).isFalse();
        assertThat(gate.tryCapture(20)).isTrue();
        assertThat(gate.tryCapture(1)).isFalse();

        AtomicInteger woken = new AtomicInteger();
        gate.whenAvailable(Runnable::run, woken::incrementAndGet);
        assertThat(woken).hasValue(1);

        gate.release(50);
        assertThat(gate.tryCapture(50)).isTrue();
    }

    private static void enter(AuditGate gate) {
        while (!gate.tryAcquire()) {
            CountDownLatch room = new CountDownLatch(1);
            gate.whenAvailable(Runnable::run, room::countDown);
            try {
                room.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
