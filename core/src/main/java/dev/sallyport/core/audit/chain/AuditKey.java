package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.jspecify.annotations.Nullable;

/**
 * The private key beside an audit file: signs checkpoints (Ed25519, RFC 8032), and makes fingerprints of secrets (HMAC,
 * RFC 2104, with SHA-256). In its file it stands as {@code PRIVATE+KEY+NAME+ID+KEY}, as the tools for signed notes
 * write it. Thread-safe; prints as its name.
 */
public final class AuditKey {

    private static final String PRIVATE = "PRIVATE+KEY+";
    private static final String EXPECTED = "not an audit key (expected: PRIVATE+KEY+NAME+ID+KEY)";
    private static final int NAME_HASH_BYTES = 8;
    private static final int FINGERPRINT_BYTES = 8;

    private final byte[] seed;
    private final byte[] publicBytes;
    private final NoteKey publicKey;

    private AuditKey(String name, byte[] seed) {
        this.seed = seed;
        this.publicBytes = publicOf(seed);
        this.publicKey = NoteKey.of(name, publicBytes);
    }

    /** Where the key of an audit file is: as configured, else beside it. */
    public static Path place(Path audit, @Nullable Path configured) {
        return configured == null ? AuditNames.key(audit) : configured;
    }

    /**
     * The key in a file, which is made with mode 0600 if it is not there.
     *
     * @param service the first part of the name of a key that is made
     */
    public static AuditKey open(Path file, String service) throws IOException {
        if (Files.exists(file)) {
            return load(file);
        }
        AuditKey made = generate(service);
        OwnerOnly.write(file, made.secretText());
        return made;
    }

    /** The key in a file. */
    public static AuditKey load(Path file) throws IOException {
        try {
            return parse(Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoteException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage());
        }
    }

    /**
     * Reads {@link #secretText}.
     *
     * @throws NoteException when it is something else; the message shows nothing of it
     */
    public static AuditKey parse(String secretText) throws NoteException {
        String text = secretText.strip();
        String[] parts =
                text.startsWith(PRIVATE) ? text.substring(PRIVATE.length()).split("\\+", 3) : new String[0];
        byte[] key = parts.length == 3 ? NoteKey.decode(parts[2]) : new byte[0];
        if (key.length != 1 + Ed25519.SECRET_KEY_SIZE || key[0] != NoteKey.ED25519 || parts[0].isEmpty()) {
            throw new NoteException(EXPECTED);
        }
        AuditKey parsed = new AuditKey(parts[0], Arrays.copyOfRange(key, 1, key.length));
        if (!HexFormat.of().toHexDigits(parsed.publicKey.id()).equals(parts[1])) {
            throw new NoteException("the id in it does not belong to its name and key");
        }
        return parsed;
    }

    /** A new key, in no file yet. */
    public static AuditKey generate(String service) {
        byte[] seed = new byte[Ed25519.SECRET_KEY_SIZE];
        new SecureRandom().nextBytes(seed);
        byte[] hash = Arrays.copyOf(Sha256.of(publicOf(seed)), NAME_HASH_BYTES);
        // The format has no room for these in a name.
        String plain = service.strip().replaceAll("[+\\s\\p{Z}\\p{C}]", "-");
        return new AuditKey(
                (plain.isEmpty() ? "sallyport" : plain) + "/" + HexFormat.of().formatHex(hash), seed);
    }

    private static byte[] publicOf(byte[] seed) {
        byte[] made = new byte[Ed25519.PUBLIC_KEY_SIZE];
        Ed25519.generatePublicKey(seed, 0, made, 0);
        return made;
    }

    /** What verifies its signatures; its name is the origin of the checkpoints. */
    public NoteKey publicKey() {
        return publicKey;
    }

    /** The text of a note with this key's signature. */
    String sign(String text) {
        byte[] message = text.getBytes(StandardCharsets.UTF_8);
        byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
        Ed25519.sign(seed, 0, publicBytes, 0, message, 0, message.length, signature, 0);
        return SignedNote.text(text, publicKey, signature);
    }

    /**
     * A note, with this key's signature behind those that it has.
     *
     * @throws NoteException when it is none
     */
    public String cosign(String note) throws NoteException {
        String text = SignedNote.parse(note).text();
        return note + sign(text).substring(text.length() + 1);
    }

    /** What tells a secret without disclosing it: the first 16 hex digits of the HMAC-SHA-256 of its bytes. */
    public String fingerprint(byte[] value) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(seed, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(value), 0, FINGERPRINT_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** {@code PRIVATE+KEY+NAME+ID+KEY} and a line feed: whoever has it can sign. */
    public String secretText() {
        byte[] key = ByteBuffer.allocate(1 + seed.length)
                .put(NoteKey.ED25519)
                .put(seed)
                .array();
        return PRIVATE + publicKey.name() + "+" + HexFormat.of().toHexDigits(publicKey.id()) + "+"
                + Base64.getEncoder().encodeToString(key) + "\n";
    }

    @Override
    public String toString() {
        return "AuditKey[" + publicKey.name() + "]";
    }
}
