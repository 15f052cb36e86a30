package dev.sallyport.server.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.server.init.FakeTools;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import dev.sallyport.testsupport.TestOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The pages of docs/recipes, command by command in a shell of the operator and one of the workload, against the packaged proxy. Only this differs from what a
 * reader does: package managers and git are programs of the test, an origin on loopback stands for the hosts, on a port
 * that is put into the addresses, and the proxy listens on a free port.
 */
class RecipesIT {

    private static final Path RECIPES = Path.of("..", "docs", "recipes");
    private static final Duration PATIENCE = Patience.seconds(60);
    private static final String LISTEN = "127.0.0.1:3128";

    @TempDir
    private Path folder;

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private TestOrigin origin;
    private TestDnsServer names;
    private Path work;
    private Process operator;
    private Process workload;
    private int asked;
    private String proxy = LISTEN;

    @BeforeEach
    void prepare() throws Exception {
        for (String tool : List.of("bash", "curl", "patch")) {
            assumeTrue(works(tool), "needs " + tool);
        }
        work = Files.createDirectories(folder.resolve("work"));
        names = new TestDnsServer();
    }

    @AfterEach
    void end() throws Exception {
        for (Process shell :
                Stream.of(operator, workload).filter(Objects::nonNull).toList()) {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
        if (origin != null) {
            origin.close();
        }
        names.close();
    }

    @ParameterizedTest
    @CsvSource({
        "coding-agent, api.anthropic.com, the-real-key",
        "ci, packages.example.com git.example.com deploy.example.com, the-real-token",
        "packages, packages.example.com, ''",
        "observe, api.example.com, ''"
    })
    @Tag("long")
    void page(String name, String hosts, String credential) throws Exception {
        // given
        ConsoleBlocks page = ConsoleBlocks.of(Files.readString(RECIPES.resolve(name + ".md")));
        serve(hosts.split(" ", -1));
        operator = open("operator");
        workload = open("workload");

        // when
        for (ConsoleBlocks.Command command : page.commands()) {
            String where = name + ".md:" + command.line() + ": " + command.text();
            if (command.inBackground()) {
                start(command);
            } else {
                String printed = run(command.text());
                assertThat(command.matches(plain(printed)))
                        .as(where + "\nprinted:\n" + printed + "\nexpected:\n" + String.join("\n", command.output()))
                        .isTrue();
                if (command.text().startsWith("kill -HUP")) {
                    awaitErr("reloaded: generation");
                }
            }
        }

        // then
        assertThat(page.commands()).hasSizeGreaterThan(6);
        assertThat(String.join("\n", received)).contains(credential).doesNotContain("placeholder");
        assertThat(Files.readString(work.resolve("audit.jsonl"))).doesNotContain("the-real");
    }

    @Test
    void every_case_of_init_has_a_page() throws Exception {
        try (var pages = Files.list(RECIPES)) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrder("coding-agent.md", "ci.md", "packages.md", "observe.md");
        }
    }

    private void serve(String... hosts) throws IOException {
        TestCertificates certificates = new TestCertificates(folder, hosts);
        for (String host : hosts) {
            names.address(host, "127.0.0.1", 60);
        }
        origin = TestOrigin.tls(certificates.origin, TestOrigin.always(request -> {
            received.add(request.toString());
            return TestOrigin.ok("{}");
        }));
    }

    /** A shell as a reader has it. */
    private Process open(String name) throws IOException {
        FakeTools tools = new FakeTools(folder)
                .with("npm", "echo https://packages.example.com/npm/")
                .with("pip", """
                        case "$*" in
                            *--report*) echo '{"install":[{"download_info":{"url":"https://files.example.com/pip.whl"}}]}' ;;
                            *) echo "global.index-url='https://packages.example.com/simple'" ;;
                        esac
                        """)
                .with("git", "printf 'origin\\thttps://git.example.com/acme/tool.git (fetch)\\n'")
                .with(
                        "sallyport",
                        "exec env --default-signal=HUP --default-signal=TERM '"
                                + Sallyport.distribution().resolve("bin/sallyport") + "' \"$@\"");
        ProcessBuilder builder = new ProcessBuilder("bash", "--norc", "--noprofile")
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".txt").toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(tools.environment());
        environment.merge("PATH", "/usr/local/bin:/usr/bin:/bin", (own, others) -> own + ":" + others);
        environment.putAll(Sallyport.JAVA);
        environment.put("LC_ALL", "C.UTF-8");
        return builder.start();
    }

    /** Starts the proxy, with what differs here in its environment, and waits until clients can connect. */
    private void start(ConsoleBlocks.Command command) throws IOException {
        String text = command.text().substring(0, command.text().length() - 2);
        say(
                operator,
                "SALLYPORT_PROXY_TUNNEL_LISTEN=127.0.0.1:0 SALLYPORT_METRICS_LISTEN=127.0.0.1:0"
                        + " SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS='[]'"
                        + " SALLYPORT_DNS_UPSTREAM_RESOLVER=127.0.0.1:"
                        + names.address().getPort()
                        + " SALLYPORT_TLS_UPSTREAM_CA=" + folder.resolve("origin.pem") + " " + text + " >/dev/null 2>"
                        + folder.resolve("proxy.txt") + " &");
        awaitErr("ready after");
        proxy = "127.0.0.1:" + awaitErr("listening on \\S*:(\\d+) \\(tunnel_listen\\)");
    }

    private String run(String command) throws IOException {
        asked++;
        Path output = folder.resolve("output." + asked);
        Path done = folder.resolve("done." + asked);
        String here = command.replace(LISTEN, proxy)
                .replaceAll("(https://[a-z.]+\\.(?:com|net))/", "$1:" + origin.port() + "/");
        boolean inWorkload = Stream.of("curl ", "eval ", "export ").anyMatch(command::startsWith);
        say(inWorkload ? workload : operator, "{ " + here + "\n} >" + output + " 2>&1 </dev/null; echo $? >" + done);
        Awaitility.await(command).atMost(PATIENCE).until(() -> Files.exists(done) && Files.size(done) > 0);
        return Files.readString(output);
    }

    private static void say(Process shell, String line) throws IOException {
        OutputStream in = shell.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /** What a reader sees, whose origins are on the usual port. */
    private String plain(String printed) {
        return printed.replace(":" + origin.port(), "").replaceAll("(?m)^\\+? *ports: \\[" + origin.port() + "]\n", "");
    }

    private String awaitErr(String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        return Awaitility.await("the proxy says " + pattern)
                .atMost(PATIENCE)
                .until(
                        () -> {
                            Path err = folder.resolve("proxy.txt");
                            Matcher matcher = compiled.matcher(Files.exists(err) ? Files.readString(err) : "");
                            return matcher.find() ? matcher.group(matcher.groupCount()) : "";
                        },
                        found -> !found.isEmpty());
    }

    private static boolean works(String tool) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(tool, "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectErrorStream(true)
                    .start();
            return process.waitFor(Patience.SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
