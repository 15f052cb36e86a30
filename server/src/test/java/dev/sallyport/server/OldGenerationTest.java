package dev.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class OldGenerationTest {

    private static final long MIB = 1024 * 1024;

    private final AtomicLong used = new AtomicLong();
    private final AtomicLong allocated = new AtomicLong();
    private final AtomicLong live = new AtomicLong(14 * MIB);
    private final AtomicInteger collections = new AtomicInteger();
    private final OldGeneration generation = new OldGeneration(used::get, allocated::get, () -> {
        collections.incrementAndGet();
        used.set(live.get());
    });

    /** While there is nothing else to do. */
    private int checkedAt(long bytes) {
        used.set(bytes);
        allocated.addAndGet(OldGeneration.QUIET_BYTES);
        generation.check();
        return collections.get();
    }

    private int checkedUnderWayAt(long bytes) {
        used.set(bytes);
        allocated.addAndGet(OldGeneration.QUIET_BYTES + 1);
        generation.check();
        return collections.get();
    }

    @Test
    void isLeftAloneWhileThereIsSomethingToDo() {
        for (int i = 0; i < OldGeneration.LOOKS; i++) {
            assertThat(checkedUnderWayAt(60 * MIB + i)).isZero();
        }
        assertThat(checkedAt(60 * MIB)).isEqualTo(1);
    }

    @Test
    void isPutOffForMinutesButNotForEver() {
        for (int i = 0; i < OldGeneration.LOOKS; i++) {
            assertThat(checkedUnderWayAt(60 * MIB)).isZero();
        }
        assertThat(checkedUnderWayAt(60 * MIB)).isEqualTo(1);
        for (int i = 0; i < OldGeneration.LOOKS; i++) {
            assertThat(checkedUnderWayAt(60 * MIB)).isEqualTo(1);
        }
        assertThat(checkedUnderWayAt(60 * MIB)).isEqualTo(2);
    }

    @Test
    void whatGrowsFarIsNotPutOff() {
        assertThat(checkedUnderWayAt(OldGeneration.MOST_BYTES)).isZero();
        assertThat(checkedUnderWayAt(OldGeneration.MOST_BYTES + 1)).isEqualTo(1);
        live.set(100 * MIB);
        assertThat(checkedUnderWayAt(OldGeneration.MOST_BYTES + 1)).isEqualTo(2);
        assertThat(checkedUnderWayAt(400 * MIB)).isEqualTo(2);
        assertThat(checkedUnderWayAt(400 * MIB + 1)).isEqualTo(3);
    }

    @Test
    void littleIsLeftAlone() {
        assertThat(checkedAt(OldGeneration.LEAST_BYTES)).isZero();
    }

    @Test
    void isCollectedAsSoonAsThereMayBeAsMuchGarbageAsLiveData() {
        assertThat(checkedAt(OldGeneration.LEAST_BYTES + 1)).isEqualTo(1);
        assertThat(used).hasValue(14 * MIB);
        assertThat(checkedAt(OldGeneration.LEAST_BYTES)).isEqualTo(1);
        assertThat(checkedAt(OldGeneration.LEAST_BYTES + 1)).isEqualTo(2);
    }

    @Test
    void muchLiveDataIsNotCollectedAgainAndAgain() {
        live.set(100 * MIB);
        assertThat(checkedAt(101 * MIB)).isEqualTo(1);
        assertThat(checkedAt(200 * MIB)).isEqualTo(1);
        assertThat(checkedAt(200 * MIB + 1)).isEqualTo(2);
    }

    @Test
    void theLimitFallsWithTheLiveData() {
        live.set(100 * MIB);
        assertThat(checkedAt(101 * MIB)).isEqualTo(1);
        live.set(14 * MIB);
        assertThat(checkedAt(201 * MIB)).isEqualTo(2);
        assertThat(checkedAt(49 * MIB)).isEqualTo(3);
    }
}
