package dev.sallyport.core.audit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records of one write and their lines. Confined to the writer's thread. */
final class AuditBatch {

    private static final Logger LOG = LoggerFactory.getLogger(AuditBatch.class);

    private final int maxBytes;
    private final JsonBuffer buffer;
    private final RecordEncoder encoder;
    private final List<AuditRecord> records = new ArrayList<>();
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private @Nullable ByteBuffer readable;

    AuditBatch(int maxBytes, @Nullable AuditChain chain) {
        this.maxBytes = maxBytes;
        this.buffer = new JsonBuffer(2 * maxBytes);
        this.encoder = new RecordEncoder(buffer, chain);
    }

    /** Adds what the chain says of itself, which is no record of an exchange. */
    void add(ChainNote note, long epochMillis) {
        encoder.note(note, epochMillis);
    }

    void add(AuditRecord record) {
        int start = buffer.size();
        try {
            encoder.encode(record);
        } catch (RuntimeException e) {
            // Every exchange has its record, whatever its transforms have put into it.
            LOG.error("audit: the annotations of exchange {} could not be encoded", record.exchangeId, e);
            bare(record);
            encoder.encode(record);
        }
        if (records.size() == ends.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
        starts[records.size()] = start;
        ends[records.size()] = buffer.size();
        records.add(record);
    }

    boolean isFull() {
        return buffer.size() >= maxBytes;
    }

    boolean isEmpty() {
        return buffer.size() == 0;
    }

    int size() {
        return records.size();
    }

    /** All records. */
    List<AuditRecord> records() {
        return Collections.unmodifiableList(records);
    }

    AuditRecord record(int index) {
        return records.get(index);
    }

    /** All lines. */
    ByteBuffer lines() {
        return buffer.view();
    }

    /** One line of a complete batch without its line feed, until the next is asked for. */
    ByteBuffer line(int index) {
        ByteBuffer all = readable;
        if (all == null) {
            all = buffer.view().asReadOnlyBuffer();
            readable = all;
        }
        return all.limit(ends[index] - 1).position(starts[index]);
    }

    void clear() {
        records.clear();
        readable = null;
        buffer.reset(2 * maxBytes);
    }

    private static void bare(AuditRecord record) {
        record.groups = Map.of();
        for (TransformTrace trace : record.requestTransforms) {
            trace.annotations = Map.of();
        }
        for (TransformTrace trace : record.responseTransforms) {
            trace.annotations = Map.of();
        }
        record.error = "annotations could not be encoded";
    }
}
