package dev.sallyport.control;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** The time of this machine, and what tests add to it. */
public final class TestClock extends Clock {

    private final AtomicLong added = new AtomicLong();

    public void advance(Duration duration) {
        added.addAndGet(duration.toMillis());
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(System.currentTimeMillis() + added.get());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException();
    }
}
