package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records of one file.
 *
 * @param first the {@code seq} of the first
 * @param last the {@code seq} of the last
 * @param sha256 the hash of the line of the last
 */
public record ChainSpan(long first, long last, byte[] sha256) {

    /** What a file holds of a chain; null for nothing. Reads its beginning and its end. */
    public static @Nullable ChainSpan of(Path file) throws IOException {
        ChainEnd.Last end = ChainEnd.last(file);
        if (end == null) {
            return null;
        }
        try (LineScanner lines = new LineScanner(file)) {
            while (lines.next()) {
                ChainedLine record = lines.chained();
                if (record != null) {
                    return new ChainSpan(record.seq(), end.line().seq(), end.hash());
                }
            }
        }
        return null;
    }

    /** The fields of the group {@code removed}. */
    public Map<String, Object> fields(Path file) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("file", String.valueOf(file.getFileName()));
        fields.put("first", first);
        fields.put("last", last);
        fields.put("sha256", HexFormat.of().formatHex(sha256));
        return fields;
    }
}
