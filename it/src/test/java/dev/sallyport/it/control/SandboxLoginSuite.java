package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.it.control.ScenarioClient.Connection;
import dev.sallyport.testsupport.Tools;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who comes in, and who does not; terminals and copies of files. */
abstract class SandboxLoginSuite extends SandboxClients {

    @Test
    void aTerminalIsOneWithItsSizeAndItsJobs() throws Exception {
        try (ScenarioTerminal terminal =
                new ScenarioTerminal(machine, 40, 100, client.command("ssh", "-t", client.target()))) {
            terminal.type("PS1=; tty; stty size; echo size-$((1+1))\n");
            assertThat(terminal.await("size-2").split("\\R", 2)[1]).contains("/dev/pts/", "40 100");

            terminal.resize(50, 120);
            terminal.type("until [ \"$(stty size)\" = '50 120' ]; do sleep 0.1; done; echo resized-$((1+1))\n");
            terminal.await("resized-2");

            terminal.type("sh -c 'echo waits-$((1+1)); exec sleep 1000'\n");
            terminal.await("waits-2");
            terminal.type("\003");
            terminal.type("echo interrupted-$?\n");
            terminal.await("interrupted-130");

            terminal.type(
                    "sh -c 'trap \"echo again-$((1+1))\" CONT; echo held-$((1+1)); while :; do sleep 0.1; done'\n");
            terminal.await("held-2");
            terminal.type("\032");
            terminal.await("Stopped");
            terminal.type("fg\n");
            terminal.await("again-2");
            terminal.type("\003");
            terminal.type("echo ended-$?\n");
            terminal.await("ended-130");

            terminal.type("exit 7\n");
            assertThat(terminal.code()).isEqualTo(7);
        }
    }

    /** They tell the kernel's audit, where there is one. */
    @Test
    void aGuestHasUsersOfItsOwn() throws Exception {
        assertThat(client.script(
                        "useradd -m ada && su - ada -c 'id -un; pwd' && userdel -r ada 2> /dev/null; echo code $?"))
                .isEqualTo("ada\n/home/ada\ncode 0\n");
    }

