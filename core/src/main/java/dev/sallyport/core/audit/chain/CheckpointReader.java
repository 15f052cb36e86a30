package dev.sallyport.core.audit.chain;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads the signed notes of a checkpoint file in their order. Passes over a last one that is not complete. Not
 * thread-safe.
 */
public final class CheckpointReader implements Closeable {

    /** No line and no number of lines of a note that we write is near these. */
    private static final int MOST_CHARACTERS = 64 * 1024;

    private final BufferedReader in;
    private final long size;
    private long line;
    private long read;
    private @Nullable String ahead;

    /**
     * A note.
     *
     * @param line where it begins in the file, from 1
     * @param whole the note as it stands in the file
     */
    public record Entry(long line, String whole, SignedNote note, Checkpoint checkpoint) {}

    /** Opens a file, of which what is there now will be read. */
    public CheckpointReader(Path file) throws IOException {
        this.size = Files.size(file);
        this.in = Files.newBufferedReader(file, StandardCharsets.UTF_8);
    }

    /** The line that a problem is at. */
    long line() {
        return line;
    }

    /**
     * The next note, or null at the end.
     *
     * @throws NoteException when there is something else
     */
    public @Nullable Entry next() throws IOException, NoteException {
        StringBuilder whole = new StringBuilder();
        long begin = line + 1;
        boolean signatures = false;
        while (true) {
            String next = peek();
            if (next == null) {
                if (!signatures) {
                    return null; // nothing more, or not complete
                }
                break;
            }
            boolean signature = next.startsWith(SignedNote.SIGNATURE);
            if (signatures && !signature) {
                break;
            }
            signatures |= signature;
            whole.append(next).append('\n');
            ahead = null;
            line++;
            if (whole.length() > MOST_CHARACTERS) {
                throw new NoteException("not a checkpoint (expected: a signed note of a few lines)");
            }
        }
        SignedNote note = SignedNote.parse(whole.toString());
        return new Entry(begin, whole.toString(), note, Checkpoint.parse(note.text()));
    }

    /** The next line, if it is complete and was there in the beginning. */
    private @Nullable String peek() throws IOException, NoteException {
        if (ahead == null && read < size) {
            StringBuilder text = new StringBuilder();
            int next = in.read();
            while (next >= 0 && next != '\n') {
                text.append((char) next);
                if (text.length() > MOST_CHARACTERS) {
                    throw new NoteException("not a checkpoint (expected: a signed note of a few lines)");
                }
                next = in.read();
            }
            if (next < 0) {
                return null;
            }
            String complete = text.toString();
            read += complete.getBytes(StandardCharsets.UTF_8).length + 1;
            ahead = complete;
        }
        return ahead;
    }

    /**
     * The end of a checkpoint file.
     *
     * @param whole the last complete note as it stands there
     * @param end where it ends: what follows is not complete
     */
    public record Last(String whole, SignedNote note, Checkpoint checkpoint, long end) {}

    /** The last complete note of a file; null for none. Reads the end of the file only. */
    public static @Nullable Last last(Path file) throws IOException, NoteException {
        Deque<String> note = new ArrayDeque<>();
        boolean text = false;
        long end = 0;
        try (BackwardLines lines = new BackwardLines(file)) {
            while (lines.previous()) {
                String line = new String(lines.bytes(lines.start(), MOST_CHARACTERS), StandardCharsets.UTF_8);
                boolean signature = line.startsWith(SignedNote.SIGNATURE) && line.endsWith("\n");
                if (note.isEmpty()) {
                    if (!signature) {
                        continue;
                    }
                    end = lines.end();
                } else if (signature && text) {
                    break;
                }
                text |= !signature;
                note.addFirst(line);
            }
        }
        if (note.isEmpty()) {
            return null;
        }
        String whole = String.join("", note);
        SignedNote parsed = SignedNote.parse(whole);
        return new Last(whole, parsed, Checkpoint.parse(parsed.text()), end);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
