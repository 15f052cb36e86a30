package dev.sallyport.feed;

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
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Files that are encrypted with AES-256-GCM under a key of their own, each bound to the proxy and to its purpose. For one
 * thread at a time; blocks.
 */
final class SealedFolder {

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final Path folder;
    private final SecretKeySpec key;
    private final byte[] identity;
    private final SecureRandom random = new SecureRandom();

    private SealedFolder(Path folder, SecretKeySpec key, byte[] identity) {
        this.folder = folder;
        this.key = key;
        this.identity = identity;
    }

    /**
     * Opens a folder, which is made with mode 0700; so is the key, with mode 0600.
     *
     * @param identity of the proxy at its control plane: what was kept for another one is not read
     * @throws IOException when they cannot be made or read, or the key is none
     * @throws ConfigException when the key cannot be decrypted now
     */
    static SealedFolder open(Path folder, CacheKey key, byte[] identity) throws IOException, ConfigException {
        make(folder);
        return new SealedFolder(folder, key.read(folder), identity);
    }

    /** A folder in it, with the same key. */
    SealedFolder folder(String name) throws IOException {
        Path below = folder.resolve(name);
        make(below);
        return new SealedFolder(below, key, identity);
    }

    /** Makes a folder with mode 0700, unless it is there. */
    static void make(Path folder) throws IOException {
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

    /**
     * Keeps something in place of what was there.
     *
     * @param plain is overwritten
     */
    void keep(String name, String purpose, byte[] plain) throws IOException {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, purpose).doFinal(plain);
            byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, all, NONCE_BYTES, sealed.length);
            write(folder.resolve(name), all);
        } catch (GeneralSecurityException e) {
            throw new IOException("it cannot be encrypted", e);
        } finally {
            Arrays.fill(plain, (byte) 0);
        }
    }

    /**
     * What was kept; null for nothing.
     *
     * @throws IOException when it cannot be read, or was not kept with this key for this purpose
     */
    byte @Nullable [] read(String name, String purpose) throws IOException {
        byte[] all;
        try {
            all = Files.readAllBytes(folder.resolve(name));
        } catch (NoSuchFileException e) {
            return null;
        }
        try {
            byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
            return cipher(Cipher.DECRYPT_MODE, nonce, purpose)
                    .doFinal(all, NONCE_BYTES, Math.max(0, all.length - NONCE_BYTES));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("was not kept with this key for this proxy, or is damaged", e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String purpose) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(purpose.getBytes(StandardCharsets.US_ASCII));
        cipher.updateAAD(identity);
        return cipher;
    }

    /** The names of what was kept here. */
    String[] names() {
        String[] names = folder.toFile().list();
        return names == null ? new String[0] : names;
    }

    /** Removes what was kept. */
    void remove(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }
}
