package dev.sallyport.core.audit.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes over the records of a chain in the order of their files, and stops judging at the first that is not as it was
 * written; what follows then is read only to tell where the missing one stands. Not thread-safe.
 */
final class ChainWalk {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final byte[] NOTHING = new byte[Sha256.BYTES];

    private final List<CheckpointCheck> checks;
    private final @Nullable Checkpoint head;
    private final List<String> facts = new ArrayList<>();

    private long first;
    private long expected;
    private long max;
    private byte[] hash = NOTHING;

    /** Where the last line that was accepted stands. */
    private @Nullable Finding before;

    /** The {@code seq} up to which a signature vouches for what was accepted. */
    private long vouched;

    private long removed;
    private boolean headFound;
    private @Nullable Finding firstRecord;

    // Lines that are no records, until the next record says something of them.
    private @Nullable Path looseFile;
    private long looseLine;
    private long looseFrom;
    private long looseTo;
    private long looseCount;
    private boolean looseEnded;

    private @Nullable Finding broken;
    private @Nullable Doubt doubt;

    /** What decides how the finding is worded, once more has been read. */
    private sealed interface Doubt {

        /** The record does not follow the one before: is it that one, or this one, that was changed? */
        record Changed(Finding one, Finding other, byte[] hashOfOther) implements Doubt {}

        /** A record is not in its place: is it elsewhere? */
        record Absent(Finding gap) implements Doubt {}
    }

    ChainWalk(List<CheckpointCheck> checks, @Nullable Checkpoint head) {
        this.checks = checks;
        this.head = head;
        this.headFound = head != null && head.size() == 0;
    }

    /** Reads the next file. */
    void file(Path file) throws IOException {
        long from = 0;
        long to = 0;
        long lines = 0;
        try (LineScanner scanner = new LineScanner(file)) {
            while (scanner.next()) {
                lines++;
                ChainedLine record = scanner.chained();
                if (record != null) {
                    from = from == 0 ? record.seq() : from;
                    to = record.seq();
                    max = Math.max(max, record.seq());
                    noteRemoved(scanner, record);
                }
                if (broken != null || doubt != null) {
                    resolve(scanner, record);
                } else if (record == null) {
                    loose(scanner);
                } else {
                    accept(scanner, record);
                }
            }
        }
        facts.add(file + ": " + (from == 0 ? lines + " lines, no record of a chain" : "seq " + from + " to " + to));
    }

    /** There are no more files. */
    void end() {
        if (doubt instanceof Doubt.Changed changed) {
            broken = changed.one;
        } else if (doubt instanceof Doubt.Absent absent) {
            broken = absent.gap;
        } else if (broken == null && looseFile != null) {
            if (looseCount == 1 && !looseEnded) {
                facts.add("not complete: " + looseFile + ":" + looseLine
                        + " is being written, or its process has ended: the next start seals it");
            } else {
                broken = unsealed();
            }
        }
        doubt = null;
        if (first > 1 && removed < first - 1 && firstRecord != null) {
            broken = new Finding(
                    firstRecord.file(),
                    firstRecord.line(),
                    removed + 1,
                    "missing: seq " + (removed + 1) + " to " + (first - 1)
                            + ", of which no record says that a rotated file was deleted");
        }
    }

    private void accept(LineScanner scanner, ChainedLine record) throws IOException {
        Finding here = new Finding(scanner.file(), scanner.number(), record.seq(), "");
        boolean sealed = record.msg().equals(ChainedLine.SEALED);
        if (looseFile != null && !(sealed && seals(scanner, record))) {
            broken = unsealed();
            return;
        }
        if (looseFile == null && sealed) {
            broken = at(here, "the lines before it that it seals are not there");
            return;
        }
        if (first == 0) {
            first = record.seq();
            expected = first;
            firstRecord = here;
            if (looseFile == null && first == 1 && !record.follows(NOTHING)) {
                broken = at(here, "the first record of a chain follows nothing (expected: prev of 64 zeros)");
                return;
            }
        } else if (looseFile == null && !record.follows(hash)) {
            suspect(scanner, record, here);
            return;
        }
        if (record.seq() != expected) {
            broken = new Finding(here.file(), here.line(), expected, "its seq was changed to " + record.seq());
            return;
        }
        if (looseFile != null) {
            facts.add("sealed: " + looseFile + ":" + looseLine + ": " + looseCount
                    + (looseCount == 1 ? " line that is" : " lines that are") + " no record of the chain ("
                    + (looseTo - looseFrom) + " bytes), sealed by seq " + record.seq());
            looseFile = null;
        }
        follow(scanner, record, here);
    }

