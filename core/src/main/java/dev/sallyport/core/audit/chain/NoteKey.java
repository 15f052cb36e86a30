package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.jspecify.annotations.Nullable;

/**
 * A public key that verifies signed notes (C2SP signed-note): a name, and an Ed25519 key (RFC 8032). As text {@code
 * NAME+ID+KEY}, where ID is 8 hex digits and KEY the base64 of an algorithm byte, 0x01, and the 32 bytes of the key.
 */
public final class NoteKey {

    /** The algorithm byte of Ed25519. */
    static final byte ED25519 = 1;

    private final String name;
    private final int id;
    private final byte[] bytes;

    private NoteKey(String name, byte[] bytes) {
        this.name = name;
        this.bytes = bytes;
        this.id = id(name, bytes);
    }

    static NoteKey of(String name, byte[] publicKey) {
        return new NoteKey(name, publicKey.clone());
    }

    /**
     * Reads the text form.
     *
     * @throws NoteException when it is none
     */
    public static NoteKey parse(String text) throws NoteException {
        String[] parts = text.strip().split("\\+", 3);
        byte[] key = parts.length == 3 ? decode(parts[2]) : new byte[0];
        if (key.length != 1 + Ed25519.PUBLIC_KEY_SIZE || key[0] != ED25519 || parts[0].isEmpty()) {
            throw new NoteException("not a public key (expected: NAME+ID+KEY, as in NAME.pub beside the audit file)");
        }
        NoteKey parsed = new NoteKey(parts[0], Arrays.copyOfRange(key, 1, key.length));
        if (!HexFormat.of().toHexDigits(parsed.id).equals(parts[1])) {
            throw new NoteException("the id " + parts[1] + " does not belong to this name and key");
        }
        return parsed;
    }

    /** The keys in a file, one a line; at least one. */
    public static List<NoteKey> read(Path file) throws IOException, NoteException {
        List<NoteKey> keys = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank()) {
                keys.add(parse(line));
            }
        }
        if (keys.isEmpty()) {
            throw new NoteException("no public key (expected: NAME+ID+KEY, as in NAME.pub beside the audit file)");
        }
        return List.copyOf(keys);
    }

    /** The name, which is also the origin of the checkpoints that it signs. */
    public String name() {
        return name;
    }

    /** The first four bytes of the SHA-256 of name, line feed, algorithm and key. */
    public int id() {
        return id;
    }

    /** Whether the signature is this key's over the text. */
    boolean verifies(byte[] text, byte[] signature) {
        return signature.length == Ed25519.SIGNATURE_SIZE
                && Ed25519.verify(signature, 0, bytes, 0, text, 0, text.length);
    }

    private static int id(String name, byte[] publicKey) {
        MessageDigest sha = Sha256.digest();
        sha.update(name.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) '\n');
        sha.update(ED25519);
        sha.update(publicKey);
        return ByteBuffer.wrap(sha.digest()).getInt();
    }

    static byte[] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // too short for anything that is expected
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NoteKey key && key.name.equals(name) && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return id;
    }

    /** The text form. */
    @Override
    public String toString() {
        byte[] key =
                ByteBuffer.allocate(1 + bytes.length).put(ED25519).put(bytes).array();
        return name + "+" + HexFormat.of().toHexDigits(id) + "+"
                + Base64.getEncoder().encodeToString(key);
    }
}