    @Test
    void logInsThatComeAtOnceAllComeIn() throws Exception {
        List<Callable<String>> logins = Collections.nCopies(12, () -> client.script("echo in"));
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<String> login : executor.invokeAll(logins)) {
                assertThat(login.get()).isEqualTo("in\n");
            }
        }
    }

    @Test
    void whatAClientEndsWithIsWhatTheCommandDoes() throws Exception {
        assertThat(client.attempt("ssh", client.target(), "echo out; echo err >&2; exit 3"))
                .satisfies(ended -> assertThat(ended.code()).isEqualTo(3))
                .satisfies(ended -> assertThat(ended.printed()).contains("out\n", "err\n"));
        assertThat(client.attempt("ssh", "-T", client.target(), "kill -9 $$").code())
                .isEqualTo(255);
    }

    /** By SFTP, and as it was before. */
    @ParameterizedTest
    @ValueSource(strings = {"-s", "-O"})
    void scpCopiesByteForByte(String protocol) throws Exception {
        assumeTrue(has("scp"), "needs an image that has scp");
        Path file = random("piece" + protocol);
        Path back = machine.folder().resolve("back" + protocol);

        client.run("scp", protocol, file.toString(), client.target() + ":/root/piece");
        client.run("scp", protocol, "-p", client.target() + ":/root/piece", back.toString());

        assertThat(client.script("sha256sum < /root/piece; rm /root/piece"))
                .isEqualTo(machine.run("sh", "-c", "sha256sum < " + file));
        assertThat(Files.mismatch(file, back)).isEqualTo(-1);
    }

    @Test
    void sftpDoesWhatABatchSays() throws Exception {
        Path file = random("batch");
        Path folder = Files.createDirectory(machine.folder().resolve("fetched"));
        Path batch = Files.writeString(machine.folder().resolve("batch.txt"), """
                        mkdir /root/by-sftp
                        put %1$s /root/by-sftp/one
                        rename /root/by-sftp/one /root/by-sftp/two
                        chmod 600 /root/by-sftp/two
                        symlink /root/by-sftp/two /root/by-sftp/link
                        ls -l /root/by-sftp
                        get -r /root/by-sftp %2$s
                        rm /root/by-sftp/*
                        rmdir /root/by-sftp
                        """.formatted(file, folder));

        assertThat(client.run("sftp", "-b", batch.toString(), client.target())).contains("-rw-------");
        assertThat(Files.mismatch(file, folder.resolve("by-sftp/two"))).isEqualTo(-1);
        assertThat(client.script("ls -d /root/by-sftp 2>&1; echo end")).contains("No such file");
    }

    @Test
    void rsyncCopiesATree() throws Exception {
        Tools.require("rsync");
        assumeTrue(has("rsync"), "needs an image that has rsync");
        Path tree = Files.createDirectories(machine.folder().resolve("tree"));
        for (int i = 0; i < 200; i++) {
            Files.writeString(Files.createDirectories(tree.resolve("d" + i % 7)).resolve("f" + i), "file " + i);
        }
        Files.createSymbolicLink(tree.resolve("link"), Path.of("d1"));
        Files.move(random("large"), tree.resolve("large"));
        Path back = machine.folder().resolve("tree-back");
        String ssh = "ssh " + String.join(" ", client.options());

        machine.run("rsync", "-a", "-e", ssh, tree + "/", client.target() + ":/root/tree/");
        client.script("echo more >> /root/tree/large; rm -r /root/tree/d3; echo new > /root/tree/d1/new");
        machine.run("rsync", "-a", "-e", ssh, tree + "/", back + "/");
        machine.run("rsync", "-a", "--delete", "-e", ssh, client.target() + ":/root/tree/", back + "/");

        assertThat(machine.run("sh", "-c", "diff -r --no-dereference " + tree + " " + back + " || true")
                        .lines())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("Only in " + tree + ": d3"))
                .anyMatch(line -> line.startsWith("Only in " + back + "/d1: new"))
                .anyMatch(line -> line.startsWith("Binary files"));
        client.script("rm -r /root/tree");
    }

    @Test
    void sessionsShareAConnection() throws Exception {
        try (Connection connection = client.connect()) {
            List<Process> sessions = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sessions.add(connection.begin("read line; echo $line $SSH_CONNECTION"));
            }
            for (Process session : sessions) {
                session.getOutputStream().write("asked\n".getBytes(StandardCharsets.US_ASCII));
                session.getOutputStream().close();
            }
            List<String> said = new ArrayList<>();
            for (Process session : sessions) {
                said.add(new String(session.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            }
            assertThat(said)
                    .allMatch(line -> line.startsWith("asked 10.77.0.1 "))
                    .containsOnly(said.getFirst());
            connection.ask("check");
        }
    }

    @Test
    void whoHasAnotherKeyOrNoneIsTurnedAway() throws Exception {
        Path key = machine.folder().resolve("stranger");
        Tools.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString());
        String refused = client.target() + ": Permission denied (publickey).";

        assertThat(client.attemptWith(key, client.target(), "id").printed()).contains(refused);
        assertThat(client.attempt("ssh", "-o", "PubkeyAuthentication=no", client.target(), "id")
                        .printed())
                .as("no password is asked for")
                .contains(refused);
        for (String name : List.of("nobody", "sshd", "admin")) {
            assertThat(client.attempt("ssh", "-l", name, client.target().replaceFirst(".*@", ""), "id")
                            .printed())
                    .contains("Permission denied (publickey).");
        }
        assertThat(client.script("echo in")).isEqualTo("in\n");
    }

    /** All of them come to the guest from one address. */
    @Test
    void strangersShutNobodyOut() throws Exception {
        Path key = machine.folder().resolve("guess");
        Tools.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString());

        for (int i = 0; i < 10; i++) {
            assertThat(client.attemptWith(key, client.target(), "id").printed())
                    .contains("Permission denied (publickey).");
            assertThat(client.script("echo in")).isEqualTo("in\n");
        }
    }

    @Test
    void aGuestProvesItselfByTheKeysThatTheApiTells() throws Exception {
        String known = Files.readString(client.known());
        for (ScenarioClient each : List.of(client, otherClient)) {
            assertThat(machine.run("sh", "-c", "ssh-keyscan -T 10 -p " + each.port() + " 127.0.0.1 2> /dev/null"))
                    .isEqualTo(Files.readString(each.known()));
        }
        try {
            Files.writeString(
                    client.known(),
                    Files.readString(otherClient.known()).replace(":" + otherClient.port(), ":" + client.port()));
            assertThat(client.attempt("ssh", client.target(), "id").printed()).contains("Host key verification failed");
        } finally {
            Files.writeString(client.known(), known);
        }
    }

    /** As many as may be open at a time, and ten a second. */
    @Test
    void whoConnectsTooOftenIsTurnedAwayAtThisVmAlone() throws Exception {
        String once = "for i in $(seq 200); do (exec 3<> /dev/tcp/127.0.0.1/" + client.port()
                + " && read -t 20 -u 3 line && echo $line || echo away) 2> /dev/null & done; wait";
        long begin = System.nanoTime();
        List<String> answers = machine.run("bash", "-c", once).lines().toList();
        double seconds = (System.nanoTime() - begin) / 1e9;

        assertThat(answers).hasSize(200);
        assertThat(answers.stream().filter(answer -> answer.startsWith("SSH-2.0")))
                .hasSizeBetween(1, Math.min(199, 33 + (int) (10 * seconds)));

        Path flag = Files.createFile(machine.folder().resolve("flood"));
        Process flood = new ProcessBuilder(machine.inside(
                        List.of("bash", "-c", "echo begun; while [ -e " + flag + " ]; do " + once + "; done")))
                .start();
        flood.inputReader().readLine();
        for (int i = 0; i < 3; i++) {
            assertThat(otherClient.script("echo in")).isEqualTo("in\n");
        }
        Files.delete(flag);
        flood.inputReader().transferTo(Writer.nullWriter());
        flood.waitFor();

        String said = "";
        for (int i = 0; i < 100 && !said.equals("in\n"); i++) {
            said = client.script("echo in");
        }
        assertThat(said).as("it is over").isEqualTo("in\n");
    }
}
