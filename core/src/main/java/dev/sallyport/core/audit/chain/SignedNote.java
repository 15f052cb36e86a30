package dev.sallyport.core.audit.chain;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A text and its signatures (C2SP signed-note): the text, an empty line, and for each signature a line of an em dash,
 * the name of the key, and the base64 of the key's id and the signature. Signatures of keys that nobody asks about are
 * ignored, so that others may cosign.
 */
public final class SignedNote {

    static final String SIGNATURE = "\u2014 ";

    private final String text;
    private final List<Signature> signatures;

    private record Signature(String name, int id, byte[] bytes) {}

    private SignedNote(String text, List<Signature> signatures) {
        this.text = text;
        this.signatures = List.copyOf(signatures);
    }

    static String text(String signed, NoteKey key, byte[] signature) {
        byte[] tagged = ByteBuffer.allocate(Integer.BYTES + signature.length)
                .putInt(key.id())
                .put(signature)
                .array();
        return signed + "\n" + SIGNATURE + key.name() + " "
                + Base64.getEncoder().encodeToString(tagged) + "\n";
    }

    /**
     * Reads a note.
     *
     * @throws NoteException when it is none
     */
    public static SignedNote parse(String note) throws NoteException {
        int end = note.lastIndexOf("\n\n");
        if (end < 0 || !note.endsWith("\n")) {
            throw new NoteException("not a signed note (expected: a text, an empty line and signatures)");
        }
        List<Signature> signatures = new ArrayList<>();
        for (String line :
                note.substring(end + 2, Math.max(end + 2, note.length() - 1)).split("\n", -1)) {
            signatures.add(signature(line));
        }
        return new SignedNote(note.substring(0, end + 1), signatures);
    }

    private static Signature signature(String line) throws NoteException {
        String[] parts = line.split(" ", -1);
        byte[] tagged = parts.length == 3 ? NoteKey.decode(parts[2]) : new byte[0];
        if (tagged.length <= Integer.BYTES || !line.startsWith(SIGNATURE)) {
            throw new NoteException("not a signature: " + line.substring(0, Math.min(line.length(), 40))
                    + " (expected: an em dash, a key's name, and base64)");
        }
        int id = ByteBuffer.wrap(tagged).getInt();
        return new Signature(parts[1], id, Arrays.copyOfRange(tagged, Integer.BYTES, tagged.length));
    }

    /** What was signed, with its last line feed. */
    public String text() {
        return text;
    }

    /** How many signatures are on it, whoever made them. */
    public int signatures() {
        return signatures.size();
    }

    /** Whether one of these keys has signed it, and none of them has a signature on it that is not its own. */
    public boolean isSignedBy(List<NoteKey> keys) {
        byte[] message = text.getBytes(StandardCharsets.UTF_8);
        boolean signed = false;
        for (NoteKey key : keys) {
            for (Signature signature : signatures) {
                if (signature.name.equals(key.name()) && signature.id == key.id()) {
                    if (!key.verifies(message, signature.bytes)) {
                        return false;
                    }
                    signed = true;
                }
            }
        }
        return signed;
    }
}
