package dev.sallyport.feed;

import java.util.Base64;
import org.bouncycastle.crypto.AsymmetricCipherKeyPair;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.hpke.HPKEContext;

/**
 * The key pair for which the control plane seals secrets: HPKE (RFC 9180) in base mode, with DHKEM(X25519, HKDF-SHA256),
 * HKDF-SHA256 and AES-256-GCM. It is made at each start and never leaves memory. Immutable.
 */
final class BootKey {

    private final AsymmetricCipherKeyPair pair;
    private final String publicKey;

    private BootKey(AsymmetricCipherKeyPair pair) {
        this.pair = pair;
        this.publicKey = Base64.getEncoder().encodeToString(hpke().serializePublicKey(pair.getPublic()));
    }

    /** A new one. */
    static BootKey make() {
        return new BootKey(hpke().generatePrivateKey());
    }

    /** One that is there already. */
    static BootKey of(byte[] privateKey, byte[] publicKey) {
        return new BootKey(hpke().deserializePrivateKey(privateKey, publicKey));
    }

    private static HPKE hpke() {
        return new HPKE(HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
    }

    /** What the control plane seals with, in Base64. */
    String publicKey() {
        return publicKey;
    }

    /**
     * Begins to open a message.
     *
     * @param info what the message is about
     * @throws UnusableSnapshotException when no such message can be for this key
     */
    Message open(byte[] encapsulation, byte[] info) throws UnusableSnapshotException {
        try {
            return new Message(hpke().setupBaseR(encapsulation, pair, info));
        } catch (IllegalArgumentException | IllegalStateException | ArrayIndexOutOfBoundsException e) {
            throw new UnusableSnapshotException("secrets that nobody has sealed");
        }
    }

    /** A message, whose values are opened in their order. For one thread. */
    static final class Message {

        private final HPKEContext context;

        private Message(HPKEContext context) {
            this.context = context;
        }

        /**
         * The next value.
         *
         * @param associated what the value is
         * @throws UnusableSnapshotException unless it was sealed for this key, this message and that
         */
        byte[] open(byte[] sealed, byte[] associated) throws UnusableSnapshotException {
            try {
                return context.open(associated, sealed);
            } catch (InvalidCipherTextException | IllegalArgumentException | IllegalStateException e) {
                throw new UnusableSnapshotException("secrets that were not sealed for this proxy as it runs now");
            }
        }
    }

    @Override
    public String toString() {
        return "BootKey[]";
    }
}
