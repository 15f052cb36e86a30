package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes every visit of the tour and compares what came of it, with the workload and in the audit log. */
final class Checks {

    private static final int PATIENCE_SECONDS = 10;
    private static final int PATIENCE_MILLIS = PATIENCE_SECONDS * 1000;

    private final BlockingQueue<JsonNode> records = new LinkedBlockingQueue<>();
    private final List<JsonNode> seen = new ArrayList<>();
    private final PrintStream out;
    private final Palette palette;
    private int failed;

    Checks(PrintStream out, Palette palette) {
        this.out = out;
        this.palette = palette;
    }

    /** Takes the audit records of the proxy that is checked. */
    AuditLines sink() {
        return new AuditLines(records::add);
    }

    /** Runs all; prints a line for each. True when all is as expected. */
    boolean run(Quickstart quickstart, Client client) throws Failure, InterruptedException {
        Tour tour = quickstart.tour();
        out.println("Sallyport quickstart: checking with " + client.name());
        for (Visit visit : tour.everything()) {
            visit(client, visit, visit.equals(tour.allowed()) ? quickstart.key() : null);
        }
        report("The audit log names the key and its place, and never shows its value.", auditFault(quickstart.key()));
        InetSocketAddress health = quickstart.metricsAddress();
        String off = "metrics.listen is off";
        report("GET /healthz answers 200 OK.", health == null ? off : fault(health, "/healthz", "OK"));
        report(
                "GET /metrics counts the exchanges.",
                health == null ? off : fault(health, "/metrics", "\nsallyport_exchanges_total{action=\"allow\""));
        out.println(failed == 0 ? palette.green("all good") : palette.red(failed + " failed"));
        out.flush();
        return failed == 0;
    }

    /** {@code key} is what the API must have received, or null. */
    private void visit(Client client, Visit visit, @Nullable String key) throws Failure, InterruptedException {
        Answer answer = client.send(visit);
        JsonNode record = records.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String fault = answerFault(visit, answer, key);
        if (fault == null) {
            fault = recordFault(visit, record);
        }
        if (record != null) {
            seen.add(record);
        }
        report(visit.title(), fault);
    }

    private static @Nullable String answerFault(Visit visit, Answer answer, @Nullable String key) {
        if (answer.status() != visit.status()) {
            return "the workload got " + answer.status() + " (expected: " + visit.status() + "): "
                    + answer.body().strip().replaceAll("\\s+", " ");
        }
        if (!answer.body().contains(visit.sign())) {
            return "the answer does not say " + visit.sign() + ": "
                    + answer.body().strip();
        }
        return key == null || answer.body().contains("Bearer " + key)
                ? null
                : "the API did not receive the key (expected: it instead of the placeholder)";
    }

    private static @Nullable String recordFault(Visit visit, @Nullable JsonNode record) {
        if (record == null) {
            return "no audit record (expected: one)";
        }
        String action = record.path("audit").path("action").asText();
        int status = record.path("audit").path("status_code").asInt();
        if (!action.equals(visit.action()) || status != visit.status()) {
            return "the audit record says " + action + " " + status + " (expected: " + visit.action() + " "
                    + visit.status() + ")";
        }
        return record.toString().contains(visit.sign()) ? null : "the audit record does not say " + visit.sign();
    }

    private @Nullable String auditFault(String key) {
        if (!records.isEmpty()) {
            return records.size() + " audit records too many (expected: one for each request)";
        }
        String log = seen.toString();
        if (log.contains(key)) {
            return "the key is in the audit log";
        }
        boolean named =
                log.contains("\"swapped\":[{\"secret\":\"DEMO_API_KEY\"") && log.contains("header:Authorization");
        return named ? null : "the swap is not in the audit log (expected: DEMO_API_KEY, header:Authorization)";
    }

    /** What is wrong with the answer for this path, which should contain a sign. */
    private static @Nullable String fault(InetSocketAddress health, String path, String sign) {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(health, PATIENCE_MILLIS);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.startsWith("HTTP/1.1 200 ") && answer.contains(sign)
                    ? null
                    : "it answered " + answer.strip() + " (expected: " + sign.strip() + ")";
        } catch (IOException e) {
            return "it cannot be asked: " + e.getMessage();
        }
    }

    private void report(String title, @Nullable String fault) {
        if (fault == null) {
            out.println("  " + palette.green("ok") + "    " + title);
        } else {
            failed++;
            out.println("  " + palette.red("FAIL") + "  " + title);
            out.println("        " + fault);
        }
    }
}
