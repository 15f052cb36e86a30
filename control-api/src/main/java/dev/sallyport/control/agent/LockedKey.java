package dev.sallyport.control.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/** An SSH key with which nobody can log in: a VM has one, and of an agent's nobody keeps the secret half. */
final class LockedKey {

    private static final String TYPE = "ssh-ed25519";
    private static final int LENGTH = 32;

    private LockedKey() {}

    /** The public half of a new one, {@code TYPE BASE64} (RFC 8709, 4). */
    static String make() {
        try {
            byte[] encoded = KeyPairGenerator.getInstance("Ed25519")
                    .generateKeyPair()
                    .getPublic()
                    .getEncoded();
            byte[] type = TYPE.getBytes(StandardCharsets.US_ASCII);
            ByteBuffer blob = ByteBuffer.allocate(2 * Integer.BYTES + type.length + LENGTH)
                    .putInt(type.length)
                    .put(type)
                    .putInt(LENGTH)
                    .put(Arrays.copyOfRange(encoded, encoded.length - LENGTH, encoded.length));
            return TYPE + " " + Base64.getEncoder().encodeToString(blob.array());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK since 15 has it
        }
    }
}
