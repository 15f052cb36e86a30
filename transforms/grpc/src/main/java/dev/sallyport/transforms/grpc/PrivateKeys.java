package dev.sallyport.transforms.grpc;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads private keys in the forms that tools write. The JDK reads only PKCS#8, so the others are wrapped into it. */
final class PrivateKeys {

    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int EC_PARAMETERS = 0xa0;

    /** Version 0. */
    private static final byte[] VERSION = {INTEGER, 1, 0};

    /** rsaEncryption with its NULL (RFC 8017, A.1). */
    private static final byte[] RSA = {
        SEQUENCE,
        0x0d,
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0x00
    };

    /** id-ecPublicKey (RFC 5480, 2.1.1). */
    private static final byte[] EC = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};

    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519", "Ed448");

    private PrivateKeys() {}

    /** The key in a block of this label, or null when it cannot be read. */
    static @Nullable PrivateKey read(String label, byte[] der) {
        try {
            byte[] wrapped = switch (label) {
                case "RSA PRIVATE KEY" -> tlv(SEQUENCE, VERSION, RSA, tlv(OCTET_STRING, der));
                case "EC PRIVATE KEY" -> tlv(SEQUENCE, VERSION, tlv(SEQUENCE, EC, curve(der)), tlv(OCTET_STRING, der));
                default -> der;
            };
            return pkcs8(wrapped);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return null; // Not DER: the caller reports it without the content of the file.
        }
    }

    private static @Nullable PrivateKey pkcs8(byte[] der) {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // The key has another algorithm: try the next one.
            }
        }
        return null;
    }

    /** The encoded name of the curve in an EC private key (RFC 5915, 3). */
    private static byte[] curve(byte[] sec1) {
        ByteBuffer outer = content(ByteBuffer.wrap(sec1), SEQUENCE);
        content(outer, INTEGER);
        content(outer, OCTET_STRING);
        ByteBuffer name = content(outer, EC_PARAMETERS);
        byte[] copy = new byte[name.remaining()];
        name.get(copy);
        return copy;
    }

    /** The content of the next element, which must have this tag. */
    private static ByteBuffer content(ByteBuffer from, int tag) {
        if ((from.get() & 0xff) != tag) {
            throw new IllegalArgumentException("another element");
        }
        int length = from.get() & 0xff;
        if (length > 0x82) {
            throw new IllegalArgumentException("the element is longer than any key");
        }
        if (length > 0x80) {
            int bytes = length - 0x80;
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = length << 8 | (from.get() & 0xff);
            }
        }
        ByteBuffer content = from.slice(from.position(), length);
        from.position(from.position() + length);
        return content;
    }

    private static byte[] tlv(int tag, byte[]... contents) {
        ByteArrayOutputStream inside = new ByteArrayOutputStream();
        for (byte[] content : contents) {
            inside.writeBytes(content);
        }
        int length = inside.size();
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length >= 0x100) {
            out.write(0x82);
            out.write(length >> 8);
        } else if (length >= 0x80) {
            out.write(0x81);
        }
        out.write(length);
        out.writeBytes(inside.toByteArray());
        return out.toByteArray();
    }

    /** Whether a private and a public key are a pair: the one verifies what the other signs. */
    static boolean belong(PrivateKey privateKey, PublicKey publicKey) {
        byte[] text = {1, 2, 3};
        try {
            Signature signature = Signature.getInstance(
                    switch (privateKey.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> privateKey.getAlgorithm();
                    });
            signature.initSign(privateKey);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(text);
            return signature.verify(signed);
        } catch (InvalidKeyException e) {
            return false; // of another algorithm
        } catch (GeneralSecurityException e) {
            return false; // of another curve or size
        }
    }
}
