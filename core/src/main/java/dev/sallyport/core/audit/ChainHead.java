package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.CheckpointFiles;
import dev.sallyport.core.audit.chain.CheckpointReader;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a chain of audit records has got to, for somebody who keeps it elsewhere: against it, {@code sallyport audit verify
 * --head} finds an end that was cut off.
 *
 * @param note the last checkpoint, a C2SP signed note
 * @param key the public key that has signed it, as {@code NAME+ID+KEY}
 * @param size the {@code seq} of the last record that it stands for
 */
public record ChainHead(String note, String key, long size) {

    /** Whether another one stands for the same records, whenever it was signed. */
    public boolean isOfTheSameRecords(ChainHead other) {
        return key.equals(other.key) && records().equals(other.records());
    }

    /** Origin, size and hash: the first lines (C2SP tlog-checkpoint). */
    private List<String> records() {
        return note.lines().limit(3).toList();
    }

    /**
     * That of an audit file; null before its first checkpoint. Reads the end of a file. Blocks.
     *
     * @throws IOException also when what is there is no checkpoint, or none of the keys beside the file has signed it
     */
    public static @Nullable ChainHead of(Path file) throws IOException {
        Path audit = Files.isSymbolicLink(file) ? file.toRealPath() : file; // checkpoints are beside what it leads to
        try {
            CheckpointReader.Last last = CheckpointFiles.last(audit);
            if (last == null) {
                return null;
            }
            for (NoteKey key : NoteKey.read(AuditNames.publicKey(audit))) {
                if (key.name().equals(last.checkpoint().origin())) {
                    return new ChainHead(
                            last.whole(), key.toString(), last.checkpoint().size());
                }
            }
            throw new IOException("no key of " + last.checkpoint().origin() + " is in " + AuditNames.publicKey(audit));
        } catch (NoteException e) {
            throw new IOException(AuditNames.checkpoints(audit) + ": " + e.getMessage(), e);
        }
    }
}
