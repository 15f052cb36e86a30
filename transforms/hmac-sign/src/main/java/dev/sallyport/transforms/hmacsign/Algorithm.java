package dev.sallyport.transforms.hmacsign;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The hash of the HMAC (RFC 2104). */
public enum Algorithm {
    /** SHA-256. */
    SHA256("HmacSHA256"),
    /** SHA-512. */
    SHA512("HmacSHA512"),
    /** SHA-1, for services that support nothing better. */
    SHA1("HmacSHA1");

    private final String mac;

    Algorithm(String mac) {
        this.mac = mac;
    }

    /** @param key at least one byte */
    SecretKeySpec key(byte[] key) {
        return new SecretKeySpec(key, mac);
    }

    Mac begin(SecretKeySpec key) {
        try {
            Mac begun = Mac.getInstance(mac);
            begun.init(key);
            return begun;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + mac, e);
        }
    }
}
