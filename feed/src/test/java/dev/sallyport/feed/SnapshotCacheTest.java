package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.SecretValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 16: the cache is encrypted with a key of its own, made with mode 0600. */
class SnapshotCacheTest {

    @TempDir
    Path folder;

    private static final byte[] PROXY = {1};
    private static final CacheKey IN_FOLDER = new CacheKey.InFile(null);

    private Path dir;
    private SnapshotCache.Kept kept;

    @BeforeEach
    void prepare() throws Exception {
        dir = folder.resolve("cache");
        kept = new SnapshotCache.Kept(
                Snapshot.of(SnapshotTest.json(SnapshotTest.PIPELINE), null, Credentials.NONE),
                Instant.ofEpochMilli(1_700_000_000_000L));
    }

    @Test
    void whatWasKeptIsReadBack() throws Exception {
        SnapshotCache.open(dir, IN_FOLDER, PROXY).keep(kept);

        assertThat(SnapshotCache.open(dir, IN_FOLDER, PROXY).read()).isEqualTo(kept);
    }

    @Test
    void theFilesShowNothingToOthers() throws Exception {
        SnapshotCache.open(dir, IN_FOLDER, PROXY).keep(kept);

        assertThat(new String(Files.readAllBytes(dir.resolve("snapshot")), StandardCharsets.ISO_8859_1))
                .doesNotContain("allowlist", "transforms");
        for (String file : new String[] {"snapshot", "cache.key"}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(file))))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir)))
                .isEqualTo("rwx------");
    }

    @Test
    void anotherKeyDoesNotOpenIt() throws Exception {
        SnapshotCache.open(dir, IN_FOLDER, PROXY).keep(kept);
        SnapshotCache other = SnapshotCache.open(dir, new CacheKey.InFile(folder.resolve("other.key")), PROXY);

        assertThatThrownBy(other::read).isInstanceOf(IOException.class).hasMessageContaining("key");
    }

    @Test
    void whatWasKeptForAnotherProxyIsNotRead() throws Exception {
        SnapshotCache.open(dir, IN_FOLDER, PROXY).keep(kept);
        SnapshotCache other = SnapshotCache.open(dir, IN_FOLDER, new byte[] {2});

        assertThatThrownBy(other::read).isInstanceOf(IOException.class).hasMessageContaining("for this proxy");
    }

    @Test
    void aDamagedOneIsNotRead() throws Exception {
        SnapshotCache cache = SnapshotCache.open(dir, IN_FOLDER, PROXY);
        cache.keep(kept);
        byte[] bytes = Files.readAllBytes(dir.resolve("snapshot"));
        bytes[bytes.length / 2] ^= 1;
        Files.write(dir.resolve("snapshot"), bytes);

        assertThatThrownBy(cache::read).isInstanceOf(IOException.class);
        Files.write(dir.resolve("snapshot"), new byte[3]);
        assertThatThrownBy(cache::read).isInstanceOf(IOException.class);
    }

    /** With the time of their confirmation; they are as unreadable as the rest. */
    @Test
    void secretsAreKeptToo() throws Exception {
        Credentials secrets = new Credentials(
                new TreeMap<>(Map.of(
                        "a", new Credentials.Credential("1", SecretValue.of("s3cr3t-0123456789")),
                        "b", new Credentials.Credential("2", null))),
                false);
        Snapshot with = new Snapshot("e", 7, kept.snapshot().hash(), SnapshotTest.PIPELINE, secrets);
        SnapshotCache cache = SnapshotCache.open(dir, IN_FOLDER, PROXY);

        cache.keep(new SnapshotCache.Kept(with, kept.at()));

        assertThat(cache.read()).isEqualTo(new SnapshotCache.Kept(with, kept.at()));
        assertThat(new String(Files.readAllBytes(dir.resolve("snapshot")), StandardCharsets.ISO_8859_1))
                .doesNotContain("s3cr3t");
        cache.keep(new SnapshotCache.Kept(with.withoutValues(), kept.at()));
        assertThat(cache.read().snapshot().credentials()).isEqualTo(secrets.withoutValues());
    }

    @Test
    void whatWasWipedIsGone() throws Exception {
        SnapshotCache cache = SnapshotCache.open(dir, IN_FOLDER, PROXY);
        cache.keep(kept);
        SnapshotCache.wipe(dir);

        assertThat(cache.read()).isNull();
        assertThat(dir.resolve("snapshot")).doesNotExist();
    }

    @Test
    void aFileThatIsNoKeyIsRefused() throws Exception {
        Path key = folder.resolve("k");
        Files.writeString(key, "c2hvcnQ=");

        assertThatThrownBy(() -> SnapshotCache.open(dir, new CacheKey.InFile(key), PROXY))
                .hasMessageContaining("expected: 32");
    }
}
