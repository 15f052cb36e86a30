package dev.sallyport.server.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads audit records line by line, in memory that does not depend on how many there are. Fields that it does not know
 * are ignored, and so are lines that are no records of exchanges; what cannot be read is counted and named. Not
 * thread-safe.
 */
public final class RecordReader {

    /** The name of standard input among files. */
    public static final String STANDARD_INPUT = "-";

    /** A line that is longer is no record: captured bodies take a few MiB at most. */
    static final int MAX_LINE = 64 * 1024 * 1024;

    /** The newest version of records that this reader understands; records without one are of this version. */
    private static final int SCHEMA_VERSION = 1;

    private final ObjectMapper json = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private final ReadTally tally = new ReadTally();
    private final Set<Path> seen = new HashSet<>();
    private final Consumer<? super RecordedExchange> receiver;
    private final int maxLine;

    /** @param receiver gets each exchange, on the thread that reads */
    public RecordReader(Consumer<? super RecordedExchange> receiver) {
        this(receiver, MAX_LINE);
    }

    RecordReader(Consumer<? super RecordedExchange> receiver, int maxLine) {
        this.receiver = receiver;
        this.maxLine = maxLine;
    }

    /**
     * Reads files one after the other, in the order given. A file that is named twice, in whatever spelling, is read
     * once, so that {@code audit.jsonl audit.jsonl*} counts nothing twice.
     *
     * @param files names of files; {@code -} is standard input
     * @throws IOException when one of them cannot be read; those before it have been
     */
    public void readAll(List<String> files, InputStream standardInput) throws IOException {
        for (String file : files) {
            if (file.equals(STANDARD_INPUT)) {
                read(file, standardInput);
            } else {
                read(Path.of(file));
            }
        }
    }

    /** Reads one file, unless it has been read before. */
    public void read(Path file) throws IOException {
        if (seen.add(file.toRealPath())) {
            try (InputStream in = Files.newInputStream(file)) {
                read(file.toString(), in);
            }
        }
    }

    /** Reads a stream to its end; the caller closes it. {@code name} stands for the file in messages. */
    public void read(String name, InputStream in) throws IOException {
        LineSplitter lines = new LineSplitter(in, maxLine);
        long number = 0;
        for (LineSplitter.Line line = lines.next(); line != null; line = lines.next()) {
            line(new LinePosition(name, ++number), line);
        }
    }

    /** What has been read so far. */
    public ReadTally tally() {
        return tally;
    }

    private void line(LinePosition at, LineSplitter.Line line) throws IOException {
        if (line.tooLong()) {
            bad(at, "longer than " + maxLine + " bytes (expected: an audit record)");
            return;
        }
        if (isBlank(line)) {
            return;
        }
        try {
            node(at, json.readTree(line.bytes(), 0, line.length()));
        } catch (JsonProcessingException e) {
            if (e instanceof JsonEOFException || isUnended(line)) {
                tally.unreadable(new UnreadableLine(at, true, "the rest of the record is missing"));
            } else {
                bad(at, "no JSON, from column " + e.getLocation().getColumnNr() + " on (expected: an audit record)");
            }
        }
    }

    /** Whether it begins like a record and ends like none. */
    private static boolean isUnended(LineSplitter.Line line) {
        return line.bytes()[0] == '{' && line.bytes()[line.length() - 1] != '}';
    }

    private void node(LinePosition at, JsonNode record) {
        if (!record.path("msg").asText().equals("request")) {
            tally.other();
            return;
        }
        int version = record.path("schema_version").asInt(SCHEMA_VERSION);
        JsonNode audit = record.path("audit");
        if (version > SCHEMA_VERSION) {
            bad(at, "schema_version " + version + " (expected: at most " + SCHEMA_VERSION + ")");
        } else if (!audit.path("action").isTextual()) {
            bad(at, "a record without /audit/action");
        } else {
            tally.exchange();
            receiver.accept(exchange(at, record, audit));
        }
    }

    private void bad(LinePosition at, String why) {
        tally.unreadable(new UnreadableLine(at, false, why));
    }

    private static RecordedExchange exchange(LinePosition at, JsonNode record, JsonNode audit) {
        List<RecordedTransform> transforms = new ArrayList<>();
        record.path("request_transforms").forEach(transform -> transforms.add(transform(transform)));
        return new RecordedExchange(
                at,
                text(record, "time"),
                text(record, "exchange_id"),
                text(audit, "host"),
                audit.path("port").asInt(),
                text(audit, "method"),
                text(audit, "path"),
                text(audit, "remote_addr"),
                text(audit, "workload"),
                text(audit, "sni"),
                text(audit, "mode"),
                text(audit, "protocol"),
                text(audit, "action"),
                audit.path("status_code").asInt(),
                textOrNull(record.path("tunnel"), "target"),
                textOrNull(record, "rejected_by"),
                textOrNull(record, "stubbed_by"),
                textOrNull(record, "error"),
                transforms);
    }

    private static RecordedTransform transform(JsonNode transform) {
        JsonNode annotations = transform.path("annotations");
        return new RecordedTransform(
                text(transform, "name"),
                text(transform, "action"),
                textOrNull(transform, "error"),
                annotations.isObject() ? annotations : JsonNodeFactory.instance.objectNode());
    }

    private static String text(JsonNode from, String field) {
        return from.path(field).asText();
    }

    private static @Nullable String textOrNull(JsonNode from, String field) {
        JsonNode value = from.path(field);
        return value.isTextual() ? value.textValue() : null;
    }

    private static boolean isBlank(LineSplitter.Line line) {
        for (int i = 0; i < line.length(); i++) {
            if (line.bytes()[i] != ' ' && line.bytes()[i] != '\t' && line.bytes()[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
