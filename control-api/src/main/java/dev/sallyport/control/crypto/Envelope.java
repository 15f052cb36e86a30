package dev.sallyport.control.crypto;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Encryption at rest with AES-256-GCM. Each value is bound to its place: organization, table, row. The keys are a keyset:
 * one of them seals, all of them open, and each sealed value names its own. They can be replaced while others use them.
 * Thread-safe.
 */
public final class Envelope {

    /** What begins a sealed value: a version, and the identifier of its key. */
    private static final byte VERSION = 1;

    private static final int PREFIX = 5;

    /**
     * How often the keyset is read again for the same key that it did not have; and how often, without waiting for it, for
     * whatever keys.
     */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private volatile Keys keys;
    private volatile Runnable renewal = () -> {};
    private volatile Runnable asking = () -> {};
    private volatile Runnable sealing = () -> {};

    private final ReentrantLock renewing = new ReentrantLock();

    /** The key that the last renewal did not find, and when that was; guarded by the lock. */
    private int missed;

    private long missedAt = System.nanoTime() - AGAIN_NANOS;

    /** When the keyset was asked for last without waiting for it. */
    private final AtomicLong askedAt = new AtomicLong(missedAt);

    private record Keys(KeysetHandle handle, Aead aead) {

        boolean has(int id) {
            for (int i = 0; i < handle.size(); i++) {
                if (handle.getAt(i).getId() == id) {
                    return true;
                }
            }
            return false;
        }

        static Keys of(KeysetHandle handle) throws GeneralSecurityException {
            return new Keys(handle, handle.getPrimitive(RegistryConfiguration.get(), Aead.class));
        }

        static Keys of(String keyset) throws GeneralSecurityException {
            AeadConfig.register();
            return of(TinkJsonProtoKeysetFormat.parseKeyset(
                    keyset, RegistryConfiguration.get(), InsecureSecretKeyAccess.get()));
        }

        @Override
        public String toString() {
            return "Keys[" + handle.size() + "]";
        }
    }

    private Envelope(Keys keys) {
        this.keys = keys;
    }

    /**
     * Reads a key.
     *
     * @param keyset as {@link #newKey} or {@link #rotated} made it
     * @throws GeneralSecurityException when it is none
     */
    public static Envelope of(String keyset) throws GeneralSecurityException {
        return new Envelope(Keys.of(keyset));
    }

