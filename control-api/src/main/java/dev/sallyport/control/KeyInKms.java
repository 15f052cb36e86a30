package dev.sallyport.control;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A keyset that a key of AWS KMS encrypts, and the database holds. It is decrypted when it has changed. */
final class KeyInKms implements EncryptionKey {

    private static final String ROW = "encryption_keyset";

    /** What AWS KMS encrypts at once, in bytes. */
    private static final int LARGEST = 4096;

    private final AwsKms kms;
    private volatile @Nullable Opened last;

    /** What was decrypted last. */
    private record Opened(String wrapped, String keyset) {

        @Override
        public String toString() {
            return "Opened";
        }
    }

    KeyInKms(AwsKms kms) {
        this.kms = kms;
    }

    @Override
    public String pointer() {
        return AwsKms.POINTER;
    }

    /** A backup has its own. */
    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public String readAtStart(Store store, boolean make) throws ConfigException {
        Optional<String> kept = kept(store);
        return kept.isEmpty() && make ? open(make(store)) : read(store);
    }

    @Override
    public String read(Store store) throws ConfigException {
        return open(wrapped(store));
    }

    private static String wrapped(Store store) throws ConfigException {
        return kept(store)
                .orElseThrow(() -> new ConfigException(
                        AwsKms.POINTER,
                        "there is no keyset in the database, whose values are sealed with another key",
                        "the key with which it was made"));
    }

    private String open(String wrapped) throws ConfigException {
        Opened before = last;
        if (before == null || !before.wrapped().equals(wrapped)) {
            byte[] plain = kms.decrypt(Base64.getDecoder().decode(wrapped));
            before = new Opened(wrapped, new String(plain, StandardCharsets.UTF_8));
            last = before;
        }
        return before.keyset();
    }

    /** Where another replica was faster, its keyset stays. */
    private String make(Store store) throws ConfigException {
        String keyset;
        try {
            keyset = Envelope.newKey();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key cannot be made", e);
        }
        String wrapped = wrap(keyset);
        store.write(transaction -> transaction
                .sql()
                .createUpdate("insert into meta (name, value) values (:name, :value) on conflict do nothing")
                .bind("name", ROW)
                .bind("value", wrapped)
                .execute());
        return kept(store).orElseThrow();
    }

    @Override
    public void replace(Store store, String expected, String keyset) throws ConfigException {
        String before = wrapped(store);
        if (!open(before).equals(expected)) {
            throw replaced();
        }
        String wrapped = wrap(keyset);
        int written = store.write(transaction -> transaction
                        .sql()
                        .createUpdate("update meta set value = :value where name = :name and value = :before")
                        .bind("name", ROW)
                        .bind("value", wrapped)
                        .bind("before", before)
                        .execute())
                .value();
        if (written != 1) {
            throw replaced();
        }
    }

    private static ConfigException replaced() {
        return new ConfigException(AwsKms.POINTER, "the keyset was replaced meanwhile", "nobody else who changes it");
    }

    private String wrap(String keyset) throws ConfigException {
        byte[] plain = keyset.getBytes(StandardCharsets.UTF_8);
        if (plain.length > LARGEST) {
            throw new ConfigException(
                    AwsKms.POINTER,
                    "too many old keys: with another one, AWS KMS does not encrypt the keyset any more",
                    "sallyport control rotate-key --remove-old");
        }
        return Base64.getEncoder().encodeToString(kms.encrypt(plain));
    }

    private static Optional<String> kept(Store store) {
        return store.read(handle -> handle.createQuery("select value from meta where name = :name")
                .bind("name", ROW)
                .mapTo(String.class)
                .findOne());
    }
}