    /** It stands where it should. */
    private void follow(LineScanner scanner, ChainedLine record, Finding here) throws IOException {
        hash = scanner.hash();
        before = here;
        expected = record.seq() + 1;
        if (head != null && head.size() == record.seq()) {
            headFound = Arrays.equals(head.hash(), hash);
            if (!headFound) {
                broken = at(here, "not the record that the head names: it or one before was rewritten");
                return;
            }
            vouched = record.seq();
        }
        for (CheckpointCheck check : checks) {
            Finding finding = check.record(here.file(), here.line(), here.seq(), hash);
            broken = broken == null ? finding : broken;
            vouched = Math.max(vouched, check.vouched());
        }
    }

    /** A record at or behind a fault counts too: that fault is told then, and no file is called missing that was deleted. */
    private void noteRemoved(LineScanner scanner, ChainedLine record) throws IOException {
        if (record.msg().equals(ChainedLine.REMOVED)) {
            removed = Math.max(removed, removed(scanner.text()));
        }
    }

    /** The record does not say that the one before is before it. */
    private void suspect(LineScanner scanner, ChainedLine record, Finding here) {
        Finding last = before == null ? here : before;
        if (record.seq() == expected) {
            Finding other = at(here, "changed: it does not say what stands before it");
            if (vouched >= last.seq()) {
                broken = other;
            } else {
                Finding one = at(last, "changed: the record after it has another hash of it");
                doubt = new Doubt.Changed(one, other, scanner.hash());
            }
            return;
        }
        String place = last.file() + ":" + last.line();
        if (record.seq() > expected) {
            long missing = record.seq() - 1;
            String what =
                    "missing: seq " + expected + (missing == expected ? "" : " to " + missing) + ", after " + place;
            doubt = new Doubt.Absent(new Finding(here.file(), here.line(), expected, what));
        } else {
            broken = at(here, "repeated or added: expected seq " + expected + " after " + place);
        }
    }

    /** What comes later tells more about the finding. */
    private void resolve(LineScanner scanner, @Nullable ChainedLine record) {
        if (record == null) {
            return;
        }
        if (doubt instanceof Doubt.Changed changed) {
            broken = record.follows(changed.hashOfOther) ? changed.one : changed.other;
            doubt = null;
        } else if (doubt instanceof Doubt.Absent absent && record.seq() == absent.gap.seq()) {
            broken = at(absent.gap, "out of order: it stands at " + scanner.file() + ":" + scanner.number());
            doubt = null;
        }
    }

    private void loose(LineScanner scanner) {
        if (looseFile == null) {
            looseFile = scanner.file();
            looseLine = scanner.number();
            looseFrom = scanner.offset();
            looseCount = 0;
        } else if (!looseFile.equals(scanner.file())) {
            broken = unsealed();
            return;
        }
        looseCount++;
        looseTo = scanner.offset() + scanner.length();
        looseEnded = scanner.ended();
    }

    private boolean seals(LineScanner scanner, ChainedLine record) throws IOException {
        if (looseFile == null || !looseFile.equals(scanner.file())) {
            return false;
        }
        TrailingLines lines = TrailingLines.read(looseFile, looseFrom, looseTo, first == 0 ? afterOf(scanner) : hash);
        return record.follows(lines.last()) && lines.isSealedBy(scanner.text());
    }

    /** In front of the first record that is given, nothing is known but what it says itself, unless it is the very first. */
    private static byte[] afterOf(LineScanner scanner) {
        JsonNode record = json(scanner.text());
        byte[] said = hex(record.path(ChainedLine.SEALED).path("after").asText());
        return record.path("seq").asLong() == 1 ? NOTHING : said;
    }

    private static byte[] hex(String text) {
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            return NOTHING;
        }
    }

    private static long removed(String record) {
        return json(record).path(ChainedLine.REMOVED).path("last").asLong();
    }

    private static JsonNode json(String record) {
        try {
            return JSON.readTree(record);
        } catch (JsonProcessingException e) {
            return JSON.nullNode();
        }
    }

    private Finding unsealed() {
        Path file = looseFile == null ? Path.of("") : looseFile;
        return new Finding(
                file, looseLine, Math.max(1, expected), "not a record of the chain, and no record after it seals it");
    }

    private static Finding at(Finding place, String what) {
        return new Finding(place.file(), place.line(), place.seq(), what);
    }

    List<String> facts() {
        return facts;
    }

    @Nullable Finding broken() {
        return broken;
    }

    /** The {@code seq} of the last record. */
    long last() {
        return max;
    }

    /** Whether the record that the head names is there. */
    boolean hasHead() {
        return headFound;
    }
}
