package dev.sallyport.core.audit.chain;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the checkpoints of one chain with the records, both in their order. Files that are rotated or deleted in the
 * meantime, as a running proxy does, are read as they were, or not at all. Not thread-safe.
 */
final class CheckpointCheck implements Closeable {

    private final Path present;
    private final Deque<Path> rotated;
    private final @Nullable CheckpointReader latest;
    private final List<NoteKey> keys;
    private @Nullable CheckpointReader reader;
    private Path readFile;
    private CheckpointReader.@Nullable Entry next;
    private CheckpointReader.@Nullable Entry last;
    private @Nullable Path lastFile;
    private @Nullable Finding finding;
    private boolean begun;
    private long count;
    private long vouched;

    private CheckpointCheck(Path present, List<Path> rotated, @Nullable CheckpointReader latest, List<NoteKey> keys) {
        this.present = present;
        this.rotated = new ArrayDeque<>(rotated);
        this.latest = latest;
        this.keys = keys;
        this.readFile = present;
    }

    /** Opens the checkpoints that lie beside an audit file; null where there are none. */
    static @Nullable CheckpointCheck beside(Path audit, List<NoteKey> keys) throws IOException {
        Path present = AuditNames.checkpoints(audit);
        while (true) {
            List<Path> rotated = AuditNames.rotated(present);
            CheckpointReader latest = Files.exists(present) ? new CheckpointReader(present) : null;
            if (latest == null && rotated.isEmpty()) {
                return null;
            }
            if (rotated.equals(AuditNames.rotated(present))) {
                return new CheckpointCheck(present, rotated, latest, keys);
            }
            if (latest != null) {
                latest.close(); // rotated just now: it may be one of them
            }
        }
    }

    /** What is wrong with the record, or with a checkpoint up to it; null for nothing. */
    @Nullable Finding record(Path file, long line, long seq, byte[] hash) throws IOException {
        if (!begun) {
            begun = true;
            advance();
        }
        while (finding == null && next != null && next.checkpoint().size() <= seq) {
            Checkpoint signed = next.checkpoint();
            if (signed.size() == seq && !Arrays.equals(signed.hash(), hash)) {
                finding = new Finding(
                        file,
                        line,
                        seq,
                        "not the record that was signed (" + readFile + ":" + next.line() + "): it or one after seq "
                                + vouched + " was rewritten with all that follow");
            } else {
                vouched = Math.max(vouched, signed.size());
                advance();
            }
        }
        return finding;
    }

    /** Reads the checkpoints that are left. */
    @Nullable Finding rest() throws IOException {
        if (!begun) {
            begun = true;
            advance();
        }
        while (finding == null && next != null) {
            advance();
        }
        return finding;
    }

    private void advance() throws IOException {
        long before = next == null ? 0 : next.checkpoint().size();
        Instant time = next == null ? null : next.checkpoint().time();
        next = null;
        try {
            next = nextEntry();
        } catch (NoteException e) {
            long line = reader == null ? 1 : reader.line() + 1;
            finding = new Finding(readFile, line, before, String.valueOf(e.getMessage()));
            return;
        }
        if (next == null) {
            return;
        }
        Checkpoint now = next.checkpoint();
        String wrong = "";
        if (!next.note().isSignedBy(keys)) {
            wrong = "this checkpoint is not signed with the key";
        } else if (now.size() < before
                || (time != null && now.time() != null && now.time().isBefore(time))) {
            wrong = "this checkpoint is older than the one before it";
        }
        if (!wrong.isEmpty()) {
            finding = new Finding(readFile, next.line(), now.size(), wrong);
            return;
        }
        last = next;
        lastFile = readFile;
        count++;
    }

    /** The next one of all files; null at the end. */
    private CheckpointReader.@Nullable Entry nextEntry() throws IOException, NoteException {
        while (true) {
            if (reader != null) {
                CheckpointReader.Entry entry = reader.next();
                if (entry != null || reader == latest) {
                    return entry;
                }
                reader.close();
                reader = null;
            }
            Path file = rotated.poll();
            if (file == null) {
                if (latest == null) {
                    return null;
                }
                reader = latest;
                readFile = present;
            } else {
                readFile = file;
                reader = open(file);
            }
        }
    }

    private static @Nullable CheckpointReader open(Path file) throws IOException {
        try {
            return new CheckpointReader(file);
        } catch (NoSuchFileException e) {
            return null; // deleted by the proxy meanwhile: later ones stand for it
        }
    }

    /** The last one that was read. */
    CheckpointReader.@Nullable Entry last() {
        return last;
    }

    /** How many were read. */
    long count() {
        return count;
    }

    /** The {@code seq} up to which the records are those that were signed. */
    long vouched() {
        return vouched;
    }

    /** {@code NAME.checkpoints}. */
    Path file() {
        return present;
    }

    /** The file with the last one that was read. */
    Path lastFile() {
        return lastFile == null ? present : lastFile;
    }

    @Override
    public void close() throws IOException {
        if (reader != null && reader != latest) {
            reader.close();
        }
        if (latest != null) {
            latest.close();
        }
    }
}