    /** A new key: a keyset of Tink, in JSON. */
    public static String newKey() throws GeneralSecurityException {
        AeadConfig.register();
        return text(KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM, RegistryConfiguration.get()));
    }

    private static String text(KeysetHandle handle) throws GeneralSecurityException {
        return TinkJsonProtoKeysetFormat.serializeKeyset(
                handle, RegistryConfiguration.get(), InsecureSecretKeyAccess.get());
    }

    /** From now on uses another keyset. */
    public void use(String keyset) throws GeneralSecurityException {
        keys = Keys.of(keyset);
    }

    /**
     * Has this called when a value is to be opened that names a key which is not there: another process may have rotated.
     * Others with such a value wait meanwhile.
     *
     * @param renewing calls {@link #use} where that is so, and does not throw
     */
    public void onUnknownKey(Runnable renewing) {
        renewal = renewing;
    }

    /**
     * Has this called when {@link #openNow} lacks a key, at most every five seconds: the keyset should be read soon, by
     * somebody else.
     *
     * @param asking must neither block nor throw
     */
    public void onMissedKey(Runnable asking) {
        this.asking = asking;
    }

    /**
     * Has this called before each value is sealed.
     *
     * @param refusing throws when this process must not seal now, and does not block
     */
    public void beforeSealing(Runnable refusing) {
        sealing = refusing;
    }

    /** Whether there is a key with this identifier. */
    public boolean has(int id) {
        return keys.has(id);
    }

    /** The present keys and a new one, which will seal. */
    public String rotated() throws GeneralSecurityException {
        return text(KeysetHandle.newBuilder(keys.handle())
                .addEntry(KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                        .withRandomId()
                        .makePrimary())
                .build());
    }

    /** The key that seals, alone. */
    public String withoutOldKeys() throws GeneralSecurityException {
        KeysetHandle.Entry primary = keys.handle().getPrimary();
        return text(KeysetHandle.newBuilder()
                .addEntry(KeysetHandle.importKey(primary.getKey())
                        .withFixedId(primary.getId())
                        .makePrimary())
                .build());
    }

    /** How many keys there are. */
    public int size() {
        return keys.handle().size();
    }

    /** The identifier of the key that seals, which is no secret. */
    public int primaryId() {
        return keys.handle().getPrimary().getId();
    }

    /** Whether a value was sealed with the key that seals now. */
    public boolean isCurrent(byte[] sealed) {
        return isOfKey(sealed) && keyId(sealed) == primaryId();
    }

    private static boolean isOfKey(byte[] sealed) {
        return sealed.length >= PREFIX && sealed[0] == VERSION;
    }

    private static int keyId(byte[] sealed) {
        return ByteBuffer.wrap(sealed, 1, Integer.BYTES).getInt();
    }

    /** Encrypts, or refuses to for now. */
    public byte[] seal(byte[] plain, String organization, String table, String row) {
        sealing.run();
        try {
            return keys.aead().encrypt(plain, place(organization, table, row));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("encryption failed", e);
        }
    }

    /** Decrypts what was sealed for the same place; else throws. */
    public byte[] open(byte[] sealed, String organization, String table, String row) {
        if (lacksKeyOf(sealed)) {
            renew(keyId(sealed));
        }
        return opened(sealed, organization, table, row);
    }

    /**
     * As {@link #open}, with the keys that are here: for those who must not wait for another one. It is asked for, so that
     * they may succeed later.
     */
    public byte[] openNow(byte[] sealed, String organization, String table, String row) {
        boolean lacking = lacksKeyOf(sealed);
        try {
            return opened(sealed, organization, table, row);
        } finally {
            if (lacking) {
                ask(); // after this attempt, so that whoever fails has not been told yet that the keyset was read
            }
        }
    }

    private boolean lacksKeyOf(byte[] sealed) {
        return isOfKey(sealed) && !keys.has(keyId(sealed));
    }

    private byte[] opened(byte[] sealed, String organization, String table, String row) {
        try {
            return keys.aead().decrypt(sealed, place(organization, table, row));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a sealed value of " + table + " cannot be opened with this key", e);
        }
    }

    /**
     * Whoever is told that the keyset has been read may ask for the same values again. So it is not asked for more often, even
     * where several keys are lost.
     */
    private void ask() {
        long before = askedAt.get();
        long now = System.nanoTime();
        if (now - before >= AGAIN_NANOS && askedAt.compareAndSet(before, now)) {
            asking.run();
        }
    }

    /** Has the keyset read again for a key, unless that has just been done in vain. */
    private void renew(int id) {
        renewing.lock();
        try {
            boolean inVain = id == missed && System.nanoTime() - missedAt < AGAIN_NANOS;
            if (keys.has(id) || inVain) {
                return; // whoever had the lock has found it, or has not
            }
            renewal.run();
            if (!keys.has(id)) {
                missed = id;
                missedAt = System.nanoTime();
            }
        } finally {
            renewing.unlock();
        }
    }

    /** As {@link #open}, for what anybody may have sent; null when it was not sealed for this place. */
    public byte @Nullable [] openIfSealed(byte[] sealed, String organization, String table, String row) {
        try {
            return keys.aead().decrypt(sealed, place(organization, table, row));
        } catch (GeneralSecurityException e) {
            return null;
        }
    }

    private static byte[] place(String organization, String table, String row) {
        return (organization + '\0' + table + '\0' + row).getBytes(StandardCharsets.UTF_8);
    }
}
