package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.server.Failure;
import dev.sallyport.server.terminal.Palette;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends every request of the quickstart and checks the answer to the workload and the audit log. */
final class Checks {

    private static final int PATIENCE_SECONDS = 10;
    private static final int PATIENCE_MILLIS = PATIENCE_SECONDS * 1000;

    private static final Pattern SWAP = Pattern.compile(
            "\"swapped\":\\[\\{\"secret\":\"[^\"]*" + DemoNames.SECRET + "\"[^]]*\"header:Authorization\"");

    private final BlockingQueue<JsonNode> records = new LinkedBlockingQueue<>();
    private final List<JsonNode> seen = new ArrayList<>();
    private final PrintStream out;
    private final Palette palette;
    private int failed;

    Checks(PrintStream out, Palette palette) {
        this.out = out;
        this.palette = palette;
    }

    /** Receives the audit records of the proxy under test. */
    AuditLines sink() {
        return new AuditLines(records::add);
    }

    /** Runs all requests and prints a line for each. Returns true when all results are as expected. */
    boolean run(Quickstart quickstart, Client client) throws Failure, InterruptedException {
        SampleRequests samples = quickstart.samples();
        out.println("Sallyport quickstart: checking with " + client.name());
        List<String> keys = new ArrayList<>(List.of(quickstart.key()));
        for (SampleRequest sample : samples.everything()) {
            check(client, sample, sample.equals(samples.allowed()) ? quickstart.key() : null);
        }
        PolicyApi policies = quickstart.policies();
        if (policies != null) {
            check(client, samples.injected(), null);
            policies.openAdmin();
            check(client, samples.openedPath(), quickstart.key());
            policies.closeAdmin();
            check(client, samples.closedPath(), null);
            String rotated = quickstart.rotateKey(policies);
            check(client, samples.rotated(), rotated);
            keys.add(rotated);
        }
        report("The audit log names the key and its place, and never shows its value.", auditFault(keys));
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
    private void check(Client client, SampleRequest sample, @Nullable String key) throws Failure, InterruptedException {
        SampleResponse answer = client.send(sample);
        JsonNode record = records.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String fault = answerFault(sample, answer, key);
        if (fault == null) {
            fault = recordFault(sample, record);
        }
        if (record != null) {
            seen.add(record);
        }
        report(sample.title(), fault);
    }

    private static @Nullable String answerFault(SampleRequest sample, SampleResponse answer, @Nullable String key) {
        if (answer.status() != sample.status()) {
            return "the workload got " + answer.status() + " (expected: " + sample.status() + "): "
                    + answer.body().strip().replaceAll("\\s+", " ");
        }
        if (!answer.body().contains(sample.sign())) {
            return "the answer does not say " + sample.sign() + ": "
                    + answer.body().strip();
        }
        return key == null || answer.body().contains("Bearer " + key)
                ? null
                : "the API did not receive the key (expected: the key instead of the placeholder)";
    }

    private static @Nullable String recordFault(SampleRequest sample, @Nullable JsonNode record) {
        if (record == null) {
            return "no audit record (expected: one)";
        }
        String action = record.path("audit").path("action").asText();
        int status = record.path("audit").path("status_code").asInt();
        if (!action.equals(sample.action()) || status != sample.status()) {
            return "the audit record says " + action + " " + status + " (expected: " + sample.action() + " "
                    + sample.status() + ")";
        }
        return record.toString().contains(sample.sign()) ? null : "the audit record does not say " + sample.sign();
    }

    private @Nullable String auditFault(List<String> keys) {
        if (!records.isEmpty()) {
            return records.size() + " audit records too many (expected: one for each request)";
        }
        String log = seen.toString();
        if (keys.stream().anyMatch(log::contains)) {
            return "the key is in the audit log";
        }
        return SWAP.matcher(log).find()
                ? null
                : "the swap is not in the audit log (expected: " + DemoNames.SECRET + ", header:Authorization)";
    }

    /** The problem with the answer for this path, which should contain a text; null for none. */
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
            return "it does not answer: " + e.getMessage();
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
