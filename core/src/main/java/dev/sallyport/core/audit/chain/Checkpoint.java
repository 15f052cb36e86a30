package dev.sallyport.core.audit.chain;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The state of a chain at a moment (C2SP tlog-checkpoint): origin, size, hash, and the moment as an extension line. The
 * size is the {@code seq} of the last record, the hash the SHA-256 of its line; before the first record 0 and 32 zero
 * bytes.
 *
 * @param time to the millisecond; null where the note has none
 */
public record Checkpoint(
        String origin, long size, byte[] hash, @Nullable Instant time) {

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();
    private static final String TIME = "time ";
    private static final int LINES = 3;

    /** The text to be signed. */
    String text() {
        return origin + "\n" + size + "\n" + Base64.getEncoder().encodeToString(hash) + "\n"
                + (time == null ? "" : TIME + MILLIS.format(time) + "\n");
    }

    /** The whole signed note. */
    public String signed(AuditKey key) {
        return key.sign(text());
    }

    /**
     * The checkpoint that a note's text is.
     *
     * @throws NoteException when it is none
     */
    public static Checkpoint parse(String text) throws NoteException {
        String[] lines = text.split("\n", -1);
        byte[] hash = lines.length > LINES ? NoteKey.decode(lines[2]) : new byte[0];
        if (hash.length != Sha256.BYTES || !lines[1].matches("0|[1-9][0-9]{0,17}") || lines[0].isEmpty()) {
            throw new NoteException("not a checkpoint (expected: lines with origin, size and SHA-256)");
        }
        Instant time = null;
        for (int i = LINES; i < lines.length; i++) {
            if (lines[i].startsWith(TIME)) {
                time = time(lines[i].substring(TIME.length()));
            }
        }
        return new Checkpoint(lines[0], Long.parseLong(lines[1]), hash, time);
    }

    private static Instant time(String text) throws NoteException {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new NoteException("not a time: " + text);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Checkpoint that && that.text().equals(text());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash);
    }

    @Override
    public String toString() {
        return origin + " " + size;
    }
}
