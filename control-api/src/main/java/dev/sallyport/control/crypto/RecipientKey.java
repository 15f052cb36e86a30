package dev.sallyport.control.crypto;

import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.hpke.HPKEContextWithEncapsulation;

/**
 * The public key of somebody for whom values are sealed, so that nobody on the way can read them: HPKE (RFC 9180) in base
 * mode, with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. Immutable.
 */
public final class RecipientKey {

    /** The length of a key, in bytes. */
    public static final int BYTES = 32;

    private final byte[] key;

    private RecipientKey(byte[] key) {
        this.key = key;
    }

    /**
     * A key as its holder sent it.
     *
     * @throws IllegalArgumentException when it is none; the few keys that would make every secret the same are none either
     */
    public static RecipientKey of(byte[] key) {
        if (key.length != BYTES) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes (expected: " + BYTES + ")");
        }
        RecipientKey recipient = new RecipientKey(key.clone());
        try {
            recipient.seal(new byte[0]);
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException("not the key of an X25519 key pair", e);
        }
        return recipient;
    }

    private static HPKE hpke() {
        return new HPKE(HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
    }

    /**
     * Begins a message with several values, which are opened in the same order.
     *
     * @param info what the message is about; it is opened with the same alone
     */
    public Message seal(byte[] info) {
        HPKE hpke = hpke();
        return new Message(hpke.setupBaseS(hpke.deserializePublicKey(key), info));
    }

    /** A message to the holder of the key. For one thread. */
    public static final class Message {

        private final HPKEContextWithEncapsulation context;

        private Message(HPKEContextWithEncapsulation context) {
            this.context = context;
        }

        /** What the holder of the key needs besides. */
        public byte[] encapsulation() {
            return context.getEncapsulation();
        }

        /**
         * The next value, encrypted.
         *
         * @param associated what the value is; it is opened with the same alone
         */
        public byte[] seal(byte[] plain, byte[] associated) {
            try {
                return context.seal(associated, plain);
            } catch (InvalidCipherTextException e) {
                throw new IllegalStateException("encryption failed", e);
            }
        }
    }

    @Override
    public String toString() {
        return "RecipientKey[]";
    }
}
