package dev.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class OldGenerationTest {

    private static final long MIB = 1024 * 1024;

    private final AtomicLong used = new AtomicLong();
    private final AtomicLong live = new AtomicLong(14 * MIB);
    private final AtomicInteger collections = new AtomicInteger();
    private final OldGeneration generation = new OldGeneration(used::get, () -> {
        collections.incrementAndGet();
        used.set(live.get());
    });

    /** After it has stood still. */
    private int checkedAt(long bytes) {
        used.set(bytes);
        generation.check();
        for (int i = 0; i < OldGeneration.LOOKS && used.get() == bytes; i++) {
            generation.check();
        }
        return collections.get();
    }

    private int checkedOnceAt(long bytes) {
        used.set(bytes);
        generation.check();
        return collections.get();
    }

    @Test
    void isLeftAloneWhileItGrowsButNotForEver() {
        for (long mib = 60; mib <= 190; mib += 10) {
            assertThat(checkedOnceAt(mib * MIB)).isZero();
        }
        assertThat(checkedOnceAt(OldGeneration.MOST_BYTES + 1)).isEqualTo(1);
        assertThat(checkedOnceAt(80 * MIB)).isEqualTo(1);
        assertThat(checkedOnceAt(80 * MIB)).isEqualTo(1);
        assertThat(checkedOnceAt(80 * MIB)).isEqualTo(2);
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
