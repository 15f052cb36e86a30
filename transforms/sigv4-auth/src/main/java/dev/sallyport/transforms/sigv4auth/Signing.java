package dev.sallyport.transforms.sigv4auth;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs at one moment in one scope.
 *
 * @param timestamp such as {@code 20260131T093000Z}
 * @param key derived for the scope
 */
record Signing(String timestamp, Scope scope, SecretKeySpec key) {

    private static final String CHUNK = Names.ALGORITHM + "-PAYLOAD";
    private static final String TRAILER = Names.ALGORITHM + "-TRAILER";

    /** The signature of a request. */
    String request(CharSequence canonicalRequest) {
        return sign(Names.ALGORITHM + '\n' + timestamp + '\n' + scope.text() + '\n' + Digests.hash(canonicalRequest));
    }

    /** The MAC that signs all chunks of a body. */
    Mac mac() {
        return Digests.mac(key);
    }

    /** The string to sign for a chunk of {@code aws-chunked}. */
    String chunk(String previousSignature, String hash) {
        return CHUNK
                + '\n'
                + timestamp
                + '\n'
                + scope.text()
                + '\n'
                + previousSignature
                + '\n'
                + Digests.EMPTY
                + '\n'
                + hash;
    }

    /** The string to sign for the trailer of {@code aws-chunked}. */
    String trailer(String previousSignature, String hash) {
        return TRAILER + '\n' + timestamp + '\n' + scope.text() + '\n' + previousSignature + '\n' + hash;
    }

    private String sign(String text) {
        return Digests.hex(Digests.mac(key, text));
    }

    @Override
    public String toString() {
        return "Signing[" + timestamp + " " + scope.text() + "]";
    }
}
