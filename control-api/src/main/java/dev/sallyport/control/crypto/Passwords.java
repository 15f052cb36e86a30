package dev.sallyport.control.crypto;

import dev.sallyport.control.model.Refusal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Password hashes: Argon2id (RFC 9106), as text in PHC form. One is computed at a time, on a thread of its own, so that
 * sign-ins take neither all processors nor all memory; callers block, and too many of them are refused with 503. Its memory
 * is used again for the next one, and goes with the thread, a minute after the last. Thread-safe.
 */
public final class Passwords implements AutoCloseable {

    private static final int WAITING = 32;
    private static final int BYTES = 32;
    private static final int SALT_BYTES = 16;

    /** More than the blocks, of 1 KiB, that are needed beside the memory. */
    private static final int WORKING_BLOCKS = 16;

    private static final Pattern PHC =
            Pattern.compile("\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,3}),p=1\\$([A-Za-z0-9+/]+)\\$([A-Za-z0-9+/]+)");
    private static final Base64.Encoder ENCODER = Base64.getEncoder().withoutPadding();

    private final SecureRandom random = new SecureRandom();
    private final PasswordCost cost;
    private final String nobody;
    private final ThreadPoolExecutor worker;

    /** Of the thread: without it, each hash would leave so much garbage behind. Blocks are cleared after each use. */
    private final ThreadLocal<Argon2BytesGenerator.BlockPool> blocks;

    /** @param cost that of new hashes */
    public Passwords(PasswordCost cost) {
        this.cost = cost;
        blocks = ThreadLocal.withInitial(
                () -> new Argon2BytesGenerator.FixedBlockPool(cost.memoryKib() + WORKING_BLOCKS));
        worker = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(WAITING),
                Thread.ofPlatform().daemon().name("sallyport-control-passwords").factory());
        worker.allowCoreThreadTimeOut(true);
        nobody = text(new byte[SALT_BYTES], new byte[BYTES]);
    }

    /** The hash of a password, with a new salt. */
    public String hash(String password) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return run(() -> text(salt, derive(password, salt, cost.memoryKib(), cost.passes())));
    }

    /** Whether a hash was made of this password. */
    public boolean matches(String password, String hash) {
        Matcher parts = PHC.matcher(hash);
        if (!parts.matches()) {
            throw new IllegalStateException("a stored password hash of an unknown form");
        }
        int memory = Integer.parseInt(parts.group(1));
        int passes = Integer.parseInt(parts.group(2));
        byte[] salt = Base64.getDecoder().decode(parts.group(3));
        byte[] expected = Base64.getDecoder().decode(parts.group(4));
        return run(() -> MessageDigest.isEqual(expected, derive(password, salt, memory, passes)));
    }

    /** Takes as long as {@link #matches}, so that an answer does not tell who has an account. */
    public void matchNobody(String password) {
        matches(password, nobody);
    }

    private String text(byte[] salt, byte[] hash) {
        return "$argon2id$v=19$m=" + cost.memoryKib() + ",t=" + cost.passes() + ",p=1$" + ENCODER.encodeToString(salt)
                + "$" + ENCODER.encodeToString(hash);
    }

    private byte[] derive(String password, byte[] salt, int memory, int passes) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(memory)
                .withIterations(passes)
                .withParallelism(1)
                .withSalt(salt)
                .withBlockPool(blocks.get())
                .build());
        byte[] out = new byte[BYTES];
        generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), out);
        return out;
    }

    private <T> T run(Callable<T> work) {
        try {
            Future<T> result = worker.submit(work);
            return result.get();
        } catch (RejectedExecutionException | CancellationException e) {
            throw Refusal.overloaded();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.overloaded();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a password hash failed", e.getCause());
        }
    }

    @Override
    public void close() {
        for (Runnable waiting : worker.shutdownNow()) {
            if (waiting instanceof Future<?> result) {
                result.cancel(false); // whoever waits for it would wait for ever
            }
        }
    }
}
