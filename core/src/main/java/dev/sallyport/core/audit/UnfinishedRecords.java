package dev.sallyport.core.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the exchanges that were in progress when the last process ended and whose records it did not write. */
final class UnfinishedRecords {

    private static final Logger LOG = LoggerFactory.getLogger(UnfinishedRecords.class);
    private static final String ID = "\"exchange_id\":\"";

    private UnfinishedRecords() {}

    /**
     * The records to write, oldest first; they keep their places in the table until they are written. Logs a summary.
     *
     * @param complete whether the last line of the audit file ends with a line feed
     */
    static List<AuditRecord> find(InFlightTable table, Path audit, boolean complete) throws IOException {
        InFlightTable.LeftOver left = table.leftOver();
        Map<String, AuditRecord> untold = new HashMap<>();
        for (AuditRecord record : left.records()) {
            untold.put(record.exchangeId, record);
        }
        if (!untold.isEmpty()) {
            forgetWritten(table, audit, complete, untold);
        }
        if (!untold.isEmpty()) {
            LOG.warn(
                    "audit: exchanges in progress when the last process ended: {}; each now has a record that says so",
                    untold.size());
        }
        if (left.torn() + left.unlisted() > 0) {
            LOG.warn(
                    "audit: exchanges in progress when the last process ended, but without a record: {} whose entries "
                            + "cannot be read (they had just begun), {} that did not fit into the table",
                    left.torn(),
                    left.unlisted());
        }
        return untold.values().stream()
                .sorted(Comparator.comparingLong(record -> record.startMillis))
                .toList();
    }

    /** A process may end between writing a line and removing its record from the table. */
    private static void forgetWritten(
            InFlightTable table, Path audit, boolean complete, Map<String, AuditRecord> untold) throws IOException {
        try (FileChannel reader = FileChannel.open(audit, StandardOpenOption.READ)) {
            reader.position(Math.clamp(table.marked(), 0L, reader.size()));
            BufferedReader lines = new BufferedReader(Channels.newReader(reader, StandardCharsets.ISO_8859_1));
            String next = lines.readLine();
            while (next != null) {
                String line = next;
                next = lines.readLine();
                AuditRecord written = next != null || complete ? untold.remove(exchangeId(line)) : null;
                if (written != null) {
                    table.clear(written);
                }
            }
        }
    }

    private static String exchangeId(String line) {
        int from = line.indexOf(ID) + ID.length();
        int to = line.indexOf('"', from);
        return from < ID.length() || to < 0 ? "" : line.substring(from, to);
    }
}
