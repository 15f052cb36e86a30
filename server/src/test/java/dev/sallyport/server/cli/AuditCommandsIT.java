package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.chain.AuditKey;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport audit}, and the chain of a packaged server that is killed: docs/audit.md. */
class AuditCommandsIT {

    private static final String TUNNEL = "listening on \\S*:(\\d+) \\(tunnel_listen\\)";
    private static final String READY = "(ready) after \\d+ ms";
    private static final String ANSWER = "HTTP/1.1 204 No Content\r\n\r\n";

    @TempDir
    private Path folder;

    private ServerSocket origin;
    private String authority;

    @BeforeEach
    void start() throws Exception {
        origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        authority = "localhost:" + origin.getLocalPort();
        Thread.ofVirtual().start(this::accept);
        assertThat(Sallyport.run(folder, "generate-ca").code()).isZero();
        String[] lines = LauncherIT.good();
        lines[4] = "transforms: [{name: allowlist, config: {domains: [localhost]}}, {name: secrets, config: {secrets: "
                + "[{source: {type: env, var: TOKEN}, inject: {header: X-Token}, rules: [{host: localhost}]}]}}]";
        Files.writeString(
                folder.resolve("proxy.yaml"),
                String.join("\n", lines)
                        + "\nlog: {audit: {file: audit.jsonl, chain: true, slots: 1024, rotate: {size: 1MiB}}}\n");
    }

    @AfterEach
    void stop() throws IOException {
        origin.close();
    }

    private void accept() {
        while (!origin.isClosed()) {
            try {
                Socket socket = origin.accept();
                Thread.ofVirtual().start(() -> answer(socket));
            } catch (IOException e) {
                return; // The test has ended.
            }
        }
    }

