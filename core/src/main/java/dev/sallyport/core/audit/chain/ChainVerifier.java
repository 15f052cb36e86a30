package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Verifies audit files with a chain: that no record was changed, left out, added or moved ({@code integrity}), and that
 * none is missing at the end ({@code completeness}). Reads each file once, whatever its size, and holds no more than a
 * block of each. Blocks.
 */
public final class ChainVerifier {

    private final List<NoteKey> keys;
    private final @Nullable Checkpoint head;

    /**
     * What was found.
     *
     * @param facts what was verified, a line each
     * @param broken the first thing that is not as it was written; null for nothing
     * @param last the {@code seq} of the last record
     * @param completeness whether records are missing at the end
     */
    public record Report(List<String> facts, @Nullable Finding broken, long last, Completeness completeness) {

        /** Whether nothing is broken or cut. */
        public boolean isGood() {
            return broken == null && completeness != Completeness.CUT;
        }
    }

    /** Whether records are missing at the end. */
    public enum Completeness {
        /** The record that the head names is there. */
        COMPLETE,
        /** A checkpoint names a record that is not there. */
        CUT,
        /** There was no head to compare with. */
        UNKNOWN
    }

    /** A file, and the first record of the chain in it; 0 for none. */
    private record Part(Path file, long first) {}

    private ChainVerifier(List<NoteKey> keys, @Nullable Checkpoint head) {
        this.keys = List.copyOf(keys);
        this.head = head;
    }

    /**
     * Verifies files, which may be in any order.
     *
     * @param keys those that may have signed the checkpoints, which are read from beside the files
     * @param head an exported checkpoint whose signature has been verified; null for none
     */
    public static Report verify(List<Path> files, List<NoteKey> keys, @Nullable Checkpoint head) throws IOException {
        return new ChainVerifier(keys, head).run(files);
    }

    /**
     * The checkpoint in an exported note.
     *
     * @throws NoteException when it is none, or none of the keys has signed it
     */
    public static Checkpoint head(String note, List<NoteKey> keys) throws NoteException {
        SignedNote signed = SignedNote.parse(note);
        if (!signed.isSignedBy(keys)) {
            throw new NoteException("not signed with the key");
        }
        return Checkpoint.parse(signed.text());
    }

    private Report run(List<Path> files) throws IOException {
        List<Part> parts = parts(files);
        List<CheckpointCheck> checks = checks(parts);
        try {
            ChainWalk walk = new ChainWalk(checks, head);
            for (Part part : parts) {
                walk.file(part.file);
            }
            walk.end();
            return report(walk, checks);
        } finally {
            for (CheckpointCheck check : checks) {
                check.close();
            }
        }
    }

    private List<Part> parts(List<Path> files) throws IOException {
        Map<Path, Part> parts = new LinkedHashMap<>();
        for (Path file : files) {
            parts.putIfAbsent(file.toRealPath(), new Part(file, first(file)));
        }
        List<Part> sorted = new ArrayList<>(parts.values());
        sorted.sort(Comparator.comparingLong(part -> part.first == 0 ? Long.MAX_VALUE : part.first));
        return sorted;
    }

    private static long first(Path file) throws IOException {
        try (LineScanner lines = new LineScanner(file)) {
            while (lines.next()) {
                ChainedLine record = lines.chained();
                if (record != null) {
                    return record.seq();
                }
            }
            return 0;
        }
    }

    /** Opened before the records are read: whatever they say has been written by then. */
    private List<CheckpointCheck> checks(List<Part> parts) throws IOException {
        Map<Path, CheckpointCheck> checks = new LinkedHashMap<>();
        for (Part part : parts) {
            Path audit = AuditNames.base(part.file.toRealPath());
            if (!checks.containsKey(audit)) {
                CheckpointCheck check = CheckpointCheck.beside(audit, keys);
                if (check != null) {
                    checks.put(audit, check);
                }
            }
        }
        return List.copyOf(checks.values());
    }

    private Report report(ChainWalk walk, List<CheckpointCheck> checks) throws IOException {
        List<String> facts = new ArrayList<>(walk.facts());
        Finding broken = walk.broken();
        boolean cut = false;
        for (CheckpointCheck check : checks) {
            Finding finding = check.rest();
            broken = broken == null ? finding : broken;
            CheckpointReader.Entry last = check.last();
            if (last != null && last.checkpoint().size() > walk.last()) {
                cut = true;
                facts.add("cut: " + check.lastFile() + ":" + last.line() + " has signed seq "
                        + last.checkpoint().size() + ", the last record that is there is seq " + walk.last());
            } else {
                facts.add("checkpoints: " + check.file() + " has " + check.count() + " up to seq " + check.vouched()
                        + "; nothing vouches for " + (walk.last() - check.vouched()) + " records after it");
            }
        }
        if (checks.isEmpty() && head == null) {
            facts.add("warning: there are no checkpoints beside the files and no head: whoever can write the files can "
                    + "rewrite such a chain as a whole");
        }
        return new Report(List.copyOf(facts), broken, walk.last(), completeness(walk, cut));
    }

    private Completeness completeness(ChainWalk walk, boolean cut) {
        if (cut || (head != null && !walk.hasHead())) {
            return Completeness.CUT;
        }
        return head == null ? Completeness.UNKNOWN : Completeness.COMPLETE;
    }
}
