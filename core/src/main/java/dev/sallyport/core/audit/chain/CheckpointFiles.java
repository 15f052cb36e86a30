package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files with the checkpoints of an audit file: {@code NAME.checkpoints.000001} and up, and {@code NAME.checkpoints}. */
public final class CheckpointFiles {

    private CheckpointFiles() {}

    /** Those that there are, the oldest first. Blocks. */
    static List<Path> of(Path audit) throws IOException {
        Path present = AuditNames.checkpoints(audit);
        List<Path> files = new ArrayList<>(AuditNames.rotated(present));
        if (Files.exists(present)) {
            files.add(present);
        }
        return files;
    }

    /** Whether there are any. Blocks. */
    static boolean exist(Path audit) throws IOException {
        return Files.exists(AuditNames.checkpoints(audit))
                || !AuditNames.rotated(AuditNames.checkpoints(audit)).isEmpty();
    }

    /**
     * The last complete checkpoint of all; null for none. Reads no more than the end of a file. Blocks.
     *
     * @throws NoteException when a file has something else at its end
     */
    public static CheckpointReader.@Nullable Last last(Path audit) throws IOException, NoteException {
        List<Path> files = of(audit);
        CheckpointReader.Last last = null;
        for (int i = files.size() - 1; i >= 0 && last == null; i--) {
            last = CheckpointReader.last(files.get(i));
        }
        return last;
    }
}