    private static void answer(Socket socket) {
        try (socket) {
            while (head(socket).endsWith("\r\n\r\n")) {
                socket.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // The proxy was killed.
        }
    }

    private static String head(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private Sallyport proxy() throws IOException {
        return Sallyport.start(
                Sallyport.distribution(), folder, Map.of("TOKEN", "s3cr3t-value"), "-config", "proxy.yaml");
    }

    private static int port(Sallyport proxy) {
        proxy.awaitErr(READY);
        return Integer.parseInt(proxy.awaitErr(TUNNEL));
    }

    private boolean ask(Socket client, String path) throws IOException {
        String request = "GET http://" + authority + path + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
        client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return head(client).startsWith("HTTP/1.1 204 ");
    }

    private void requests(int port, int count) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < count; i++) {
                assertThat(ask(client, "/" + i)).isTrue();
            }
        }
    }

    /** So many requests, an orderly end. */
    private void serve(int count) throws Exception {
        try (Sallyport proxy = proxy()) {
            requests(port(proxy), count);
            proxy.signal("TERM");
            assertThat(proxy.await().code()).isZero();
        }
    }

    private Sallyport.Ended audit(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("audit"));
        all.addAll(List.of(arguments));
        return Sallyport.run(folder, all.toArray(new String[0]));
    }

    private String[] verify(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("verify"));
        arguments.addAll(List.of(more));
        try (var all = Files.list(folder)) {
            all.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("audit.jsonl"))
                    .sorted()
                    .forEach(arguments::add);
        }
        return arguments.toArray(new String[0]);
    }

    private static String lastLines(Sallyport.Ended ended) {
        List<String> lines = ended.out().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 2), lines.size()));
    }

    @Test
    @Tag("long")
    void a_process_that_is_killed_under_load_leaves_a_chain_that_verifies() throws Exception {
        kill(2);
    }

    @Tag("long")
    @Test
    void however_often_it_is_killed() throws Exception {
        kill(20);
    }

    private void kill(int times) throws Exception {
        Path file = folder.resolve("audit.jsonl");
        Path checkpoints = folder.resolve("audit.jsonl.checkpoints");
        Path rotated = folder.resolve("audit.jsonl.checkpoints.000001");
        for (int i = 0; i < times; i++) {
            AtomicInteger answered = new AtomicInteger();
            boolean first = i == 0;
            try (Sallyport proxy = proxy()) {
                int port = port(proxy);
                List<Thread> load = new ArrayList<>();
                for (int c = 0; c < 8; c++) {
                    load.add(Thread.ofVirtual().start(() -> load(port, answered)));
                }
                int enough = 300 + 137 * (i % 5);
                Awaitility.await()
                        .until(() -> answered.get() >= enough
                                && (first ? Files.size(checkpoints) > 0 : Files.exists(rotated)));
                proxy.signal("KILL");
                proxy.await();
                for (Thread client : load) {
                    client.join();
                }
            }
            if (i % 2 == 1 && Files.readString(file).endsWith("\n")) {
                // A kill hardly ever hits the middle of a write, so here is what it would leave.
                String whole = Files.readAllLines(file).getLast();
                Files.writeString(file, Files.readString(file) + whole.substring(0, 20 + 31 * i % 300));
            }
        }
        serve(1);
        assertThat(folder.resolve("audit.jsonl.000001")).exists();

        Sallyport.Ended verified = audit(verify());

        assertThat(lastLines(verified)).isEqualTo("integrity: ok\ncompleteness: unknown (no head)");
        assertThat(verified.code()).isZero();
        assertThat(verified.out()
                        .lines()
                        .filter(line -> line.startsWith("sealed: "))
                        .count())
                .isGreaterThanOrEqualTo(times / 2);
        List<String> ids = new ArrayList<>();
        try (var all = Files.list(folder)) {
            for (Path part : all.filter(path -> path.getFileName().toString().matches("audit\\.jsonl(\\.\\d+)?"))
                    .toList()) {
                Files.readAllLines(part).stream()
                        .filter(line -> line.contains("\"msg\":\"request\",\"schema_version\":1,\"seq\":")
                                && line.endsWith("\"}"))
                        .forEach(line -> ids.add(line.replaceFirst(".*\"exchange_id\":\"([^\"]*)\".*", "$1")));
            }
        }
        assertThat(ids)
                .as("one record for each exchange")
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(300 * times);
    }

    private void load(int port, AtomicInteger answered) {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String path = "/load?" + "x".repeat(4000); // so that 1 MiB is soon full
            while (ask(client, path)) {
                answered.incrementAndGet();
            }
        } catch (IOException e) {
            // It was killed.
        }
    }

    @Tag("long")
    @Test
    void what_was_changed_by_hand_is_named() throws Exception {
        serve(6);
        Path file = folder.resolve("audit.jsonl");
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(6);
        Sallyport.Ended head = audit("head", "audit.jsonl");
        Files.writeString(folder.resolve("head.note"), head.out());
        assertThat(head.code()).isZero();
        assertThat(head.out())
                .matches("(?s)sallyport/[0-9a-f]{16}\n6\n[A-Za-z0-9+/]{43}=\ntime \\S+Z\n\n\u2014 sallyport/.*\n");
        assertThat(lastLines(audit(verify("--head", "head.note")))).isEqualTo("integrity: ok\ncompleteness: ok");
        // As the control plane hands it out.
        Files.writeString(
                folder.resolve("cosigned.note"), AuditKey.generate("control").cosign(head.out()));
        assertThat(lastLines(audit(verify("--head", "cosigned.note")))).isEqualTo("integrity: ok\ncompleteness: ok");

        Files.writeString(file, String.join("\n", lines).replace("\"/2\"", "\"/9\"") + "\n");
        Sallyport.Ended changed = audit(verify("--key", "audit.jsonl.pub"));
        assertThat(lastLines(changed))
                .isEqualTo("integrity: broken at audit.jsonl:3 seq 3\ncompleteness: unknown (no head)");
        assertThat(changed.code()).isEqualTo(1);

        List<String> fewer = new ArrayList<>(lines);
        fewer.remove(3);
        Files.writeString(file, String.join("\n", fewer) + "\n");
        assertThat(lastLines(audit(verify())))
                .isEqualTo("integrity: broken at audit.jsonl:4 seq 4\ncompleteness: unknown (no head)");

        Files.writeString(file, String.join("\n", lines.subList(0, 4)) + "\n");
        for (String note : List.of("head.note", "cosigned.note")) {
            Sallyport.Ended cut = audit(verify("--head", note));
            assertThat(lastLines(cut)).isEqualTo("integrity: ok\ncompleteness: cut after seq 4");
            assertThat(cut.code()).isEqualTo(1);
        }
    }

    @Test
    @Tag("long")
    void which_records_used_a_secret() throws Exception {
        serve(3);
        Process hash = hash("s3cr3t-value\n");
        String fingerprint = new String(hash.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        assertThat(hash.waitFor()).isZero();
        assertThat(fingerprint).matches("[0-9a-f]{16}");

        Sallyport.Ended found = audit("grep", fingerprint, "audit.jsonl");
        Sallyport.Ended raw = audit("grep", "--json", "GET localhost:\\d+/1 ", "audit.jsonl");
        Sallyport.Ended none = audit("grep", "no-such-thing", "audit.jsonl");
        // audit.jsonl* names the private key, too
        Sallyport.Ended beside = audit("grep", "PRIVATE", "audit.jsonl", "audit.jsonl.inflight", "audit.jsonl.key");
        Process nothing = hash("");

        assertThat(found.out().lines().filter(line -> line.contains("ALLOW"))).hasSize(3);
        assertThat(found.out())
                .contains("secrets: injected TOKEN (" + fingerprint + ") in header:X-Token")
                .doesNotContain("\u001b");
        JsonNode record = new ObjectMapper().readTree(raw.out());
        assertThat(record.path("seq").asInt()).isEqualTo(2);
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.out()).isEmpty();
        assertThat(Files.readString(folder.resolve("audit.jsonl.key"))).contains("PRIVATE");
        assertThat(beside.out()).isEmpty();
        assertThat(new String(nothing.getErrorStream().readAllBytes(), StandardCharsets.US_ASCII))
                .isEqualTo("sallyport: standard input is empty (expected: the value of a secret)\n");
        assertThat(nothing.waitFor()).isEqualTo(1);
    }

    private Process hash(String value) throws IOException {
        Path input = Files.writeString(folder.resolve("value"), value);
        return new ProcessBuilder(
                        Sallyport.distribution().resolve("bin/sallyport").toString(),
                        "audit",
                        "hash",
                        "-config",
                        "proxy.yaml")
                .directory(folder.toFile())
                .redirectInput(input.toFile())
                .start();
    }

    @Test
    @Tag("long")
    void the_tail_follows_over_rotations() throws Exception {
        serve(3);
        Sallyport.Ended shown = audit("tail", "--no-follow", "-n", "2", "audit.jsonl");
        assertThat(shown.out().lines().filter(line -> line.contains(" GET "))).hasSize(2);
        try (Sallyport tail = Sallyport.start(folder, "audit", "tail", "--json", "-n", "1", "audit.jsonl")) {
            tail.awaitOut("(\"seq\":3),");
            try (Sallyport proxy = proxy()) {
                int port = port(proxy);
                requests(port, 1);
                tail.awaitOut("(\"seq\":4),");
                // when: 1 MiB is full
                requests(port, 2500);
                assertThat(folder.resolve("audit.jsonl.000001")).exists();
                tail.awaitOut("(\"seq\":2504),");
                proxy.signal("TERM");
                proxy.await();
            }
            List<Long> numbers = tail.out()
                    .lines()
                    .map(line -> Long.parseLong(line.replaceFirst(".*?\"seq\":(\\d+),.*", "$1")))
                    .toList();
            assertThat(numbers).hasSize(2502).isSorted().doesNotHaveDuplicates();
        }
    }
}
