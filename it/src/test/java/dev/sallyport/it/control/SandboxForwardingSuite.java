package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.control.ScenarioClient.Connection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is forwarded over a login, whichever way, and that none of it leads around the gate. */
abstract class SandboxForwardingSuite extends SandboxClients {

    /** A server of HTTP at an address or a path, which answers everything with the same text. */
    private static final String SERVER = """
            use IO::Socket::INET; use IO::Socket::UNIX;
            my ($at, $text) = @ARGV;
            my $path = $at =~ m{^/};
            my $server = $path ? IO::Socket::UNIX->new(Local => $at, Listen => 50)
                : IO::Socket::INET->new(LocalAddr => $at, Listen => 50, ReuseAddr => 1);
            $server or die "$at: $!";
            $| = 1; print "listens at ", $path ? $at : $server->sockport, "\\n";
            while (my $client = $server->accept) {
              while (<$client>) { last if /^\\r?$/ }
              print $client "HTTP/1.0 200 OK\\r\\nContent-Length: ", length($text), "\\r\\n\\r\\n", $text; close $client;
            }
            """;

    @BeforeAll
    @Override
    void open() throws Exception {
        super.open();
        client.script("cat > /root/serve.pl << 'END'\n" + SERVER + "END");
    }

    /** Starts a server in the guest; returns where it listens. */
    private String serve(String at, String text) throws Exception {
        return client.script(
                        "log=$(mktemp); perl /root/serve.pl '" + at + "' '" + text + "' > $log 2>&1 < /dev/null &\n"
                                + "for i in $(seq 500); do grep -q listens $log && break; sleep 0.05; done; cat $log")
                .strip()
                .replaceFirst("^listens at ", "");
    }

    /** What a web server answers to a client on the machine. */
    private String get(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-m", "30"));
        command.addAll(List.of(arguments));
        return machine.run(command.toArray(String[]::new));
    }

    @Test
    void portsAndSocketsOfTheGuestAreForwarded() throws Exception {
        String port = serve("127.0.0.1:0", "by a port");
        serve("/run/web.sock", "by a path");
        try (Connection connection =
                client.connect("-L", "127.0.0.1:5001:127.0.0.1:" + port, "-L", "127.0.0.1:5002:/run/web.sock")) {
            assertThat(get("http://127.0.0.1:5001/")).isEqualTo("by a port");
            assertThat(get("http://127.0.0.1:5002/")).isEqualTo("by a path");
            assertThat(
                            machine.run(
                                    "sh",
                                    "-c",
                                    "seq 30 | xargs -P 30 -I@ sh -c 'echo $(curl -sS -m 30 http://127.0.0.1:5001/@)' | sort -u"))
                    .as("many at a time")
                    .isEqualTo("by a port\n");

            Path socket = machine.folder().resolve("web");
            connection.ask("forward", "-L", socket + ":/run/web.sock");
            assertThat(get("--unix-socket", socket.toString(), "http://localhost/"))
                    .isEqualTo("by a path");
            connection.ask("cancel", "-L", "127.0.0.1:5001:127.0.0.1:" + port);
            assertThat(machine.run("sh", "-c", "curl -s -m 30 http://127.0.0.1:5001/ || echo refused"))
                    .isEqualTo("refused\n");
        }
    }

    /** What the client gives the guest of its own, the gate has no part in; the guest's neighbours neither. */
    @Test
    void portsOfTheClientAreForwardedToTheLoopbackOfTheGuest() throws Exception {
        try (Connection connection = client.connect("-R", "6001:10.99.2.2:80", "-R", "/run/back.sock:10.99.2.2:80")) {
            assertThat(client.script("curl -sS -m 20 http://127.0.0.1:6001/")).isEqualTo("world at 10.99.2.2");
            assertThat(client.script("curl -sS -m 20 --unix-socket /run/back.sock http://localhost/"))
                    .isEqualTo("world at 10.99.2.2");
            assertThat(connection.session("ss -Hltn 2> /dev/null | grep 6001 || echo 127.0.0.1:6001"))
                    .contains("127.0.0.1:6001")
                    .doesNotContain("0.0.0.0:6001");
            String port = connection.ask("forward", "-R", "0:10.99.2.2:80").strip();
            assertThat(client.script("curl -sS -m 20 http://127.0.0.1:" + port + "/"))
                    .isEqualTo("world at 10.99.2.2");
        }
    }

    @Test
    void whatIsForwardedThroughTheGuestGoesThroughTheGate() throws Exception {
        try (Connection connection = client.connect("-D", "127.0.0.1:5003")) {
            String proxy = "socks5h://127.0.0.1:5003";
            String host = "refused-by-socks.example.test";
            String ca = machine.folder().resolve("ca.pem").toString();
            assertThat(get("-x", proxy, "--cacert", ca, "https://" + SandboxMachine.API + "/"))
                    .isEqualTo("world at 10.99.2.1");
            for (String url : List.of("http://" + host + "/", "https://" + host + "/", "http://10.99.2.2/")) {
                assertThat(get("-x", proxy, "--cacert", ca, "-o", "/dev/null", "-w", "%{http_code}", url))
                        .as(url)
                        .isEqualTo("403");
            }
            assertThat(event("host=" + host)).isEqualTo(vm + " denied");
            assertThat(event("host=" + SandboxMachine.API)).isEqualTo(vm + " allowed");
            for (String place : List.of("127.0.0.1:8090", "10.77.0.1:8090", "10.99.2.3:9092", "169.254.169.254:80")) {
                assertThat(machine.run(
                                "sh",
                                "-c",
                                "curl -s -m 20 -o /dev/null -w '%{http_code}' -x " + proxy + " http://" + place
                                        + "/ || true"))
                        .as(place)
                        .isIn("000", "403", "502");
            }
            String neighbour = otherClient
                    .script("hostname -I 2> /dev/null || ip -4 -o addr show | grep -o '10.77[0-9.]*'")
                    .strip();
            assertThat(neighbour).startsWith("10.77.0.");
            assertThat(client.attempt("ssh", "-W", neighbour + ":22", client.target())
                            .printed())
                    .as("the neighbour's sshd")
                    .doesNotContain("SSH-2.0");
        }
    }

