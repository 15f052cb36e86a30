package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.KeyService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Snapshots that are kept with a key which a service has to decrypt (docs/control-plane.md). */
class CacheKeeperTest {

    private static final byte[] PROXY = {1};

    @TempDir
    Path folder;

    private final Service service = new Service();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(CacheKeeper.class);
    private Path dir;
    private Snapshot snapshot;

    /** Turns the bits of what it is given; can be away. */
    private static final class Service implements KeyService {

        private final List<String> calls = new CopyOnWriteArrayList<>();
        private volatile boolean away;
        private volatile CountDownLatch answers = new CountDownLatch(0);

        @Override
        public String name() {
            return "aws_kms";
        }

        @Override
        public byte[] encrypt(String keyId, Map<String, String> context, byte[] plain) throws ConfigException {
            return turned("encrypt", keyId + context, plain);
        }

        @Override
        public byte[] decrypt(String keyId, Map<String, String> context, byte[] sealed) throws ConfigException {
            return turned("decrypt", keyId + context, sealed);
        }

        private byte[] turned(String call, String key, byte[] bytes) throws ConfigException {
            calls.add(call);
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new ConfigException("", "interrupted", "");
            }
            if (away) {
                throw new ConfigException("", "it is away", "a way to it");
            }
            byte[] turned = bytes.clone();
            for (int i = 0; i < turned.length; i++) {
                turned[i] ^= (byte) (key.charAt(i % key.length()) + 1);
            }
            return turned;
        }
    }

    @BeforeEach
    void prepare() throws Exception {
        dir = folder.resolve("cache");
        snapshot = Snapshot.of(SnapshotTest.json(SnapshotTest.PIPELINE), null, Credentials.NONE);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void end() {
        logger.detachAppender(log);
    }

    private CacheKeeper keeper(String key) {
        return keeper(key, Duration.ofMinutes(1));
    }

    private CacheKeeper keeper(String key, Duration first) {
        return new CacheKeeper(
                dir,
                new CacheKey.OfService(service, key),
                PROXY,
                new CacheKeeper.Patience(first, Duration.ofMillis(10)));
    }

    private CacheKeeper opened() throws ConfigException {
        CacheKeeper keeper = keeper("key");
        keeper.open(() -> {
            throw new AssertionError("it was open at once");
        });
        return keeper;
    }

    @Test
    void theKeyIsMadeOnceAndDecryptedAtEachStart() throws Exception {
        Instant at = Instant.ofEpochMilli(1_700_000_000_000L);
        try (CacheKeeper keeper = opened()) {
            assertThat(keeper.read()).isNull();
            assertThat(keeper.keep(snapshot, at)).isTrue();
        }
        try (CacheKeeper keeper = opened()) {
            assertThat(keeper.read()).isEqualTo(new SnapshotCache.Kept(snapshot, at));
        }

        assertThat(service.calls).containsExactly("encrypt", "decrypt");
        assertThat(Base64.getDecoder().decode(Files.readString(dir.resolve("cache.key.kms"))))
                .hasSize(32);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("cache.key.kms"))))
                .isEqualTo("rw-------");
        assertThat(dir.resolve("cache.key")).doesNotExist();
    }

    @Test
    void nothingIsEverWrittenWhileTheKeyCannotBeMade() throws Exception {
        service.away = true;
        try (CacheKeeper keeper = keeper("key")) {
            keeper.open(() -> {});

            assertThat(keeper.keep(snapshot, Instant.EPOCH)).isFalse();
            assertThat(keeper.read()).isNull();
            try (Stream<Path> files = Files.list(dir)) {
                assertThat(files).isEmpty();
            }
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(
                        message -> message.startsWith(
                                "control_plane.cache_kms_key_id: it is away (expected: a way to it); policies come from the control plane alone"));
    }

    @Test
    void aServiceThatIsBackOpensWhatWasKept() throws Exception {
        try (CacheKeeper keeper = opened()) {
            keeper.keep(snapshot, Instant.EPOCH);
        }
        service.away = true;
        CountDownLatch opened = new CountDownLatch(1);
        try (CacheKeeper keeper = keeper("key")) {
            keeper.open(opened::countDown);
            assertThat(keeper.read()).as("not yet").isNull();
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(message -> message.contains("cache.key.kms: it is away"));

            service.away = false;
            opened.await();

            assertThat(keeper.read()).isEqualTo(new SnapshotCache.Kept(snapshot, Instant.EPOCH));
        }
    }

    /** A start does not wait for it for longer than some seconds. */
    @Test
    void aServiceThatTakesItsTimeOpensItLater() throws Exception {
        service.answers = new CountDownLatch(1);
        CountDownLatch opened = new CountDownLatch(1);
        try (CacheKeeper keeper = keeper("key", Duration.ofMillis(10))) {
            keeper.open(opened::countDown);
            assertThat(keeper.keep(snapshot, Instant.EPOCH)).isFalse();

            service.answers.countDown();
            opened.await();

            assertThat(keeper.keep(snapshot, Instant.EPOCH)).isTrue();
        }
        assertThat(service.calls).containsExactly("encrypt");
    }

    /** What a service decrypts with another key is no key of the cache. */
    @Test
    void withAnotherKeyOfTheServiceNothingIsRead() throws Exception {
        try (CacheKeeper keeper = opened()) {
            keeper.keep(snapshot, Instant.EPOCH);
        }
        try (CacheKeeper keeper = keeper("other")) {
            keeper.open(() -> {});

            assertThatThrownBy(keeper::read).isInstanceOf(IOException.class).hasMessageContaining("key");
        }
    }

    @Test
    void aFileThatHoldsNoKeyIsNamed() throws Exception {
        Files.createDirectories(dir);
        Files.write(dir.resolve("cache.key.kms"), "AAAA".getBytes(StandardCharsets.US_ASCII));
        try (CacheKeeper keeper = keeper("key")) {
            keeper.open(() -> {});
            assertThat(keeper.keep(snapshot, Instant.EPOCH)).isFalse();
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(message -> message.contains("cache.key.kms: a key of 3 bytes (expected: 32)"));
    }

    /** A revoked proxy forgets what it cannot read, too. */
    @Test
    void whatCannotBeReadIsWipedAllTheSame() throws Exception {
        try (CacheKeeper keeper = opened()) {
            keeper.keep(snapshot, Instant.EPOCH);
        }
        service.away = true;
        try (CacheKeeper keeper = keeper("key")) {
            keeper.open(() -> {});
            keeper.wipe();
        }
        assertThat(dir.resolve("snapshot")).doesNotExist();
    }

    @Test
    void oneThatIsClosedAsksNoMore() throws Exception {
        service.away = true;
        CacheKeeper keeper = keeper("key");
        keeper.open(() -> {});
        keeper.close();

        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("sallyport-feed-cache-key")));
    }
}
