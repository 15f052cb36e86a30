package dev.sallyport.core.audit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records of one write and their lines. Confined to the writer's thread. */
final class AuditBatch {

    private static final Logger LOG = LoggerFactory.getLogger(AuditBatch.class);

    private final int maxBytes;
    private final JsonBuffer buffer;
    private final RecordEncoder encoder;
    private final List<AuditRecord> records = new ArrayList<>();
    private int[] ends = new int[64];

    AuditBatch(int maxBytes) {
        this.maxBytes = maxBytes;
        this.buffer = new JsonBuffer(2 * maxBytes);
        this.encoder = new RecordEncoder(buffer);
    }

    void add(AuditRecord record) {
        try {
            encoder.encode(record);
        } catch (RuntimeException e) {
            // Every exchange has its record, whatever its transforms have put into it.
            LOG.error("audit: the annotations of exchange {} could not be encoded", record.exchangeId, e);
            bare(record);
            encoder.encode(record);
        }
        if (records.size() == ends.length) {
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
        ends[records.size()] = buffer.size();
        records.add(record);
    }

    boolean isFull() {
        return buffer.size() >= maxBytes;
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    int size() {
        return records.size();
    }

    AuditRecord record(int index) {
        return records.get(index);
    }

    /** All lines. */
    ByteBuffer lines() {
        return buffer.view();
    }

    /** One line without its line feed. */
    ByteBuffer line(int index) {
        int start = index == 0 ? 0 : ends[index - 1];
        return buffer.view().slice(start, ends[index] - 1 - start).asReadOnlyBuffer();
    }

    void clear() {
        records.clear();
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
        record.error("annotations could not be encoded");
    }
}
