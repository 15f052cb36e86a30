package dev.sallyport.control;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out at the start whether the key is the one with which the database was written. */
final class KeyCheck {

    private static final Logger LOG = LoggerFactory.getLogger(KeyCheck.class);

    private static final String ROW = "encryption_check";
    private static final String WORD = "sallyport";

    private KeyCheck() {}

    /**
     * The keys of a process that starts. They are made where there are none, unless the database was written with some:
     * new ones would only hide that those are missing.
     *
     * @throws ConfigException when they cannot be read, or are none
     */
    static Envelope envelope(EncryptionKey key, Store store) throws ConfigException {
        String keyset = key.readAtStart(store, kept(store).isEmpty());
        return envelope(key, keyset);
    }

    /** As above, of a text that was read. */
    static Envelope envelope(EncryptionKey key, String keyset) throws ConfigException {
        try {
            return Envelope.of(keyset);
        } catch (GeneralSecurityException | RuntimeException e) {
            // Messages of the library may quote what it read.
            throw new ConfigException(
                    key.pointer(), "not an encryption key", "the text of a key file that Sallyport made");
        }
    }

    static void check(Store store, Envelope envelope) throws ConfigException {
        String sealed = sealed(envelope);
        store.write(transaction -> transaction
                .sql()
                .createUpdate("insert into meta (name, value) values (:name, :value) on conflict do nothing")
                .bind("name", ROW)
                .bind("value", sealed)
                .execute());
        if (!opens(store, envelope)) {
            throw new ConfigException(
                    "/encryption", "the key is not the one of this database", "the key with which it was made");
        }
        if (!isCurrent(store, envelope)) {
            LOG.warn("a rotation of the encryption key is not finished (expected: sallyport control rotate-key)");
        }
    }

    /** Whether these keys are those with which the database was written. */
    static boolean opens(Store store, Envelope envelope) {
        return envelope.openIfSealed(sealed(store), "", "meta", ROW) != null;
    }

    /** Whether the database was written with the key that seals now, all of it. */
    static boolean isCurrent(Store store, Envelope envelope) {
        return envelope.isCurrent(sealed(store));
    }

    /** Notes that all of the database was written with the key that seals now. */
    static void renew(Store store, Envelope envelope) {
        String sealed = sealed(envelope);
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update meta set value = :value where name = :name")
                .bind("name", ROW)
                .bind("value", sealed)
                .execute());
    }

    private static byte[] sealed(Store store) {
        return Base64.getDecoder().decode(kept(store).orElseThrow());
    }

    private static Optional<String> kept(Store store) {
        return store.read(handle -> handle.createQuery("select value from meta where name = :name")
                .bind("name", ROW)
                .mapTo(String.class)
                .findOne());
    }

    private static String sealed(Envelope envelope) {
        return Base64.getEncoder()
                .encodeToString(envelope.seal(WORD.getBytes(StandardCharsets.UTF_8), "", "meta", ROW));
    }
}
