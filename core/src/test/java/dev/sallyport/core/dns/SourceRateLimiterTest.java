package dev.sallyport.core.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SourceRateLimiterTest {

    @Test
    void aBucketHoldsTwoSecondsWorthAndFillsAgain() throws Exception {
        AtomicLong clock = new AtomicLong(-5);
        SourceRateLimiter limiter = new SourceRateLimiter(clock::get);
        InetAddress source = InetAddress.getByName("192.0.2.1");

        for (int i = 0; i < 20; i++) {
            assertThat(limiter.tryAcquire(source, 10)).isTrue();
        }
        assertThat(limiter.tryAcquire(source, 10)).isFalse();
        clock.addAndGet(100_000_000);
        assertThat(limiter.tryAcquire(source, 10)).isTrue();
        assertThat(limiter.tryAcquire(source, 10)).isFalse();
    }

    @Test
    void inventedAddressesDoNotFreeWhoIsOverTheLimit() throws Exception {
        AtomicLong clock = new AtomicLong();
        SourceRateLimiter limiter = new SourceRateLimiter(clock::get);
        InetAddress greedy = InetAddress.getByName("2001:db8::bad");
        while (limiter.tryAcquire(greedy, 10)) {
            assertThat(clock.get()).isZero();
        }

        for (int i = 0; i < 1_000_000; i++) {
            byte[] address = {10, (byte) (i >> 16), (byte) (i >> 8), (byte) i};
            limiter.tryAcquire(InetAddress.getByAddress(address), 10);
        }

        assertThat(limiter.tryAcquire(greedy, 10)).isFalse();
    }
}
