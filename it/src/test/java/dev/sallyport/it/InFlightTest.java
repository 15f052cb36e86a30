package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * docs/spec/decisions.md, section 14a: what was under way when a process ended is told at the next start. Here the
 * process has not ended: another proxy starts from a copy of what it would have left.
 */
@Timeout(60)
class InFlightTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(AuditFile.class.getPackageName());

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    @TempDir
    Path folder;

    private Path file;
    private TestOrigin origin;

    @BeforeEach
    void prepare() throws IOException {
        logged.start();
        LOG.addAppender(logged);
        file = folder.resolve("audit.jsonl");
        origin = TestOrigin.of(peer -> {
            peer.readHead();
            asked.countDown();
            answer.await();
            peer.send(TestOrigin.ok("late"));
        });
    }

    @AfterEach
    void end() throws IOException {
        LOG.detachAppender(logged);
        answer.countDown();
        origin.close();
    }

    private TestProxy.Builder proxy(Path audit) {
        return TestProxy.builder(folder)
                .sections("log: {audit: {file: " + audit + ", slots: 64}}\n")
                .transform(
                        "gate",
                        request -> request.head().path().equals("/no")
                                ? Decision.reject(403, "not_allowed", "No.")
                                : Decision.proceed());
    }

    private static Path table(Path audit) {
        return audit.resolveSibling(audit.getFileName() + ".inflight");
    }

    /** What a process that ends now leaves, elsewhere. */
    private Path remains() throws IOException {
        Path copy = Files.createTempDirectory(folder, "next").resolve("audit.jsonl");
        Files.copy(table(file), table(copy));
        return Files.copy(file, copy);
    }

    /** What a start and an end add to the file. */
    private List<JsonNode> told(Path audit) throws Exception {
        int before = Files.readAllLines(audit).size();
        proxy(audit).start().close();
        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(audit)
                .subList(before, Files.readAllLines(audit).size())) {
            records.add(JSON.readTree(line));
        }
        return records;
    }

    private Wire ask(TestProxy proxy, String path) throws Exception {
        Wire client = proxy.http();
        client.send(head(
                "POST " + path + " HTTP/1.1",
                "Host: " + origin.authority(),
                "Authorization: Bearer hidden-in-a-field",
                "Content-Length: 0"));
        asked.await();
        return client;
    }

    private void answered(Wire client) throws Exception {
        answer.countDown();
        assertThat(client.message().status()).isEqualTo(200);
    }

    private List<String> log() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void theNextStartTellsWhatWasUnderWayAndTheOneAfterNothing() throws Exception {
        Path next;
        JsonNode itself;
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, "/wait?for=%C3%A4")) {
            next = remains();
            answered(client);
            itself = proxy.record();
        }

        List<JsonNode> told = told(next);

        assertThat(told).hasSize(1);
        JsonNode record = told.getFirst();
        assertThat(record.path("error").asText())
                .isEqualTo("process_ended: the process ended while this was under way");
        assertThat(record.path("level").asText()).isEqualTo("ERROR");
        JsonNode audit = record.path("audit");
        assertThat(audit.path("action").asText()).isEqualTo("error");
        assertThat(audit.path("status_code").asInt()).isZero();
        for (String same : List.of("time", "exchange_id")) {
            assertThat(record.path(same)).as(same).isEqualTo(itself.path(same));
        }
        for (String same : List.of("host", "port", "method", "path", "remote_addr", "workload", "mode", "protocol")) {
            assertThat(audit.path(same)).as(same).isEqualTo(itself.path("audit").path(same));
        }
        assertThat(log())
                .containsExactly(
                        "audit: exchanges in progress when the last process ended: 1; each now has a record that says so");
        assertThat(told(next)).isEmpty();
        assertThat(log()).hasSize(1);
    }

    @Test
    void theTableHoldsNothingThatTheRecordDoesNotHoldAndForgetsIt() throws Exception {
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, "/in-the-path")) {
            assertThat(Files.readString(table(file), StandardCharsets.ISO_8859_1))
                    .contains("/in-the-path")
                    .doesNotContain("hidden-in-a-field");
            answered(client);
        }
        assertThat(Files.readString(table(file), StandardCharsets.ISO_8859_1))
                .as("once the record is written")
                .doesNotContain("/in-the-path");
    }

    @Test
    void aPathThatIsTooLongIsCutAndSaysSo() throws Exception {
        String path = "/" + "long".repeat(1000);
        Path next;
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, path)) {
            next = remains();
            answered(client);
        }

        JsonNode record = told(next).getFirst();

        String kept = record.path("audit").path("path").asText();
        assertThat(path).startsWith(kept);
        assertThat(kept).hasSizeBetween(256, 512);
        assertThat(record.path("error").asText()).endsWith("(texts are truncated)");
    }

    @Test
    void whatHadBeenWrittenIsNotToldAgain() throws Exception {
        Path next;
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, "/")) {
            next = remains();
            answered(client);
            proxy.record();
        }
        // The end came between the line and the table.
        Files.copy(file, next, StandardCopyOption.REPLACE_EXISTING);

        assertThat(told(next)).isEmpty();
        assertThat(log()).isEmpty();
    }

    @Test
    void whatHadEndedAndWasNotWrittenIsToldAsItEnded() throws Exception {
        Path next;
        StuckSink stuck = new StuckSink();
        try (TestProxy proxy = proxy(file).auditSink(stuck).start()) {
            proxy.get(origin, "/no");
            stuck.reached.await();
            proxy.get(origin, "/no");
            next = remains();
            stuck.open.countDown();
        }

        // The first one is in the file, where it stands before what is stuck.
        List<JsonNode> told = told(next);

        assertThat(told).hasSize(1);
        JsonNode audit = told.getFirst().path("audit");
        assertThat(audit.path("action").asText()).isEqualTo("reject");
        assertThat(audit.path("status_code").asInt()).isEqualTo(403);
        assertThat(told.getFirst().path("error").asText())
                .startsWith("process_ended: the process ended before the record of this was written");
    }

    @Test
    void whatIsTornIsCountedAndNotTold() throws Exception {
        Path next;
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, "/torn")) {
            next = remains();
            answered(client);
        }
        byte[] bytes = Files.readAllBytes(table(next));
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("/torn");
        bytes[at + 1] = 'b';
        Files.write(table(next), bytes);

        assertThat(told(next)).isEmpty();
        assertThat(log()).singleElement().asString().contains("without a record: 1 whose entries", "0 that did");
        assertThat(told(next)).isEmpty();
        assertThat(log()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "other version", "cut off"})
    void aFileThatIsNoTableIsToldAndKeptAside(String kind) throws Exception {
        proxy(file).start().close();
        byte[] table = Files.readAllBytes(table(file));
        byte[] odd = switch (kind) {
            case "text" -> "something else altogether, longer than a few bytes".getBytes(StandardCharsets.UTF_8);
            case "other version" -> {
                table[6]++;
                yield table;
            }
            default -> Arrays.copyOf(table, table.length - 1);
        };
        Files.write(table(file), odd);

        assertThat(told(file)).isEmpty();

        assertThat(log())
                .singleElement()
                .asString()
                .contains("this version cannot read the table " + table(file) + "; it is kept as ");
        Path aside = table(file).resolveSibling(table(file).getFileName() + ".unknown");
        assertThat(aside).hasBinaryContent(odd);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(aside)))
                .isEqualTo("rw-------");
        assertThat(told(file)).isEmpty();
        assertThat(log()).hasSize(1);
    }

    @Test
    void onlyItsOwnerReadsTheTable() throws Exception {
        proxy(file).start().close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(table(file))))
                .isEqualTo("rw-------");
    }

    @Test
    void withoutAFileThereIsNoTable() throws Exception {
        TestProxy.builder(folder).start().close();

        assertThat(folder).isDirectoryNotContaining("glob:**.inflight");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a folder", "a link"})
    void aTableThatCannotBeIsToldAndStopsNothing(String kind) throws Exception {
        Path elsewhere = Files.writeString(folder.resolve("elsewhere"), "somebody's");
        if (kind.equals("a folder")) {
            Files.createDirectory(table(file));
        } else {
            Files.createSymbolicLink(table(file), elsewhere);
        }
        try (TestProxy proxy = proxy(file).start()) {
            assertThat(proxy.get(origin, "/no").status()).isEqualTo(403);
        }

        assertThat(Files.readAllLines(file)).hasSize(1);
        assertThat(log()).singleElement().asString().contains(table(file) + " cannot be used, so the next start");
        assertThat(elsewhere).hasContent("somebody's");
    }

    /** What is mapped has then no memory behind it, which Java tells by an error. */
    @Test
    void aTableThatIsCutOffWhileItIsUsedIsToldAndStopsNothing() throws Exception {
        try (TestProxy proxy = proxy(file).start()) {
            proxy.get(origin, "/no");
            try (FileChannel table = FileChannel.open(table(file), StandardOpenOption.WRITE)) {
                table.truncate(0);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(proxy.get(origin, "/no").status()).isEqualTo(403);
            }
        }

        assertThat(Files.readAllLines(file)).hasSize(21);
        assertThat(log()).singleElement().asString().contains(table(file) + " can no longer be written; records are");
        assertThat(told(file)).isEmpty();
    }

    @Test
    void aTunnelIsUnderWayUntilItIsUsed() throws Exception {
        Path idle;
        Path used;
        try (TestProxy proxy = proxy(file).start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: " + origin.authority()));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
            idle = remains();
            tunnel.send(head("GET /no HTTP/1.1", "Host: " + origin.authority()));
            assertThat(tunnel.message().status()).isEqualTo(403);
            proxy.record();
            used = remains();
        }

        assertThat(told(idle))
                .singleElement()
                .satisfies(record ->
                        assertThat(record.path("audit").path("method").asText()).isEqualTo("CONNECT"));
        assertThat(told(used)).isEmpty();
    }

    @Test
    void tunnelsThatAreTooManyForTheTableAreCountedAndTakeNoPlaceOfAnExchange() throws Exception {
        Path next;
        List<Wire> tunnels = new ArrayList<>();
        try (TestProxy proxy = proxy(file).start()) {
            for (int i = 0; i < 130; i++) {
                Wire tunnel = proxy.tunnel();
                tunnels.add(tunnel);
                tunnel.send(head("CONNECT localhost:443 HTTP/1.1", "Host: localhost:443"));
                assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
            }
            try (Wire client = ask(proxy, "/")) {
                next = remains();
                answered(client);
            }
            for (Wire tunnel : tunnels) {
                tunnel.close();
            }
        }

        assertThat(told(next))
                .hasSize(65)
                .last()
                .satisfies(record ->
                        assertThat(record.path("audit").path("method").asText()).isEqualTo("POST"));
        assertThat(log())
                .containsExactly(
                        "audit: exchanges in progress when the last process ended: 65; each now has a record that says so",
                        "audit: exchanges in progress when the last process ended, but without a record: 0 whose entries "
                                + "cannot be read (they had just begun), 66 that did not fit into the table");
        assertThat(told(file)).isEmpty();
        assertThat(log()).hasSize(2);
    }

    @Test
    void moreSlotsKeepWhatATableHolds() throws Exception {
        Path next;
        try (TestProxy proxy = proxy(file).start();
                Wire client = ask(proxy, "/")) {
            next = remains();
            answered(client);
        }
        long before = Files.size(table(next));

        proxy(next)
                .sections("log: {audit: {file: " + next + ", slots: 128}}\n")
                .start()
                .close();

        assertThat(Files.readAllLines(next)).hasSize(1);
        assertThat(Files.size(table(next))).isGreaterThan(before);
        assertThat(told(next)).isEmpty();
        assertThat(Files.size(table(next))).as("fewer again").isEqualTo(before);
    }

    @Test
    void twoProxiesDoNotShareAFile() throws Exception {
        TestProxy first = proxy(file).start();
        StartException refused =
                catchThrowableOfType(StartException.class, () -> proxy(file).start());

        assertThat(refused.problems())
                .singleElement()
                .asString()
                .contains("/log/audit/file: ", file + ": another running proxy writes it", "(expected: ");

        first.close();
        proxy(file).start().close();
    }

    /** Takes nothing until it is opened. */
    private static final class StuckSink implements AuditSink {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);

        @Override
        public void write(ByteBuffer lines) throws IOException {
            reached.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            lines.position(lines.limit());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
