package dev.sallyport.spi;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A service that keeps keys and gives none away, such as AWS KMS: it encrypts and decrypts little things with them, such
 * as the keys of others. ServiceLoader finds it; it is loaded where a configuration names a key of it. Thread-safe. Its
 * methods block, for up to half a minute when the service does not answer, so that no event loop may call them.
 */
public interface KeyService {

    /**
     * The one of a name; empty when it is no part of the installation.
     *
     * @param loader sees those that there are
     */
    static Optional<KeyService> named(String name, ClassLoader loader) {
        for (KeyService service : ServiceLoader.load(KeyService.class, loader)) {
            if (service.name().equals(name)) {
                return Optional.of(service);
            }
        }
        return Optional.empty();
    }

    /** What configurations mean, such as {@code aws_kms}. */
    String name();

    /**
     * Encrypts.
     *
     * @param keyId what the service calls the key
     * @param context what {@link #decrypt} has to be given again; it is no secret
     * @param plain at most 4096 bytes; it stays the caller's
     * @throws ConfigException when the service cannot be asked, or refuses; its pointer is empty, and its message shows
     *     nothing of what was to be encrypted
     */
    byte[] encrypt(String keyId, Map<String, String> context, byte[] plain) throws ConfigException;

    /**
     * Decrypts.
     *
     * @param keyId the key with which it was encrypted
     * @param context as when it was encrypted
     * @param sealed what {@link #encrypt} has returned
     * @return the bytes, which are the caller's
     * @throws ConfigException as above
     */
    byte[] decrypt(String keyId, Map<String, String> context, byte[] sealed) throws ConfigException;
}
