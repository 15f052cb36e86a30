package dev.sallyport.control.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.sallyport.control.model.Refusal;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Hashes of passwords. */
class PasswordsTest {

    @Test
    void aHashIsOfItsPasswordAlone() {
        try (Passwords passwords = new Passwords(PasswordCost.STANDARD)) {
            String hash = passwords.hash("correct horse");

            assertThat(hash).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
            assertThat(passwords.hash("correct horse")).isNotEqualTo(hash);
            assertThat(passwords.matches("correct horse", hash)).isTrue();
            assertThat(passwords.matches("correct hors", hash)).isFalse();
        }
    }

    @Test
    void aHashIsOfItsPasswordAtThePriceThatItSays() {
        try (Passwords cheap = new Passwords(new PasswordCost(64, 1));
                Passwords passwords = new Passwords(PasswordCost.STANDARD)) {
            String hash = cheap.hash("correct horse");

            assertThat(hash).startsWith("$argon2id$v=19$m=64,t=1,p=1$");
            assertThat(passwords.matches("correct horse", hash)).isTrue();
            assertThat(passwords.matches("correct hors", hash)).isFalse();
        }
    }

    /** The heap would else grow with each sign-in: what lives for so long is collected late. */
    @Test
    void theNextHashNeedsNoMemoryOfItsOwn() {
        try (Passwords passwords = new Passwords(PasswordCost.STANDARD)) {
            String hash = passwords.hash("correct horse");
            long before = allocated();
            passwords.matches("correct horse", hash);

            assertThat(allocated() - before).isLessThan(PasswordCost.STANDARD.memoryKib() * 1024L / 16);
        }
    }

    /** How many bytes the threads that compute hashes have allocated. */
    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sallyport-control-passwords"))
                .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.threadId()))
                .sum();
    }

    @Test
    void whoeverWaitsAtTheEndIsAnswered() throws Exception {
        Passwords passwords = new Passwords(PasswordCost.STANDARD);
        List<Future<String>> hashes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            CountDownLatch begun = new CountDownLatch(16);
            for (int i = 0; i < 16; i++) {
                hashes.add(threads.submit(() -> {
                    begun.countDown();
                    return passwords.hash("correct horse");
                }));
            }
            begun.await();
            passwords.close();
        } // waits for all of them

        int refused = 0;
        for (Future<String> hash : hashes) {
            try {
                assertThat(hash.get()).startsWith("$argon2id$");
            } catch (ExecutionException e) {
                assertThat(e.getCause())
                        .isInstanceOfSatisfying(
                                Refusal.class,
                                refusal -> assertThat(refusal.status()).isEqualTo(503));
                refused++;
            }
        }
        assertThat(refused).isPositive();
        assertThatThrownBy(() -> passwords.hash("x")).isInstanceOf(Refusal.class);
    }
}
