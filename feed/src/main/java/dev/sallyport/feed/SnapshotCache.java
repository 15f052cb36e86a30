package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last snapshot on disk, encrypted with AES-256-GCM under a key of its own: neither the token nor the file alone shows
 * what is in it. For one thread at a time; blocks.
 */
final class SnapshotCache {

    private static final String FILE = "snapshot";
    private static final String PURPOSE = "sallyport feed snapshot 1";

    private final SealedFolder folder;

    SnapshotCache(SealedFolder folder) {
        this.folder = folder;
    }

    /**
     * What was kept.
     *
     * @param at when the control plane last said that it holds
     */
    record Kept(Snapshot snapshot, Instant at) {}

    /** Opens the folder; see {@link SealedFolder#open}. */
    static SnapshotCache open(Path folder, CacheKey key, byte[] identity) throws IOException, ConfigException {
        return new SnapshotCache(SealedFolder.open(folder, key, identity));
    }

    /** Keeps a snapshot in place of the one before. */
    void keep(Kept kept) throws IOException {
        Snapshot snapshot = kept.snapshot();
        ObjectNode json = Pipelines.JSON
                .createObjectNode()
                .put("format", Snapshot.FORMAT)
                .put("epoch", snapshot.epoch())
                .put("revision", snapshot.revision())
                .put("hash", snapshot.hash())
                .put("pipeline", snapshot.pipeline())
                .put("at", kept.at().toEpochMilli())
                .put("expired", snapshot.credentials().expired());
        snapshot.credentials().writeTo(json.putArray("secrets"));
        folder.keep(FILE, PURPOSE, Pipelines.JSON.writeValueAsBytes(json));
    }

    /**
     * What was kept; null for nothing.
     *
     * @throws IOException when it cannot be read, or was not kept with this key
     */
    @Nullable Kept read() throws IOException {
        byte[] plain = folder.read(FILE, PURPOSE);
        if (plain == null) {
            return null;
        }
        try {
            JsonNode json = Pipelines.JSON.readTree(plain);
            Arrays.fill(plain, (byte) 0);
            Credentials credentials =
                    Credentials.of(json.path("secrets"), json.path("expired").asBoolean());
            return new Kept(
                    Snapshot.of(json, null, credentials),
                    Instant.ofEpochMilli(json.path("at").asLong()));
        } catch (UnusableSnapshotException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Removes what was kept in a folder. */
    static void wipe(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(FILE));
    }
}
