package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreException;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.testsupport.Patience;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No value is lost, whatever happens to the key and to the process while keys rotate. On the database of the run. */
@Timeout(120)
class KeyRotationSafetyTest {

    private static final int VALUES = 100;
    private static final KeyRotation.Times SOON =
            new KeyRotation.Times(Duration.ZERO, Duration.ofMillis(600), Duration.ofSeconds(30));

    @TempDir
    Path folder;

    private Path keyFile;
    private EncryptionKey key;
    private String url;
    private Store store;
    private Envelope envelope;

    @BeforeEach
    void open() throws Exception {
        keyFile = folder.resolve("encryption.key");
        key = new KeyInFile(keyFile);
        url = TestDatabase.url(folder);
        store = open(url);
        envelope = started(store);
        store.write(transaction -> {
            for (int i = 0; i < VALUES; i++) {
                transaction
                        .sql()
                        .createUpdate(
                                "insert into device_code (code_hash, status, created_at, expires_at, sealed_token)"
                                        + " values (:id, 'x', 0, 0, :sealed)")
                        .bind("id", id(i))
                        .bind("sealed", envelope.seal(plain(i), "", "device_code", id(i)))
                        .execute();
            }
            return VALUES;
        });
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Store open(String url) throws StoreException {
        return Store.open(new StoreSettings(url, null, null), Clock.systemUTC());
    }

    /** The keys of a process that starts. */
    private Envelope started(Store store) throws Exception {
        Envelope made = KeyCheck.envelope(key, store);
        KeyCheck.check(store, made);
        return made;
    }

    private static String id(int i) {
        return String.format("v%04d", i);
    }

    private static byte[] plain(int i) {
        return ("value " + i).getBytes(StandardCharsets.UTF_8);
    }

    private KeyRotation rotation(Runnable afterPortion) {
        return new KeyRotation(store, envelope, key, SOON, afterPortion);
    }

    private KeyRotation rotation() {
        return rotation(() -> {});
    }

    private byte[] sealed(int i) {
        return store.read(handle -> handle.createQuery("select sealed_token from device_code where code_hash = :id")
                .bind("id", id(i))
                .mapTo(byte[].class)
                .one());
    }

    /** By the key that is in the file now. */
    private void allIsReadable() throws Exception {
        Envelope keys = Envelope.of(Files.readString(keyFile));
        for (int i = 0; i < VALUES; i++) {
            assertThat(keys.open(sealed(i), "", "device_code", id(i))).isEqualTo(plain(i));
        }
        assertThat(KeyCheck.opens(store, keys)).isTrue();
    }

    /** The keys that values name. */
    private Set<Integer> keysInUse() {
        Set<Integer> keys = new TreeSet<>();
        for (int i = 0; i < VALUES; i++) {
            keys.add(ByteBuffer.wrap(sealed(i), 1, Integer.BYTES).getInt());
        }
        return keys;
    }

    private String check() {
        return store.read(handle -> handle.createQuery("select value from meta where name = 'encryption_check'")
                .mapTo(String.class)
                .one());
    }

    @Test
    void aKeyFileThatIsGoneIsNotMadeAnewByAProcessThatRuns() throws Exception {
        String before = Files.readString(keyFile);
        String check = check();
        int seals = envelope.primaryId();
        Files.delete(keyFile);

        rotation().renew();
        assertThatThrownBy(() -> rotation().run(false))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("encryption.key cannot be used: it is not there (expected: the key with which");

        assertThat(keyFile).doesNotExist();
        assertThat(envelope.primaryId()).isEqualTo(seals);
        assertThat(check()).isEqualTo(check);
        Files.writeString(keyFile, before);
        rotation().run(false);
        allIsReadable();
    }

    @Test
    void anotherValidKeyInItsPlaceIsNotTakenForIt() throws Exception {
        String before = Files.readString(keyFile);
        String check = check();
        int seals = envelope.primaryId();
        Files.writeString(keyFile, Envelope.newKey());

        rotation().renew();
        for (boolean removeOld : new boolean[] {false, true}) {
            assertThatThrownBy(() -> rotation().run(removeOld))
                    .isInstanceOfSatisfying(
                            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("wrong_key"));
        }

        assertThat(envelope.primaryId()).isEqualTo(seals);
        assertThat(check()).isEqualTo(check);
        Files.writeString(keyFile, before);
        allIsReadable();
    }

    @Test
    void anOlderKeysetThatLacksTheKeyThatSealsIsNotTaken() throws Exception {
        String before = Files.readString(keyFile);
        assertThatThrownBy(() -> rotation(() -> {
                            throw new IllegalStateException("ended");
                        })
                        .run(false))
                .hasMessage("ended");
        int seals = envelope.primaryId();
        Files.writeString(keyFile, before);

        rotation().renew();

        assertThat(envelope.primaryId()).isEqualTo(seals);
        assertThatThrownBy(() -> rotation().run(false)).hasMessageContaining("lacks the one");
    }

    @Test
    void aKeysetThatIsReplacedMeanwhileIsNotOverwritten() throws Exception {
        rotation().run(false);
        String theirs = Envelope.of(Files.readString(keyFile)).rotated();
        KeyRotation removing = rotation(() -> {
            try {
                Files.writeString(keyFile, theirs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });

        assertThatThrownBy(() -> removing.run(true))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("was replaced meanwhile");

        assertThat(Files.readString(keyFile)).isEqualTo(theirs);
        allIsReadable();
    }

    @Test
    void noKeyIsRemovedWhileAValueCannotBeOpened() throws Exception {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update device_code set sealed_token = :sealed where code_hash = :id")
                .bind("sealed", new byte[] {1, 0, 0, 1, 2, 3, 4, 5})
                .bind("id", id(7))
                .execute());

        assertThat(rotation().run(false))
                .contains("1 values cannot be opened with any key, and stay as they are; the log names them");
        assertThatThrownBy(() -> rotation().run(true))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("values_unreadable"));

        assertThat(Envelope.of(Files.readString(keyFile)).size()).isEqualTo(2);
    }

    @Test
    void noKeyIsRemovedWithWhichAnotherProcessMaySeal() throws Exception {
        KeyReplicas other = new KeyReplicas(store, SOON.silence());
        other.tell(envelope.primaryId());

        for (boolean removeOld : new boolean[] {false, true}) {
            assertThatThrownBy(() -> rotation().run(removeOld))
                    .isInstanceOfSatisfying(
                            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("replicas_behind"));
        }
        assertThat(Envelope.of(Files.readString(keyFile)).size()).isEqualTo(2);

        other.tell(envelope.primaryId());
        assertThat(rotation().run(true)).contains("going on with a rotation that was not finished");
        assertThat(keysInUse()).containsExactly(envelope.primaryId());
        allIsReadable();
    }

    @Test
    void aProcessThatSaysNothingAnyMoreIsNotWaitedForForEver() throws Exception {
        new KeyReplicas(store, SOON.silence()).tell(envelope.primaryId());
        KeyRotation.Times times = new KeyRotation.Times(Duration.ZERO, Duration.ofSeconds(20), Duration.ofMillis(500));

        assertThat(new KeyRotation(store, envelope, key, times, () -> {}).run(true))
                .anyMatch(line -> line.startsWith("old keys removed"));

        allIsReadable();
    }

    @Test
    void aProcessIsSeenFromItsStartToItsEnd() {
        KeyRotation other = rotation();
        KeyWatch watch = KeyWatch.start(other, false);
        assertThat(replicas()).containsExactly((long) envelope.primaryId());

        watch.close();
        assertThat(replicas()).isEmpty();
    }

    /** Whoever must not wait is told soon, and not at the next look only. */
    @Test
    void aKeyThatIsMissedIsReadSoonByTheWatch() throws Exception {
        Envelope other = started(store);
        KeyRotation ofOther = new KeyRotation(store, other, key, SOON, () -> {});
        CountDownLatch renewed = new CountDownLatch(1);
        rotation().run(false);
        byte[] sealed = envelope.seal(plain(1), "o", "t", "r");
        KeyWatch watch = KeyWatch.start(ofOther, true);
        try {
            watch.onRenewal(renewed::countDown);
            other.onMissedKey(watch::lookSoon);

            assertThatThrownBy(() -> other.openNow(sealed, "o", "t", "r")).isInstanceOf(IllegalStateException.class);

            assertThat(renewed.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(other.openNow(sealed, "o", "t", "r")).isEqualTo(plain(1));
        } finally {
            watch.close();
        }
    }

    @Test
    void anErrorDoesNotEndTheWatch() throws Exception {
        CountDownLatch looks = new CountDownLatch(3);
        KeyWatch watch = KeyWatch.start(rotation(), true, Duration.ofMillis(20));
        try {
            watch.onRenewal(() -> {
                looks.countDown();
                throw new StackOverflowError("made to fail");
            });

            assertThat(looks.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            watch.close();
        }
    }

    @Test
    @Tag("long")
    void aProcessThatWasSilentSealsNothingUntilItHasReadTheKeysetAgain() throws Exception {
        KeyRotation.Times times = new KeyRotation.Times(Duration.ZERO, Duration.ofSeconds(20), Duration.ofSeconds(2));
        Envelope slept = started(store);
        KeyRotation other = new KeyRotation(store, slept, key, times, () -> {});
        other.guard();
        assertThatThrownBy(() -> slept.seal(plain(1), "o", "t", "r"))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("encryption_key_unconfirmed"));
        other.join();
        slept.seal(plain(1), "o", "t", "r");

        new KeyRotation(store, envelope, key, times, () -> {}).run(true);

        assertThatThrownBy(() -> slept.seal(plain(1), "o", "t", "r")).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.code()).isEqualTo("encryption_key_unconfirmed");
        });
        String keyset = Files.readString(keyFile);
        Files.delete(keyFile);
        other.follow();
        assertThatThrownBy(() -> slept.seal(plain(1), "o", "t", "r"))
                .as("a keyset that it cannot read")
                .isInstanceOf(Refusal.class);
        Files.writeString(keyFile, keyset);
        other.follow();
        assertThat(envelope.open(slept.seal(plain(1), "o", "t", "r"), "o", "t", "r"))
                .isEqualTo(plain(1));
        other.leave();
        assertThatThrownBy(() -> slept.seal(plain(1), "o", "t", "r")).isInstanceOf(Refusal.class);
    }

    @Test
    void oneThatComesBackWhileOldKeysAreRemovedIsWaitedFor() {
        KeyReplicas back = new KeyReplicas(store, SOON.silence());
        int old = envelope.primaryId();
        AtomicInteger portions = new AtomicInteger();

        assertThatThrownBy(() -> rotation(() -> {
                            if (portions.incrementAndGet() == 1) {
                                back.tell(old);
                            }
                        })
                        .run(true))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("replicas_behind"));

        assertThat(envelope.size()).isEqualTo(2);
    }

    private List<Long> replicas() {
        return store.read(handle -> handle.createQuery("select key_id from encryption_replica")
                .mapTo(Long.class)
                .list());
    }

    @Test
    void anInterruptedRotationIsNotTakenForFinished() throws Exception {
        String check = check();
        try {
            assertThatThrownBy(() ->
                            rotation(() -> Thread.currentThread().interrupt()).run(true))
                    .isInstanceOfSatisfying(
                            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("rotation_not_finished"));
        } finally {
            Thread.interrupted();
        }

        assertThat(check()).isEqualTo(check);
        assertThat(keysInUse()).hasSize(2);
        assertThat(rotation().run(true)).contains("going on with a rotation that was not finished");
        allIsReadable();
    }

    @Test
    void aProcessThatIsKilledHalfwayLosesNothing() throws Exception {
        store.close();
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Killed.class.getName(),
                            url,
                            keyFile.toString(),
                            "3")
                    .redirectErrorStream(true)
                    .redirectOutput(new File(folder.toFile(), "killed.log"))
                    .start();
            assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue())
                    .as(Files.readString(folder.resolve("killed.log")))
                    .isEqualTo(Killed.CODE);
        } finally {
            store = open(url);
        }

        assertThat(keysInUse()).as("it was halfway").hasSize(2);
        envelope = started(store);
        allIsReadable();
        assertThat(rotation().run(false)).contains("going on with a rotation that was not finished");
        assertThat(keysInUse()).containsExactly(envelope.primaryId());
        allIsReadable();
        rotation().run(true);
        allIsReadable();
    }

    /** A process that ends, without a word, when it has written some portions. */
    static final class Killed {

        static final int CODE = 77;

        private Killed() {}

        /** Database, file of the key, portions. */
        public static void main(String[] args) throws Exception {
            AtomicInteger left = new AtomicInteger(Integer.parseInt(args[2]));
            Store store = open(args[0]);
            EncryptionKey key = new KeyInFile(Path.of(args[1]));
            Envelope envelope = KeyCheck.envelope(key, store);
            new KeyRotation(store, envelope, key, SOON, () -> {
                        if (left.decrementAndGet() == 0) {
                            Runtime.getRuntime().halt(CODE);
                        }
                    })
                    .run(false);
        }
    }

    @Test
    void onPostgresqlOneProcessRotatesAtATime() throws Exception {
        String shared = TestDatabase.postgres();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Path file = folder.resolve("shared.key");
        EncryptionKey one = new KeyInFile(file);
        try (Store first = open(shared);
                Store second = open(shared);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Envelope keys = KeyCheck.envelope(one, first);
            KeyCheck.check(first, keys);
            first.write(transaction -> transaction
                    .sql()
                    .createUpdate("insert into device_code (code_hash, status, created_at, expires_at, sealed_token)"
                            + " values ('a', 'x', 0, 0, :sealed)")
                    .bind("sealed", keys.seal(plain(1), "", "device_code", "a"))
                    .execute());
            Future<List<String>> running = threads.submit(() -> new KeyRotation(first, keys, one, SOON, () -> {
                        begun.countDown();
                        await(end);
                    })
                    .run(true));
            begun.await();
            String during = Files.readString(file);
            Envelope others = KeyCheck.envelope(one, second);

            assertThatThrownBy(() -> new KeyRotation(second, others, one, SOON, () -> {}).run(true))
                    .isInstanceOfSatisfying(
                            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("rotation_in_progress"));

            assertThat(Files.readString(file)).isEqualTo(during);
            end.countDown();
            assertThat(running.get()).anyMatch(line -> line.startsWith("old keys removed"));
            assertThat(new KeyRotation(second, others, one, SOON, () -> {}).run(false))
                    .as("the lock has gone with it")
                    .anyMatch(line -> line.startsWith("new key: "));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void valuesOfOtherProcessesAreReadRightAfterTheyRotated() throws Exception {
        Envelope other = started(store);
        AtomicInteger renewals = new AtomicInteger();
        KeyRotation ofOther = new KeyRotation(store, other, key, SOON, () -> {});
        other.onUnknownKey(() -> {
            renewals.incrementAndGet();
            sleep();
            ofOther.renew();
        });
        rotation().run(true);
        byte[] sealed = envelope.seal(plain(1), "o", "t", "r");

        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<byte[]>> opened = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> other.open(sealed, "o", "t", "r")))
                    .toList();
            for (Future<byte[]> value : opened) {
                assertThat(value.get()).isEqualTo(plain(1));
            }
        }

        assertThat(renewals).hasValue(1);
        byte[] unknown = Base64.getDecoder().decode("AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> other.open(unknown, "o", "t", "r")).isInstanceOf(IllegalStateException.class);
        }
        assertThat(renewals).as("in vain, once").hasValue(2);
    }

    private static void sleep() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
