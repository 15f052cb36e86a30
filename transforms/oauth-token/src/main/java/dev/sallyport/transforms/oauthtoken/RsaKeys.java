package dev.sallyport.transforms.oauthtoken;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads RSA keys in PEM (RFC 7468): PKCS#8, and PKCS#1 as OpenSSL used to write them. Pure functions. */
final class RsaKeys {

    /** What was expected, for error messages. */
    static final String EXPECTED = "a PEM block PRIVATE KEY or RSA PRIVATE KEY of at least 2048 bits, not encrypted";

    /** RFC 7518, 3.3. */
    private static final int MIN_BITS = 2048;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN (RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END \\1?PRIVATE KEY-----");

    /** Version 0, and the algorithm rsaEncryption without parameters (RFC 5208, 5; RFC 3279, 2.3.1). */
    private static final byte[] PKCS8_BEGIN = HexFormat.of().parseHex("020100300d06092a864886f70d0101010500");

    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;

    private RsaKeys() {}

    /**
     * The key in a text; other blocks and the lines around it are ignored.
     *
     * @throws InvalidKeyException when there is none; the message shows nothing of the text
     */
    static RSAPrivateKey parse(String pem) throws InvalidKeyException {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new InvalidKeyException(
                    pem.contains("ENCRYPTED") ? "the key is encrypted" : "there is no RSA key in the value");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(block.group(2).strip());
            byte[] pkcs8 = block.group(1) == null ? der : wrapped(der);
            RSAPrivateKey key =
                    (RSAPrivateKey) KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            if (key.getModulus().bitLength() < MIN_BITS) {
                throw new InvalidKeyException("the key is too short");
            }
            return key;
        } catch (InvalidKeyException e) {
            throw e;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // The exception's message may quote the value.
            throw new InvalidKeyException("the value is not an RSA key");
        }
    }

    private static byte[] wrapped(byte[] pkcs1) {
        byte[] key = element(OCTET_STRING, pkcs1);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(PKCS8_BEGIN);
        content.writeBytes(key);
        return element(SEQUENCE, content.toByteArray());
    }

    /** An element in DER (X.690, 8.1). */
    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.length;
        if (length < 0x80) {
            out.write(length);
        } else {
            int bytes = (39 - Integer.numberOfLeadingZeros(length)) / 8;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                out.write(length >>> (8 * i));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
