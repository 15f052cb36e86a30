package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How often the database is asked. */
class ReadinessTest {

    @Test
    void theDatabaseIsAskedOnceASecond() {
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean good = new AtomicBoolean(true);
        AtomicLong time = new AtomicLong();
        Readiness readiness = new Readiness(
                () -> {
                    asked.incrementAndGet();
                    return good.get();
                },
                () -> true,
                time::get);

        assertThat(readiness.isReady()).isTrue();
        good.set(false);
        time.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(readiness.isReady()).isTrue();
        assertThat(asked).hasValue(1);

        time.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(readiness.isReady()).isFalse();
        assertThat(asked).hasValue(2);
    }

    @Test
    void itIsNotReadyWhileChangesReachNobody() {
        AtomicBoolean feed = new AtomicBoolean(true);
        Readiness readiness = new Readiness(() -> true, feed::get, System::nanoTime);

        assertThat(readiness.isReady()).isTrue();
        feed.set(false);
        assertThat(readiness.isReady()).isFalse();
        feed.set(true);
        assertThat(readiness.isReady()).isTrue();
    }
}
