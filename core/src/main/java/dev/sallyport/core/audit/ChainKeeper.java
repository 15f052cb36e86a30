package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.ChainSpan;
import dev.sallyport.core.audit.chain.ChainedLine;
import dev.sallyport.core.audit.chain.TrailingLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is to be done for an audit file beside writing records: checkpoints, records of the chain about itself, and the
 * deletion of rotated files. Confined to the writer's thread.
 */
final class ChainKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(ChainKeeper.class);

    private final AuditFile file;
    private final @Nullable AuditChain chain;
    private final @Nullable CheckpointLog checkpoints;
    private List<Path> told = List.of();

    private ChainKeeper(AuditFile file) {
        this.file = file;
        this.chain = file.chain();
        this.checkpoints = file.checkpoints();
    }

    static ChainKeeper of(AuditFile file) {
        return new ChainKeeper(file);
    }

    /** Adds the record that seals what an earlier process has left unfinished. */
    void seal(AuditBatch batch) {
        TrailingLines loose = file.loose();
        if (chain != null && loose != null) {
            batch.add(
                    new ChainNote(
                            ChainedLine.SEALED,
                            AuditRecord.Level.WARN,
                            loose.fields(),
                            "lines_sealed: what stands between the last record and this one is no record of the chain: an "
                                    + "earlier process ended before it had written all of it, or others have written it"),
                    System.currentTimeMillis());
        }
    }

    /** Adds a record for each rotated file that is going to be deleted. */
    void tellOfSurplus(AuditBatch batch) {
        told = file.surplus();
        if (chain == null) {
            return;
        }
        for (Path old : told) {
            batch.add(
                    new ChainNote(ChainedLine.REMOVED, AuditRecord.Level.INFO, contents(old), null),
                    System.currentTimeMillis());
        }
    }

    private static Map<String, Object> contents(Path rotated) {
        try {
            ChainSpan span = ChainSpan.of(rotated);
            if (span != null) {
                return span.fields(rotated);
            }
        } catch (IOException e) {
            LOG.warn("audit: {} is deleted unread: {}", rotated, AuditFile.reason(e));
        }
        return Map.of("file", String.valueOf(rotated.getFileName()));
    }

    /** What was added to the batch has been written. */
    void written() {
        if (!told.isEmpty()) {
            file.delete(told);
            told = List.of();
        }
    }

    /** Whether there are checkpoints at all. */
    boolean signs() {
        return checkpoints != null;
    }

    /** How long until a checkpoint is due; 0 when it is. */
    long nanosUntilDue() {
        return checkpoints == null || chain == null ? Long.MAX_VALUE : checkpoints.nanosUntilDue(chain);
    }

    /** How long the last checkpoint must wait; 0 when it need not, or there is nothing new to sign. */
    long nanosUntilLast() {
        return checkpoints == null || chain == null || checkpoints.covers(chain) ? 0 : checkpoints.nanosUntilAllowed();
    }

    /** Whether a second has passed since the last one. */
    boolean maySign() {
        return checkpoints != null && checkpoints.nanosUntilAllowed() == 0;
    }

    /** Writes a checkpoint. */
    boolean sign() throws IOException {
        if (checkpoints != null && chain != null) {
            checkpoints.append(chain);
        }
        return true;
    }
}