    /** The newest one of these. */
    private String event(String query) throws Exception {
        for (int i = 0; i < 200; i++) {
            JsonNode newest = machine.api("GET", "/v1/audit/egress?limit=1&vm_id=" + vm + "&" + query, "")
                    .at("/data/0");
            if (!newest.isMissingNode()) {
                return newest.path("vm_id").asText() + " "
                        + newest.path("verdict").asText();
            }
            Thread.sleep(50);
        }
        return "none";
    }

    @Test
    void theAgentOfTheClientIsForwardedWhereItAsksForItAndItsScreenNever() throws Exception {
        String key = machine.folder().resolve("id").toString();
        List<String> command =
                new ArrayList<>(List.of("ssh-agent", "sh", "-c", "ssh-add -q " + key + " && exec \"$@\"", "sh"));
        command.addAll(client.command("ssh", "-A", client.target(), "ssh-add -l 2>&1"));
        if (has("ssh-add")) {
            assertThat(machine.run(command.toArray(String[]::new))).contains("test (ED25519)");
        }
        assertThat(client.script("echo ${SSH_AUTH_SOCK-none}")).isEqualTo("none\n");

        List<String> screen = new ArrayList<>(List.of("env", "DISPLAY=:7"));
        screen.addAll(client.command("ssh", "-X", client.target(), "echo ${DISPLAY-none}"));
        assertThat(machine.run(screen.toArray(String[]::new))).endsWith("none\n");
    }

    /**
     * The steps by which VS Code's Remote-SSH comes to a host: a script for bash on standard input, an archive that it copies,
     * a server on the guest's loopback that outlives the connection, and a way there by SOCKS or by a forwarded port.
     */
    @Test
    void aRemoteEditorInstallsItsServerAndComesBackToIt() throws Exception {
        Path archive = machine.folder().resolve("server.tar.gz");
        Path tree = Files.createDirectories(machine.folder().resolve("server/bin"));
        Files.writeString(tree.resolve("serve.pl"), SERVER);
        Files.writeString(tree.resolve("start.sh"), """
                #!/usr/bin/env bash
                cd "$(dirname "$0")"
                [ -s pid ] && kill -0 $(cat pid) 2> /dev/null || {
                  nohup setsid perl serve.pl 127.0.0.1:0 editor > log 2>&1 < /dev/null & echo $! > pid; }
                until grep -q listens log; do sleep 0.1; done
                sed -n 's/listens at //p' log
                """);
        tree.resolve("start.sh").toFile().setExecutable(true);
        Files.move(random("payload"), tree.resolve("payload"));
        machine.run("tar", "-czf", archive.toString(), "-C", tree.getParent().toString(), "bin");

        String port;
        try (Connection connection = client.connect("-D", "127.0.0.1:5007")) {
            Process shell = connection.begin("bash");
            shell.getOutputStream().write("""
                    set -e
                    uname -sm
                    command -v tar gzip flock > /dev/null
                    command -v curl > /dev/null || command -v wget > /dev/null
                    mkdir -p "$HOME/.vscode-server/bin"; touch "$HOME/.vscode-server/w"
                    echo prepared
                    """.getBytes(StandardCharsets.US_ASCII));
            shell.getOutputStream().close();
            assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("Linux ")
                    .endsWith("prepared\n");
            client.run("scp", archive.toString(), client.target() + ":/root/.vscode-server/server.tar.gz");
            port = connection
                    .session("cd ~/.vscode-server && tar -xzf server.tar.gz && bin/start.sh")
                    .strip();

            String url = "http://127.0.0.1:" + port + "/";
            assertThat(get("-x", "socks5h://127.0.0.1:5007", url)).isEqualTo("editor");
            connection.ask("forward", "-L", "127.0.0.1:5008:127.0.0.1:" + port);
            assertThat(get("http://127.0.0.1:5008/")).isEqualTo("editor");
        }

        assertThat(client.run("ssh", client.target(), "~/.vscode-server/bin/start.sh")
                        .strip())
                .as("the same server")
                .isEqualTo(port);
        try (Connection again = client.connect("-L", "127.0.0.1:5008:127.0.0.1:" + port)) {
            assertThat(get("http://127.0.0.1:5008/")).isEqualTo("editor");
            assertThat(again.session("kill $(cat ~/.vscode-server/bin/pid) && rm -r ~/.vscode-server && echo gone"))
                    .isEqualTo("gone\n");
        }
    }
}
