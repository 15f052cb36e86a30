package dev.sallyport.core.exchange;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Makes exchange ids: 26 characters, unique across processes by a random prefix, ascending within one. Thread-safe. */
public final class ExchangeIds {

    private static final byte[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".getBytes(StandardCharsets.ISO_8859_1);
    private static final int COUNTER_DIGITS = 13;

    private final byte[] prefix = digits(new SecureRandom().nextLong());
    private final AtomicLong counter = new AtomicLong();

    /** The next id. */
    public String next() {
        byte[] id = new byte[2 * COUNTER_DIGITS];
        System.arraycopy(prefix, 0, id, 0, COUNTER_DIGITS);
        write(counter.incrementAndGet(), id, COUNTER_DIGITS);
        return new String(id, StandardCharsets.ISO_8859_1);
    }

    private static byte[] digits(long number) {
        byte[] text = new byte[COUNTER_DIGITS];
        write(number, text, 0);
        return text;
    }

    private static void write(long number, byte[] into, int at) {
        long rest = number;
        for (int i = COUNTER_DIGITS - 1; i >= 0; i--) {
            into[at + i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
    }
}
