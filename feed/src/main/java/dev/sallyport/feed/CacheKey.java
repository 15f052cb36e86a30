package dev.sallyport.feed;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.KeyService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Where the key is with which snapshots are kept. Made when there is none yet; for one thread; blocks. */
sealed interface CacheKey {

    /** In bytes. */
    int LENGTH = 32;

    /** That of a configuration. */
    static CacheKey of(ControlPlaneConfig config) throws ConfigException {
        String id = config.cacheKmsKeyId();
        if (id == null) {
            return new InFile(config.cacheKeyFile());
        }
        KeyService service = KeyService.named("aws_kms", CacheKey.class.getClassLoader())
                .orElseThrow(() -> new ConfigException(
                        "/cache_kms_key_id",
                        "AWS KMS is no part of this installation",
                        "sallyport-aws-kms on the class path"));
        return new OfService(service, id);
    }

    /**
     * The key.
     *
     * @param folder that of the cache
     * @throws IOException when it is not there, and cannot be made; or is none
     * @throws ConfigException when a service that has to decrypt it cannot be asked, or refuses
     */
    SecretKeySpec read(Path folder) throws IOException, ConfigException;

    /** Whether it may be there later, although it cannot be read now. */
    boolean isElsewhere();

    private static SecretKeySpec key(Path path, byte[] bytes) throws IOException {
        if (bytes.length != LENGTH) {
            throw new IOException(path + ": a key of " + bytes.length + " bytes (expected: " + LENGTH + ")");
        }
        return new SecretKeySpec(bytes, "AES");
    }

    private static byte[] fresh() {
        byte[] key = new byte[LENGTH];
        new SecureRandom().nextBytes(key);
        return key;
    }

    /** What a file holds in Base64; null when it is not there. */
    private static byte @Nullable [] decoded(Path path, String expected) throws IOException {
        try {
            return Base64.getDecoder().decode(Files.readString(path).strip());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IllegalArgumentException e) {
            throw new IOException(path + ": no key (expected: " + expected + " in Base64)");
        }
    }

    /**
     * A file.
     *
     * @param path null for one in the folder
     */
    record InFile(@Nullable Path path) implements CacheKey {

        @Override
        public SecretKeySpec read(Path folder) throws IOException {
            Path file = path == null ? folder.resolve("cache.key") : path;
            byte[] key = decoded(file, LENGTH + " bytes");
            if (key == null) {
                key = fresh();
                SealedFolder.write(file, Base64.getEncoder().encode(key));
            }
            return key(file, key);
        }

        @Override
        public boolean isElsewhere() {
            return false;
        }
    }

    /**
     * A file that only a service can decrypt.
     *
     * @param keyId that of the service
     */
    record OfService(KeyService service, String keyId) implements CacheKey {

        private static final Map<String, String> CONTEXT = Map.of("application", "sallyport-feed");

        @Override
        public SecretKeySpec read(Path folder) throws IOException, ConfigException {
            Path file = folder.resolve("cache.key.kms");
            byte[] sealed = decoded(file, "what AWS KMS has encrypted");
            byte[] key = sealed == null ? made(file) : opened(file, sealed);
            try {
                return key(file, key);
            } finally {
                Arrays.fill(key, (byte) 0);
            }
        }

        private byte[] made(Path file) throws IOException, ConfigException {
            byte[] key = fresh();
            byte[] sealed = service.encrypt(keyId, CONTEXT, key);
            SealedFolder.write(file, Base64.getEncoder().encode(sealed));
            return key;
        }

        private byte[] opened(Path file, byte[] sealed) throws ConfigException {
            try {
                return service.decrypt(keyId, CONTEXT, sealed);
            } catch (ConfigException e) {
                throw new ConfigException(e.pointer(), file + ": " + e.getMessage(), e.expected()).causedBy(e);
            }
        }

        @Override
        public boolean isElsewhere() {
            return true;
        }
    }
}
