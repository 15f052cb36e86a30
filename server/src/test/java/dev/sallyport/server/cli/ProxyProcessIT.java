package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.server.metrics.ExpositionLint;
import dev.sallyport.server.plugin.PluginJar;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged proxy at work: requests, signals, plug-ins, the quickstart. */
class ProxyProcessIT {

    private static final String TUNNEL = "listening on \\S*:(\\d+) \\(tunnel_listen\\)";
    private static final String HEALTH = "listening on \\S*:(\\d+) \\(metrics.listen\\)";
    private static final String READY = "ready after (\\d+) ms";

    @TempDir
    private Path folder;

    private final CountDownLatch hold = new CountDownLatch(1);
    private final CountDownLatch held = new CountDownLatch(1);
    private HttpServer upstream;

    @BeforeEach
    void start() throws Exception {
        upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        upstream.createContext(
                "/",
                exchange -> answer(
                        exchange, "plug-in: " + exchange.getRequestHeaders().get("X-Plugin")));
        upstream.createContext("/slow", exchange -> {
            held.countDown();
            try {
                hold.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer(exchange, "late");
        });
        upstream.start();
        assertThat(Sallyport.run(folder, "generate-ca").code()).isZero();
        write("localhost");
    }

    @AfterEach
    void stop() {
        hold.countDown();
        upstream.stop(0);
    }

    @Test
    void serves_and_writes_the_audit_log_to_standard_output_alone() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            // given
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));

            // when
            String allowed =
                    ask(port, "http://localhost:" + upstream.getAddress().getPort() + "/x");
            String refused = ask(port, "http://elsewhere.test/");
            proxy.signal("TERM");
            Sallyport.Ended ended = proxy.await();

            // then
            assertThat(allowed).startsWith("HTTP/1.1 200 ");
            assertThat(refused).startsWith("HTTP/1.1 403 ").contains("application/problem+json");
            List<String> lines = ended.out().lines().toList();
            assertThat(lines).hasSize(2);
            assertThat(action(lines.get(0))).isEqualTo("allow");
            assertThat(action(lines.get(1))).isEqualTo("reject");
            assertThat(ended.code()).isZero();
        }
    }

    /**
     * docs/decisions/0003: a class that Java makes at run time costs a millisecond or more, while somebody waits.
     * Pattern switches are such, and picocli's classes are in no archive.
     */
    @Test
    void a_start_and_a_first_answer_need_nothing_that_no_archive_holds() throws Exception {
        Map<String, String> logged = Map.of("SALLYPORT_JAVA_OPTS", "-Xlog:class+load:file=classes.log");
        try (Sallyport proxy = Sallyport.start(Sallyport.distribution(), folder, logged, "-config", "proxy.yaml")) {
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));
            assertThat(ask(port, "http://localhost:" + upstream.getAddress().getPort() + "/x"))
                    .startsWith("HTTP/1.1 200 ");
            proxy.signal("TERM");
            assertThat(proxy.await().code()).isZero();
        }

        List<String> classes = Files.readAllLines(folder.resolve("classes.log"));
        assertThat(classes).anyMatch(line -> line.contains("dev.sallyport.core.net.http1.ClientHttp1Connection"));
        assertThat(classes.stream()
                        .filter(line -> line.matches(".* (picocli\\.|dev\\.sallyport\\S*TypeSwitch).*"))
                        .toList())
                .isEmpty();
    }

    @Test
    void healthz_answers_on_metrics_listen() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            int port = Integer.parseInt(proxy.awaitErr(HEALTH));

            assertThat(ask(port, "/healthz")).startsWith("HTTP/1.1 200 ").endsWith("OK");
        }
    }

    @Test
    void metrics_tell_what_the_proxy_has_done() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            // given
            int metrics = Integer.parseInt(proxy.awaitErr(HEALTH));
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));

            // when
            ask(port, "http://localhost:" + upstream.getAddress().getPort() + "/x");
            ask(port, "http://elsewhere.test/");

            // then: counted when their records are written
            Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(ask(metrics, "/metrics"))
                                    .contains(
                                            "sallyport_exchanges_total{action=\"allow\",protocol=\"http/1.1\",status=\"2xx\"} 1.0")
                                    .contains(
                                            "sallyport_exchanges_total{action=\"reject\",protocol=\"http/1.1\",status=\"4xx\"} 1.0"));
            String text = ask(metrics, "/metrics");
            assertThat(text)
                    .contains("\nsallyport_rejections_total{transform=\"allowlist\"} 1.0\n")
                    .contains("\nsallyport_exchange_duration_seconds_count{action=\"allow\"} 1\n")
                    .contains("\nsallyport_generation 1.0\n")
                    .contains("\nsallyport_upstream_dials_total 1.0\n")
                    .containsPattern("\nsallyport_loop_turn_duration_seconds_bucket\\{le=\"[0-9.]+\"} [1-9]")
                    .containsPattern("\nsallyport_loop_turn_duration_seconds_count [1-9]");

            // and: in words that Prometheus expects
            assertThat(ExpositionLint.problems(text.substring(text.indexOf("# "))))
                    .isEmpty();

            // and: the guide names each of them
            Set<String> told = Pattern.compile("(?m)^# TYPE (\\S+)")
                    .matcher(text)
                    .results()
                    .map(line -> line.group(1))
                    .collect(Collectors.toSet());
            assertThat(Files.readString(Path.of("../docs/metrics.md"))).contains(told);
        }
    }

    @Test
    void sighup_reloads_and_a_bad_file_changes_nothing() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            // given: a proxy that refuses elsewhere.localhost
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));
            String url = "http://elsewhere.localhost:" + upstream.getAddress().getPort() + "/";
            assertThat(ask(port, url)).startsWith("HTTP/1.1 403 ");

            // when: the file allows it
            write("elsewhere.localhost");
            proxy.signal("HUP");

            // then
            assertThat(proxy.awaitErr("reloaded: generation (\\d+)")).isEqualTo("2");
            assertThat(ask(port, url)).startsWith("HTTP/1.1 200 ");

            // when: the file is broken
            Files.writeString(folder.resolve("proxy.yaml"), "proxy: {http_lisen: 1}\n");
            proxy.signal("HUP");

            // then: it is told, and the old one goes on
            proxy.awaitErr("not reloaded, generation (2) goes on: \\d+ problems in the configuration");
            proxy.awaitErr("proxy.yaml:1:9: /proxy/http_lisen: (unknown key)");
            assertThat(ask(port, url)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void sigterm_lets_an_exchange_end_and_exits_with_0() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            // given: an exchange under way
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                send(client, "http://localhost:" + upstream.getAddress().getPort() + "/slow");
                held.await();

                // when
                proxy.signal("TERM");
                proxy.awaitErr("(stopping)");
                hold.countDown();

                // then
                String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("late");
            }
            Sallyport.Ended ended = proxy.await();
            assertThat(ended.code()).isZero();
            assertThat(action(ended.out().strip())).isEqualTo("allow");
        }
    }

    @Test
    @Tag("long")
    void a_second_signal_ends_it_at_once() throws Exception {
        try (Sallyport proxy = Sallyport.start(folder, "-config", "proxy.yaml")) {
            proxy.awaitErr(READY);
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                send(client, "http://localhost:" + upstream.getAddress().getPort() + "/slow");
                held.await();
                proxy.signal("INT");
                proxy.awaitErr("(stopping: waiting)");

                proxy.signal("INT");

                assertThat(proxy.await().code()).isEqualTo(130);
            }
        }
    }

    /** No thread of Java's can be ended from outside: the process is. */
    @Test
    @Tag("long")
    void inline_code_that_never_returns_does_not_outlive_sigterm() throws Exception {
        try (Sallyport proxy = startWithAnEndlessPlugin("1s");
                Socket client = blocked(proxy)) {
            String metrics = ask(Integer.parseInt(proxy.awaitErr(HEALTH)), "/metrics");

            // when
            proxy.signal("TERM");
            Sallyport.Ended ended = proxy.await();

            // then
            assertThat(metrics).contains("\nsallyport_loop_blocked_total{transform=\"endless\"} 1.0\n");
            assertThat(ExpositionLint.problems(metrics.substring(metrics.indexOf("# "))))
                    .isEmpty();
            assertThat(client.isConnected()).isTrue();
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.err())
                    .containsPattern(
                            "shutting down without waiting any longer: event loop \\S+ is blocked by transform endless at .*plug\\.Endless\\.search")
                    .contains("drain timed out");
        }
    }

    @Tag("long")
    @Test
    void a_second_sigterm_does_not_wait_for_inline_code_that_never_returns() throws Exception {
        try (Sallyport proxy = startWithAnEndlessPlugin("10m");
                Socket client = blocked(proxy)) {
            proxy.signal("TERM");
            proxy.awaitErr("(stopping: waiting)");

            proxy.signal("TERM");

            assertThat(client.isConnected()).isTrue();
            assertThat(proxy.await().code()).isEqualTo(143);
        }
    }

    private Sallyport startWithAnEndlessPlugin(String drainTimeout) throws IOException {
        Path distribution = copyOfTheDistribution();
        PluginJar.endlessTransform("endless").write(distribution.resolve("plugins/endless/endless.jar"));
        Files.writeString(
                folder.resolve("proxy.yaml"),
                String.join("\n", LauncherIT.good())
                                .replace("}}]", "}}, {name: endless}]")
                                .replace("proxy: {", "proxy: {limits: {drain_timeout: " + drainTimeout + "}, ")
                        + "\n");
        return Sallyport.start(distribution, folder, Map.of(), "-config", "proxy.yaml");
    }

    /** A client whose request holds a loop, which has been noticed. */
    private Socket blocked(Sallyport proxy) throws IOException {
        proxy.awaitErr(READY);
        int port = Integer.parseInt(proxy.awaitErr(TUNNEL));
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        send(client, "http://localhost:" + upstream.getAddress().getPort() + "/x");
        proxy.awaitErr("is blocked by transform (endless) at");
        return client;
    }

    @Test
    void a_plugin_dropped_into_the_distribution_works() throws Exception {
        // given: a distribution with a third-party jar
        Path distribution = copyOfTheDistribution();
        PluginJar.headerTransform("header_stamp", "from-elsewhere")
                .write(distribution.resolve("plugins/stamp/stamp.jar"));
        Files.writeString(
                folder.resolve("proxy.yaml"),
                String.join("\n", LauncherIT.good()).replace("}}]", "}}, {name: header_stamp}]") + "\n");

        try (Sallyport proxy = Sallyport.start(distribution, folder, Map.of(), "-config", "proxy.yaml")) {
            // when
            proxy.awaitErr("allowlist > (header_stamp)");
            int port = Integer.parseInt(proxy.awaitErr(TUNNEL));

            // then
            assertThat(ask(port, "http://localhost:" + upstream.getAddress().getPort() + "/"))
                    .endsWith("plug-in: [from-elsewhere]");
        }
    }

    @Test
    void a_broken_plugin_keeps_the_server_from_starting() throws Exception {
        Path distribution = copyOfTheDistribution();
        Path jar = PluginJar.broken(distribution.resolve("plugins/odd/odd.jar"));

        try (Sallyport proxy = Sallyport.start(distribution, folder, Map.of(), "-config", "proxy.yaml")) {
            Sallyport.Ended ended = proxy.await();

            assertThat(ended.err()).isEqualTo("sallyport: " + jar + ": cannot be opened (expected: a jar)\n");
            assertThat(ended.code()).isEqualTo(1);
        }
    }

    @Test
    void an_override_from_the_environment_and_the_variables_of_the_launcher() throws Exception {
        Map<String, String> environment =
                Map.of("SALLYPORT_LOG_LEVEL", "warn", "SALLYPORT_JAVA_OPTS", "-Dx=y", "SALLYPORT_ARCHIVE", "off");
        assertThat(check(environment).out()).startsWith("proxy.yaml: good, with 1 transform\n");
    }

    @Test
    void check_warns_of_variables_without_which_it_would_not_start() throws Exception {
        String[] more = {
            "management: {listen: \"127.0.0.1:0\", api_key_env: KEY_OF_MANAGEMENT}",
            "control_plane: {url: \"https://control.example.com\"}"
        };
        Files.writeString(
                folder.resolve("proxy.yaml"),
                String.join("\n", LauncherIT.good()) + "\n" + String.join("\n", more) + "\n");
        Map<String, String> set = Map.of("KEY_OF_MANAGEMENT", "k", "SALLYPORT_PROXY_TOKEN", "t");

        Sallyport.Ended without = check(Map.of("KEY_OF_MANAGEMENT", ""));
        Sallyport.Ended with = check(set);

        assertThat(without.out())
                .contains(
                        "warning: proxy.yaml:6:",
                        "/management/api_key_env: the environment variable KEY_OF_MANAGEMENT is empty"
                                + " (expected: the key of the management API)\n",
                        "/control_plane/token_env: the environment variable SALLYPORT_PROXY_TOKEN is not set"
                                + " (expected: a value, for the start)\n",
                        "proxy.yaml: good, with 1 transform, 2 warnings\n");
        assertThat(with.out()).startsWith("proxy.yaml: good, with 1 transform\n");
    }

    @Test
    void check_warns_of_the_variables_of_a_control_plane_alone() throws Exception {
        String[] lines = {
            "metrics: {listen: disabled}",
            "control:",
            "  listen: \"127.0.0.1:0\"",
            "  encryption: {key_env: KEY}",
            "  database: {url: \"jdbc:postgresql://127.0.0.1/x\", user_env: NAME, password_env: PASSWORD}",
            "  mail: {smtp_host: mail.example.com, from: a@example.com, username_env: MAIL_NAME, password_env: MAIL_PASSWORD}"
        };
        Files.writeString(folder.resolve("proxy.yaml"), String.join("\n", lines) + "\n");

        String out = check(Map.of("NAME", "n")).out();

        assertThat(out.lines().filter(line -> line.startsWith("warning: ")))
                .extracting(line -> line.substring(line.indexOf(" /") + 1, line.indexOf(": the environment variable")))
                .containsExactlyInAnyOrder(
                        "/control/encryption/key_env",
                        "/control/database/password_env",
                        "/control/mail/username_env",
                        "/control/mail/password_env");
        assertThat(out).contains("proxy.yaml: good, for sallyport control, 4 warnings\n");
    }

    private Sallyport.Ended check(Map<String, String> environment) throws Exception {
        try (Sallyport check =
                Sallyport.start(Sallyport.distribution(), folder, environment, "check", "-config", "proxy.yaml")) {
            return check.await();
        }
    }

    @Tag("long")
    @Test
    void quickstart_check_is_good() throws Exception {
        Sallyport.Ended ended = Sallyport.run(folder, "quickstart", "--check");

        assertThat(ended.out()).doesNotContain("FAIL").contains("ok  ").endsWith("all good\n");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
    }

    @Test
    @Tag("long")
    void quickstart_shows_what_to_try_and_the_audit_log_and_keeps_what_the_user_wrote() throws Exception {
        for (String how : List.of("first", "again")) {
            try (Sallyport quickstart = Sallyport.start(folder, "quickstart")) {
                // when: somebody tries what it shows
                quickstart.awaitOut("(The audit log)");
                int port = Integer.parseInt(quickstart.awaitOut("curl -x http://127.0.0.1:(\\d+) .*https://elsewhere"));
                assertThat(ask(port, "http://elsewhere.demo.test/" + how)).startsWith("HTTP/1.1 403 ");

                // and: changes the policy, as it says
                if (how.equals("first")) {
                    assertThat(shell(quickstart.awaitOut("(curl 'http://[^\n]+)")))
                            .contains("\"name\":\"admin\"");
                }

                // then: it shows the record, without colours since nobody looks
                quickstart.awaitOut("REJECT  403  GET (elsewhere.demo.test:80/" + how + ")");
                assertThat(quickstart.out()).doesNotContain("\u001b");
                quickstart.signal("INT");
                assertThat(quickstart.await().code()).isZero();
            }
            Path config = folder.resolve(".sallyport/quickstart/proxy.yaml");
            if (how.equals("again")) {
                assertThat(config).content().endsWith("# mine\n");
            }
            Files.writeString(config, Files.readString(config) + "# mine\n");
        }
    }

    @Test
    @Tag("long")
    void quickstart_json_keeps_standard_output_for_records() throws Exception {
        try (Sallyport quickstart = Sallyport.start(folder, "quickstart", "--json")) {
            quickstart.awaitErr("(The audit log)");
            int port = Integer.parseInt(quickstart.awaitErr("curl -x http://127.0.0.1:(\\d+) .*https://elsewhere"));
            ask(port, "http://elsewhere.demo.test/");
            quickstart.signal("TERM");

            Sallyport.Ended ended = quickstart.await();
            assertThat(action(ended.out().strip())).isEqualTo("reject");
            assertThat(ended.code()).isZero();
        }
    }

    private static String shell(String line) throws IOException {
        Process process =
                new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private Path copyOfTheDistribution() throws IOException {
        Path copy = folder.resolve("distribution");
        Path original = Sallyport.distribution();
        for (String part : List.of("bin", "plugins")) {
            Files.createDirectories(copy.resolve(part));
            try (Stream<Path> files = Files.list(original.resolve(part))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, copy.resolve(part).resolve(file.getFileName()));
                }
            }
        }
        copy.resolve("bin/sallyport").toFile().setExecutable(true);
        return Files.createSymbolicLink(copy.resolve("lib"), original.resolve("lib"))
                .getParent();
    }

    /** The API and the signal reload in the same way, and the key is nowhere to be seen. */
    @Test
    void the_management_api_reloads_as_the_signal_does() throws Exception {
        String key = "the-key-of-this-test";
        Files.writeString(
                folder.resolve("proxy.yaml"),
                Files.readString(folder.resolve("proxy.yaml")) + "management: {listen: \"127.0.0.1:0\"}\n");
        Map<String, String> environment = Map.of("PROXY_MANAGEMENT_API_KEY", key);
        try (Sallyport proxy =
                Sallyport.start(Sallyport.distribution(), folder, environment, "-config", "proxy.yaml")) {
            int management = Integer.parseInt(proxy.awaitErr("listening on \\S*:(\\d+) \\(management.listen\\)"));
            proxy.awaitErr(READY);
            assertThat(ask(management, "/readyz")).startsWith("HTTP/1.1 200 ");
            assertThat(ask(management, "/v1/status")).startsWith("HTTP/1.1 401 ");

            // when: by the API, then by the signal
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), management)) {
                client.getOutputStream()
                        .write(("POST /v1/reload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "
                                        + key + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .endsWith("\r\n\r\n{\"status\":\"ok\",\"generation\":2}");
            }
            proxy.awaitErr("reloaded: generation (2) ");
            proxy.signal("HUP");
            proxy.awaitErr("reloaded: generation (3) ");
            proxy.signal("TERM");
            Sallyport.Ended ended = proxy.await();

            // then
            assertThat(ended.code()).isZero();
            assertThat(ended.out() + ended.err()).doesNotContain(key);
        }
    }

    /** Without a key there is no start, and no port is opened. */
    @Test
    void a_management_api_without_a_key_is_refused() throws Exception {
        Files.writeString(
                folder.resolve("proxy.yaml"),
                Files.readString(folder.resolve("proxy.yaml")) + "management: {listen: \"127.0.0.1:0\"}\n");

        Sallyport.Ended ended = Sallyport.run(folder, "-config", "proxy.yaml");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .contains("the environment variable PROXY_MANAGEMENT_API_KEY is not set")
                .doesNotContain("listening on");
    }

    private void write(String domain) throws IOException {
        Files.writeString(
                folder.resolve("proxy.yaml"),
                String.join("\n", LauncherIT.good()).replace("[localhost]", "[" + domain + "]") + "\n");
    }

    private static String action(String line) throws IOException {
        JsonNode record = new ObjectMapper().readTree(line);
        return record.path("audit").path("action").asText();
    }

    private static String ask(int port, String target) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            send(client, target);
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void send(Socket client, String target) throws IOException {
        String host = target.startsWith("http://") ? target.substring(7).replaceAll("/.*", "") : "localhost";
        client.getOutputStream()
                .write(("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
