package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import dev.sallyport.testsupport.TestOrigin;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport run}: docs/run.md. Programs are those of this machine: curl, git, python3, java, sh. */
class ProgramRunIT {

    private static final String VALUE = "the-real-value-4711";

    @TempDir
    private Path folder;

    private TestDnsServer names;
    private TestOrigin origin;

    @BeforeEach
    void origin() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        TestCertificates certificates = new TestCertificates(folder, "api.run.test");
        Files.setPosixFilePermissions(certificates.originPem, PosixFilePermissions.fromString("rw-r--r--"));
        names = new TestDnsServer().address("api.run.test", "127.0.0.1", 60).address("other.run.test", "127.0.0.1", 60);
        origin = TestOrigin.tls(
                certificates.origin, TestOrigin.always(request -> TestOrigin.ok(answer(request.toString()))));
        Files.writeString(
                folder.resolve("policy.yaml"), """
                dns: {upstream_resolver: "127.0.0.1:%d"}
                proxy: {upstream_deny_cidrs: []}
                tls: {upstream_ca: origin.pem}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - {host: api.run.test, ports: [%d]}
                """.formatted(names.address().getPort(), origin.port()));
    }

    /** Says what came, but for the credential; and answers git's first question. */
    private static String answer(String request) {
        if (request.contains("/info/refs")) {
            return "1234567890123456789012345678901234567890\trefs/heads/main\n";
        }
        return request.contains(VALUE) ? "has the value" : "has no value";
    }

    @AfterEach
    void end() throws IOException {
        origin.close();
        names.close();
    }

    private String url(String host, String path) {
        return "https://" + host + ":" + origin.port() + path;
    }

    @Test
    void a_program_sends_a_placeholder_and_the_origin_gets_the_value() throws Exception {
        for (Runs runs : Runs.both(folder)) {
            Runs.Ended ended = runs.run(
                    Map.of("REAL", VALUE),
                    List.of("-config", "policy.yaml", "--secret", "TOKEN=env:REAL@api.run.test"),
                    "sh",
                    "-c",
                    "echo \"REAL=$REAL TOKEN=$TOKEN\"; env | grep -c " + VALUE
                            + "; curl -sS -H \"Authorization: Bearer $TOKEN\" " + url("api.run.test", "/x"));

            assertThat(ended.out())
                    .as("%s: %s", runs, ended.err())
                    .matches("(?s)REAL= TOKEN=sallyport-TOKEN-[0-9a-f]{24}\n0\nhas the value");
            assertThat(ended.err())
                    .contains("api.run.test:" + origin.port() + "  1 request")
                    .contains("secrets used:\nsallyport:   REAL  at api.run.test:" + origin.port())
                    .doesNotContain(VALUE);
            assertThat(ended.code()).isZero();
        }
    }

    @Test
    void a_refused_host_is_told_to_the_program_and_in_the_summary() throws Exception {
        for (Runs runs : Runs.both(folder)) {
            Runs.Ended ended = runs.run(
                    Map.of(),
                    List.of("-config", "policy.yaml"),
                    "curl",
                    "-sS",
                    "-w",
                    " %{http_code}",
                    "https://refused.run.test/x");

            assertThat(ended.out())
                    .as("%s: %s", runs, ended.err())
                    .contains("destination_not_allowed", "refused.run.test")
                    .contains("It is let through by: sallyport run --allow refused.run.test")
                    .endsWith(" 403");
            assertThat(ended.err()).contains("refused.run.test  1 request; let through by --allow refused.run.test");
            assertThat(names.asked).noneMatch(name -> name.contains("refused"));
        }
    }

    @Test
    void a_tunnel_that_is_given_up_is_no_request_that_was_allowed() throws Exception {
        // given: a client that says nothing in its tunnel, and one that asks
        String silent = "curl -sS -m 3 telnet://api.run.test:" + origin.port() + " </dev/null";
        Runs.Ended ended = new Runs(folder, "env", false)
                .run(
                        Map.of(),
                        List.of("-config", "policy.yaml"),
                        "sh",
                        "-c",
                        silent + "; curl -sS " + url("api.run.test", "/x"));

        assertThat(ended.err())
                .contains("sallyport: allowed:\nsallyport:   api.run.test:" + origin.port() + "  1 request, ");
    }

    @Tag("long")
    @Test
    void clients_show_what_would_let_a_request_through() throws Exception {
        // What comes before differs: variables lead to tunnels, which are refused before there is a request.
        String hint = " not allowed. It is let through by: sallyport run --allow refused.run.test";
        for (Runs runs : Runs.all(folder)) {
            Runs.Ended curl = runs.run(
                    Map.of(),
                    List.of("-config", "policy.yaml", "--quiet"),
                    "curl",
                    "-sv",
                    "--http1.1",
                    "https://refused.run.test/x");
            Runs.Ended git = runs.run(
                    Map.of("GIT_TERMINAL_PROMPT", "0"),
                    List.of("-config", "policy.yaml", "--quiet"),
                    "git",
                    "clone",
                    "https://refused.run.test/x.git",
                    folder.resolve("clone").toString());
            Runs.Ended npm = runs.run(
                    Map.of(
                            "npm_config_cache",
                            folder.resolve("npm" + runs.plain()).toString()),
                    List.of("-config", "policy.yaml", "--quiet"),
                    "npm",
                    "view",
                    "anything",
                    "--registry",
                    "https://refused.run.test/");

            assertThat(curl.err())
                    .as(runs.toString())
                    .containsPattern("< HTTP/1.1 403 Forbidden: [A-Za-z ]+ refused.run.test (is|are)" + hint
                            + " \\(allowlist\\)");
            assertThat(git.err())
                    .as(runs.toString())
                    .containsPattern("remote: [A-Za-z ]+ refused.run.test (is|are)" + hint);
            assertThat(npm.err())
                    .as(runs.toString())
                    .containsPattern("403 Forbidden: [A-Za-z ]+ refused.run.test (is|are)" + hint + " \\(allowlist\\)");
        }
    }

    @Tag("long")
    @Test
    void the_exit_code_is_the_programs() throws Exception {
        Path lost = folder.resolve("no-interpreter");
        Files.writeString(lost, "#!/no/such/interpreter\n");
        Files.setPosixFilePermissions(lost, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (Runs runs : Runs.all(folder)) {
            assertThat(runs.run(Map.of(), List.of(), "sh", "-c", "exit 42").code())
                    .isEqualTo(42);
            assertThat(runs.run(Map.of(), List.of(), "sh", "-c", "kill -9 $$").code())
                    .isEqualTo(128 + 9);
            assertThat(runs.run(Map.of(), List.of(), "no-such-program").code()).isEqualTo(127);
            assertThat(runs.run(Map.of(), List.of(), "/etc/passwd").code()).isEqualTo(126);
            assertThat(runs.run(Map.of(), List.of(), lost.toString()).code()).isEqualTo(127);
        }
    }

    @Test
    void standard_output_is_the_programs_alone() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            Runs.Ended ended = runs.run(Map.of(), List.of("--quiet"), "echo", "only this");

            assertThat(ended.out()).isEqualTo("only this\n");
            assertThat(ended.err().replaceAll("sallyport: isolation: env.*\n", ""))
                    .isEmpty();
        }
    }

    @Test
    @Tag("long")
    void signals_reach_the_program() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            for (String signal : List.of("TERM", "INT", "HUP", "USR1", "USR2")) {
                Path out = folder.resolve("signal.txt");
                Files.writeString(out, "");
                Process process = runs.start(
                        Map.of(),
                        List.of(),
                        out,
                        folder.resolve("signal.err"),
                        "sh",
                        "-c",
                        "trap 'exit 7' " + signal + "; echo ready; while :; do sleep 0.1; done");
                try {
                    Awaitility.await().until(() -> Files.readString(out).contains("ready"));
                    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                            .start()
                            .waitFor();

                    assertThat(process.waitFor()).as("%s: SIG%s", runs, signal).isEqualTo(7);
                } finally {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly();
                }
            }
        }
    }

    @Tag("long")
    @Test
    void programs_that_trust_only_what_they_know_trust_the_proxy() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Files.writeString(folder.resolve("Fetch.java"), """
                import java.net.URI;
                import java.net.http.*;
                class Fetch {
                    public static void main(String[] a) throws Exception {
                        var request = HttpRequest.newBuilder(URI.create(a[0])).build();
                        System.out.print(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.ofString()).body());
                    }
                }
                """);
        String python =
                "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())";
        for (Runs runs : Runs.all(folder)) {
            List<String> options = List.of("-config", "policy.yaml", "--quiet");
            String url = url("api.run.test", "/x");

            Runs.Ended jvm = runs.run(Map.of(), options, java.toString(), "Fetch.java", url);
            Runs.Ended python3 = runs.run(Map.of(), options, "python3", "-c", python, url);
            Runs.Ended git = runs.run(Map.of(), options, "git", "ls-remote", url("api.run.test", "/repository.git"));

            assertThat(jvm.out()).as("java, %s: %s", runs, jvm.err()).isEqualTo("has no value");
            assertThat(python3.out()).as("python3, %s: %s", runs, python3.err()).isEqualTo("has no value");
            assertThat(git.out()).as("git, %s: %s", runs, git.err()).contains("refs/heads/main");
        }
    }

    @Test
    void a_program_that_ignores_variables_gets_past_env_and_is_told_so() throws Exception {
        Runs runs = new Runs(folder, "env", false);

        Runs.Ended ended = runs.run(Map.of(), List.of(), "sh", "-c", "env | grep -i _proxy | sort");

        assertThat(ended.err()).contains("a program that ignores them gets past it");
        assertThat(ended.out())
                .containsPattern("https_proxy=http://127.0.0.1:\\d+\n")
                .containsPattern("HTTPS_PROXY=http://127.0.0.1:\\d+\n")
                .contains("no_proxy=localhost,127.0.0.1,::1\n", "NO_PROXY=localhost,127.0.0.1,::1\n");
    }

    @Test
    void in_a_network_of_its_own_nothing_else_leads_out() throws Exception {
        String probe = """
                import socket, sys
                def refused(what, family, kind, address):
                    s = socket.socket(family, kind)
                    s.settimeout(5)
                    try:
                        s.connect(address)
                        s.send(b'x')
                        s.recv(1)
                        print(what, 'got an answer')
                    except OSError as e:
                        print(what, type(e).__name__)
                refused('tcp', socket.AF_INET, socket.SOCK_STREAM, ('192.0.2.7', 25))
                refused('udp', socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.7', 443))
                refused('tcp6', socket.AF_INET6, socket.SOCK_STREAM, ('2001:db8::1', 8080))
                refused('unix', socket.AF_UNIX, socket.SOCK_STREAM, sys.argv[1])
                """;
        Path path = folder.resolve("outside.sock");
        try (ServerSocketChannel outside = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            outside.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            for (Runs runs : Runs.namespaces(folder)) {
                Files.deleteIfExists(folder.resolve("audit.jsonl"));
                Runs.Ended ended =
                        runs.run(Map.of(), List.of("--audit", "audit.jsonl"), "python3", "-c", probe, path.toString());

                assertThat(ended.out()).as(ended.err()).isEqualTo("""
                        tcp ConnectionRefusedError
                        udp ConnectionRefusedError
                        tcp6 ConnectionRefusedError
                        unix ConnectionRefusedError
                        """);
                assertThat(ended.err())
                        .contains("tcp 192.0.2.7:25", "udp 192.0.2.7:443", "tcp [2001:db8::1]:8080")
                        .contains("UNIX sockets that stay reachable: none");
                assertThat(Files.readAllLines(folder.resolve("audit.jsonl")))
                        .hasSize(3)
                        .first()
                        .asString()
                        .contains("\"host\":\"192.0.2.7\",\"port\":25,\"protocol\":\"tcp\",\"action\":\"reject\"");
            }
        }
    }

    @Test
    @Tag("long")
    void a_unix_socket_can_be_let_in() throws Exception {
        Path path = folder.resolve("let-in.sock");
        try (ServerSocketChannel outside = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            outside.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            for (Runs runs : Runs.namespaces(folder)) {
                Runs.Ended ended = runs.run(
                        Map.of(),
                        List.of("--unix-socket", path.toString()),
                        "python3",
                        "-c",
                        "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('connected')",
                        path.toString());

                assertThat(ended.out()).as(ended.err()).isEqualTo("connected\n");
                assertThat(ended.err()).contains("UNIX sockets that stay reachable: " + path.toRealPath());
            }
        }
    }

    @Test
    void the_program_cannot_change_its_network_or_look_outside() throws Exception {
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(
                    Map.of(),
                    List.of(),
                    "sh",
                    "-c",
                    "ip link set lo down 2>/dev/null || echo kept; umount /run 2>/dev/null || echo masked;"
                            + " echo 1 2>/dev/null >/proc/sys/kernel/sysrq || echo closed; ls /proc | grep -c '^[0-9]'");

            assertThat(ended.out()).as(ended.err()).matches("kept\nmasked\nclosed\n[1-9]\n");
        }
    }

    @Test
    @Tag("long")
    void a_proxy_setting_of_the_program_changes_nothing_in_a_network_of_its_own() throws Exception {
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(
                    Map.of(),
                    List.of("-config", "policy.yaml", "--quiet"),
                    "curl",
                    "-sS",
                    "--noproxy",
                    "*",
                    url("api.run.test", "/x"));

            assertThat(ended.out()).as(ended.err()).isEqualTo("has no value");
        }
    }

    @Test
    @Tag("long")
    void a_name_server_elsewhere_answers_as_ours_does() throws Exception {
        String ask = """
                import socket
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                s.settimeout(5)
                s.connect(('192.0.2.53', 53))
                s.send(bytes.fromhex('000101000001000000000000') + b'\\x05leaks\\x03run\\x04test\\x00' + bytes.fromhex('00010001'))
                print(socket.inet_ntoa(s.recv(512)[-4:]))
                """;
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(Map.of(), List.of(), "python3", "-c", ask);

            assertThat(ended.out()).as(ended.err()).isEqualTo("198.18.0.1\n");
            assertThat(names.asked).noneMatch(name -> name.contains("leaks"));
        }
    }

    @Test
    @Tag("long")
    void servers_of_the_program_work_on_its_loopback_and_elsewhere() throws Exception {
        String serve = """
                import socket, sys
                a = socket.socket(); a.bind(('0.0.0.0', 0)); a.listen()
                c = socket.create_connection(('127.0.0.1', a.getsockname()[1]), 5)
                a.accept()[0].send(b'own server'); print(c.recv(99).decode())
                x, y = socket.socketpair(); x.send(b'pair'); print(y.recv(9).decode())
                try:
                    b = socket.socket(); b.bind(('0.0.0.0', 443)); b.listen(); print('bound')
                except OSError as e:
                    print('taken')
                """;
        for (Runs runs : Runs.namespaces(folder)) {
            Runs.Ended ended = runs.run(Map.of(), List.of(), "python3", "-c", serve);

            assertThat(ended.out()).as(ended.err()).isEqualTo("own server\npair\ntaken\n");
            assertThat(ended.err()).doesNotContain("refused:");
        }
    }

    @Test
    void what_a_program_tried_becomes_a_policy_that_lets_it_through() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            Files.deleteIfExists(folder.resolve("learned.yaml"));
            String url = url("other.run.test", "/v1/things");
            runs.run(Map.of(), List.of("-config", "policy.yaml", "--learn", "learned.yaml"), "curl", "-sS", url);

            String learned = Files.readString(folder.resolve("learned.yaml"));
            Runs.Ended replayed =
                    runs.run(Map.of(), List.of("--replay", "learned.yaml"), "curl", "-sS", "-w", "%{http_code}", url);

            assertThat(learned).contains("host: other.run.test", "- /v1/things", "methods: [GET]");
            assertThat(replayed.out()).doesNotContain("destination_not_allowed");
            assertThat(replayed.err()).doesNotContain("let through by");
        }
    }

    @Test
    @Tag("long")
    void what_cannot_be_is_said_before_anything_starts() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path unshare = tools.resolve("unshare");
        Files.writeString(unshare, "#!/bin/sh\necho 'unshare: not here' >&2\nexit 1\n");
        Files.setPosixFilePermissions(unshare, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> without = Map.of("PATH", tools + ":" + System.getenv("PATH"));
        boolean plain = Runs.isRoot();

        Runs.Ended wanted = new Runs(folder, "netns", plain).run(without, List.of(), "echo", "started");
        Runs.Ended automatic = new Runs(folder, "auto", plain).run(without, List.of(), "echo", "started");
        Runs.Ended missing = new Runs(folder, "env", false)
                .run(Map.of(), List.of("--secret", "A=env:NO_SUCH_VARIABLE@api.run.test"), "echo", "started");

        assertThat(wanted.code()).isEqualTo(2);
        assertThat(wanted.out()).isEmpty();
        assertThat(wanted.err()).contains("--isolate netns does not work here: ", "unshare: not here");
        assertThat(automatic.out()).isEqualTo("started\n");
        assertThat(automatic.err()).contains("isolation: env, because netns does not work here: ");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("the variable NO_SUCH_VARIABLE is not set");
    }
}
