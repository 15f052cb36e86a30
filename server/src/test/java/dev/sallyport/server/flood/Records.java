package dev.sallyport.server.flood;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the records in a file that grows: each look reads only what was written since the last one, since there may be
 * tens of megabytes before it.
 */
final class Records {

    private static final Pattern RECORD =
            Pattern.compile("\"remote_addr\":\"([0-9.]+).*\"action\":\"(\\w+)\",\"status_code\":(\\d+)");

    private final Path file;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
    private final Map<String, Map<String, Integer>> byAddress = new HashMap<>();
    private long offset;

    Records(Path file) {
        this.file = file;
    }

    /** How many there are of what came from such addresses, by action and status. */
    synchronized Map<String, Integer> of(Predicate<String> addresses) throws IOException {
        follow();
        Map<String, Integer> counts = new TreeMap<>();
        byAddress.forEach((address, outcomes) -> {
            if (addresses.test(address)) {
                outcomes.forEach((outcome, count) -> counts.merge(outcome, count, Integer::sum));
            }
        });
        return counts;
    }

    /** Takes in the lines that are complete; the offset stays at the beginning of the first that is not. */
    private void follow() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            int complete;
            do {
                buffer.clear();
                while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) > 0) {
                    // As much of it as there is.
                }
                complete = lastEnd();
                if (complete == 0 && !buffer.hasRemaining()) {
                    throw new AssertionError("a line of more than " + buffer.capacity() + " bytes at " + offset);
                }
                new String(buffer.array(), 0, complete, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(this::count);
                offset += complete;
            } while (complete > 0);
        }
    }

    /** Where the last line ends that is complete. */
    private int lastEnd() {
        int end = buffer.position();
        while (end > 0 && buffer.get(end - 1) != '\n') {
            end--;
        }
        return end;
    }

    private void count(String line) {
        Matcher record = RECORD.matcher(line);
        if (record.find()) {
            byAddress
                    .computeIfAbsent(record.group(1), address -> new TreeMap<>())
                    .merge(record.group(2) + " " + record.group(3), 1, Integer::sum);
        }
    }
}
