package dev.sallyport.core.exchange;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Makes exchange ids: 26 characters, unique across processes by a random prefix, ascending within one. Thread-safe. */
public final class ExchangeIds {

    private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
    private static final int COUNTER_DIGITS = 13;

    private final char[] prefix = digits(new SecureRandom().nextLong());
    private final AtomicLong counter = new AtomicLong();

    /** The next id. */
    public String next() {
        char[] id = new char[2 * COUNTER_DIGITS];
        System.arraycopy(prefix, 0, id, 0, COUNTER_DIGITS);
        write(counter.incrementAndGet(), id, COUNTER_DIGITS);
        return new String(id);
    }

    private static char[] digits(long number) {
        char[] text = new char[COUNTER_DIGITS];
        write(number, text, 0);
        return text;
    }

    private static void write(long number, char[] into, int at) {
        long rest = number;
        for (int i = COUNTER_DIGITS - 1; i >= 0; i--) {
            into[at + i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
    }
}
