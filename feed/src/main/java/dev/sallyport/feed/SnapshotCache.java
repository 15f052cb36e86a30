package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The last snapshot on disk, encrypted with AES-256-GCM under a key of its own: neither the token nor the file alone shows
 * what is in it. For one thread at a time; blocks.
 */
final class SnapshotCache {

    private static final String FILE = "snapshot";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] PLACE = "sallyport feed snapshot 1".getBytes(StandardCharsets.US_ASCII);

    private final Path file;
    private final SecretKeySpec key;
    private final byte[] identity;
    private final SecureRandom random = new SecureRandom();

    private SnapshotCache(Path file, SecretKeySpec key, byte[] identity) {
        this.file = file;
        this.key = key;
        this.identity = identity;
    }

    /**
     * What was kept.
     *
     * @param at when the control plane last said that it holds
     */
    record Kept(Snapshot snapshot, Instant at) {}

    /**
     * Opens the folder, which is made with mode 0700; so is the key, with mode 0600.
     *
     * @param identity of the proxy at its control plane: what was kept for another one is not read
     * @throws IOException when they cannot be made or read, or the key is none
     * @throws ConfigException when the key cannot be decrypted now
     */
    static SnapshotCache open(Path folder, CacheKey key, byte[] identity) throws IOException, ConfigException {
        makeFolder(folder);
        return new SnapshotCache(folder.resolve(FILE), key.read(folder), identity);
    }

    /** Makes the folder with mode 0700, unless it is there. */
    static void makeFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** Writes a file with mode 0600, whole or not at all. */
    static void write(Path path, byte[] bytes) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        Path fresh = Files.createTempFile(parent, path.getFileName() + ".", ".new"); // mode 0600
        try {
            Files.write(fresh, bytes);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
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
        byte[] plain = Pipelines.JSON.writeValueAsBytes(json);
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(plain);
            byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, all, NONCE_BYTES, sealed.length);
            write(file, all);
        } catch (GeneralSecurityException e) {
            throw new IOException("the snapshot cannot be encrypted", e);
        } finally {
            Arrays.fill(plain, (byte) 0);
        }
    }

    /**
     * What was kept; null for nothing.
     *
     * @throws IOException when it cannot be read, or was not kept with this key
     */
    @Nullable Kept read() throws IOException {
        byte[] all;
        try {
            all = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        try {
            byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
            byte[] plain =
                    cipher(Cipher.DECRYPT_MODE, nonce).doFinal(all, NONCE_BYTES, Math.max(0, all.length - NONCE_BYTES));
            JsonNode json = Pipelines.JSON.readTree(plain);
            Arrays.fill(plain, (byte) 0);
            Credentials credentials =
                    Credentials.of(json.path("secrets"), json.path("expired").asBoolean());
            return new Kept(
                    Snapshot.of(json, null, credentials),
                    Instant.ofEpochMilli(json.path("at").asLong()));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("was not kept with this key for this proxy, or is damaged", e);
        } catch (UnusableSnapshotException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(PLACE);
        cipher.updateAAD(identity);
        return cipher;
    }

    /** Removes what was kept in a folder. */
    static void wipe(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(FILE));
    }
}
