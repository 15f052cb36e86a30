package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;

/**
 * An Ed25519 key of an sshd (RFC 8709). {@link #privateKey()} has the form that OpenSSH reads, {@code openssh-key-v1},
 * without a passphrase.
 */
public final class HostKeyPair {

    private static final String TYPE = "ssh-ed25519";
    private static final int LENGTH = 32;
    private static final int BLOCK = 8;
    private static final int MACHINE_ID = 16;

    private final byte[] seed;
    private final byte[] point;

    private HostKeyPair(byte[] seed, byte[] point) {
        this.seed = seed;
        this.point = point;
    }

    static HostKeyPair generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            return new HostKeyPair(
                    last(pair.getPrivate().getEncoded()), last(pair.getPublic().getEncoded()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java from 15 on has it
        }
    }

    /** PKCS #8 (RFC 8410) ends with the seed, SubjectPublicKeyInfo with the point. */
    private static byte[] last(byte[] encoded) {
        return Arrays.copyOfRange(encoded, encoded.length - LENGTH, encoded.length);
    }

    HostKey publicKey() {
        return new HostKey(TYPE, Base64.getEncoder().encodeToString(publicBlob()));
    }

    private byte[] publicBlob() {
        return bytes(out -> {
            string(out, TYPE.getBytes(StandardCharsets.US_ASCII));
            string(out, point);
        });
    }

    /** The machine-id(5) of who has this key: as much a secret as the key is, which it does not tell. */
    String machineId() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("machine-id".getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest.digest(seed), 0, MACHINE_ID);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** The file that {@code HostKey} of sshd_config names. */
    public String privateKey() {
        int check = new SecureRandom().nextInt();
        byte[] secret = bytes(out -> {
            out.writeInt(check);
            out.writeInt(check);
            string(out, TYPE.getBytes(StandardCharsets.US_ASCII));
            string(out, point);
            out.writeInt(2 * LENGTH);
            out.write(seed);
            out.write(point);
            string(out, new byte[0]);
            for (int i = 1; out.size() % BLOCK != 0; i++) {
                out.write(i);
            }
        });
        byte[] whole = bytes(out -> {
            out.write("openssh-key-v1\0".getBytes(StandardCharsets.US_ASCII));
            string(out, "none".getBytes(StandardCharsets.US_ASCII));
            string(out, "none".getBytes(StandardCharsets.US_ASCII));
            string(out, new byte[0]);
            out.writeInt(1);
            string(out, publicBlob());
            string(out, secret);
        });
        String base64 = Base64.getMimeEncoder(70, new byte[] {'\n'}).encodeToString(whole);
        return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + base64 + "\n-----END OPENSSH PRIVATE KEY-----\n";
    }

    String toJson() {
        Base64.Encoder base64 = Base64.getEncoder();
        return Lines.object()
                .put("seed", base64.encodeToString(seed))
                .put("point", base64.encodeToString(point))
                .toString();
    }

    static HostKeyPair parse(String text) throws WireException {
        Members members = Members.of(Lines.parse(text), Set.of("seed", "point"));
        try {
            byte[] seed = Base64.getDecoder().decode(members.text("seed"));
            byte[] point = Base64.getDecoder().decode(members.text("point"));
            if (seed.length != LENGTH || point.length != LENGTH) {
                throw new WireException("a key that is none");
            }
            return new HostKeyPair(seed, point);
        } catch (IllegalArgumentException e) {
            throw new WireException("a key that is none", e);
        }
    }

    private interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.writeTo(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return bytes.toByteArray();
    }

    private static void string(DataOutputStream out, byte[] value) throws IOException {
        out.writeInt(value.length);
        out.write(value);
    }
}
