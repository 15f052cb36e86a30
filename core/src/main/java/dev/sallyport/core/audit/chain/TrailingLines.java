package dev.sallyport.core.audit.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lines behind the last record of a chain that are no records of it: what a killed process had not finished, or somebody
 * else has written. The next start writes a record about them, which seals them: from then on a change shows.
 *
 * @param lines how many
 * @param bytes all of their bytes, line feeds included; one that is missing at the end is counted, as it will be added
 * @param sha256 the hash of these bytes
 * @param last the hash of the last of the lines
 * @param after the hash of the line of the last record; 32 zero bytes where there is none
 */
public record TrailingLines(long lines, long bytes, byte[] sha256, byte[] last, byte[] after) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BUFFER = 64 * 1024;

    /** Reads the lines in a part of a file. */
    static TrailingLines read(Path file, long from, long to, byte[] after) throws IOException {
        MessageDigest all = Sha256.digest();
        MessageDigest line = Sha256.digest();
        byte[] last = {};
        long lines = 0;
        boolean ended = true;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.position(from);
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
            long left = to - from;
            while (left > 0 && channel.read(buffer.clear().limit((int) Math.min(BUFFER, left))) > 0) {
                int start = 0;
                for (int i = 0; i < buffer.position(); i++) {
                    if (buffer.get(i) == '\n') {
                        line.update(buffer.array(), start, i + 1 - start);
                        last = line.digest();
                        lines++;
                        start = i + 1;
                    }
                }
                line.update(buffer.array(), start, buffer.position() - start);
                ended = start == buffer.position();
                all.update(buffer.array(), 0, buffer.position());
                left -= buffer.position();
            }
        }
        if (!ended) {
            line.update((byte) '\n');
            last = line.digest();
            lines++;
            all.update((byte) '\n');
        }
        return new TrailingLines(lines, to - from + (ended ? 0 : 1), all.digest(), last, after.clone());
    }

    /** The fields of the group {@code sealed}. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("lines", lines);
        fields.put("bytes", bytes);
        fields.put("sha256", HexFormat.of().formatHex(sha256));
        fields.put("after", HexFormat.of().formatHex(after));
        return fields;
    }

    /** Whether a record says this of them. */
    boolean isSealedBy(String record) {
        try {
            JsonNode sealed = JSON.readTree(record).path(ChainedLine.SEALED);
            return sealed.toString().equals(JSON.writeValueAsString(fields()));
        } catch (JsonProcessingException e) {
            return false;
        }
    }
}
