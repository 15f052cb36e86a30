package dev.sallyport.transforms.oauthtoken;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;

/** A key for tests, in the forms in which keys come. */
final class Keys {

    private static final KeyPair PAIR = generate("RSA", 2048);

    private Keys() {}

    static KeyPair generate(String algorithm, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(bits);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new LinkageError(algorithm, e);
        }
    }

    static RSAPublicKey publicKey() {
        return (RSAPublicKey) PAIR.getPublic();
    }

    static String pkcs8() {
        return pkcs8(PAIR.getPrivate());
    }

    static String pkcs8(PrivateKey key) {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    static String pkcs1() {
        try {
            byte[] der = PrivateKeyInfo.getInstance(PAIR.getPrivate().getEncoded())
                    .parsePrivateKey()
                    .toASN1Primitive()
                    .getEncoded();
            return pem("RSA PRIVATE KEY", der);
        } catch (IOException e) {
            throw new LinkageError("PKCS#1", e);
        }
    }

    static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }
}
