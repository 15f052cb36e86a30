package dev.sallyport.it.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Stock clients of OpenSSH that log in to a VM of a {@link ScenarioMachine}, as the API says. */
final class ScenarioClient {

    private final ScenarioMachine machine;
    private final String target;
    private final String port;
    private final Path known;

    ScenarioClient(ScenarioMachine machine, String vm) throws Exception {
        this.machine = machine;
        JsonNode ssh = machine.api("GET", "/v1/vms/" + vm + "/ssh", "");
        this.target = ssh.path("username").asText() + "@" + ssh.path("host").asText();
        this.port = ssh.path("port").asText();
        this.known = Files.writeString(
                machine.folder().resolve("known-" + vm),
                machine.api("GET", "/v1/vms/" + vm + "/ssh/host-keys", "")
                        .path("known_hosts")
                        .asText());
    }

    /** What a program has come to. */
    record Ended(int code, String printed) {}

    /** Whom it logs in as, and where. */
    String target() {
        return target;
    }

    String port() {
        return port;
    }

    /** The file of host keys that it trusts. */
    Path known() {
        return known;
    }

    /** The command of one of ssh, scp and sftp with these options and more. */
    List<String> command(String program, String... arguments) {
        return command(program, options(), List.of(arguments));
    }

    /** The options that ssh, scp and sftp have in common. */
    List<String> options() {
        return options(machine.folder().resolve("id"));
    }

    private List<String> options(Path key) {
        List<String> options = new ArrayList<>();
        for (String option : List.of(
                "IdentityFile=" + key,
                "IdentitiesOnly=yes",
                "StrictHostKeyChecking=yes",
                "UserKnownHostsFile=" + known,
                "BatchMode=yes",
                "LogLevel=ERROR",
                "Port=" + port)) {
            options.addAll(List.of("-o", option));
        }
        return options;
    }

    /** Runs one of ssh, scp and sftp with these options and more, which must succeed; returns what it printed. */
    String run(String program, String... arguments) throws IOException, InterruptedException {
        return Tools.run(machine.inside(command(program, arguments)));
    }

    /** The same, to whatever end. */
    Ended attempt(String program, String... arguments) throws IOException, InterruptedException {
        return ended(command(program, arguments));
    }

    /** ssh with another key. */
    Ended attemptWith(Path key, String... arguments) throws IOException, InterruptedException {
        return ended(command("ssh", options(key), List.of(arguments)));
    }

    private static List<String> command(String program, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(options);
        command.addAll(arguments);
        return command;
    }

    private Ended ended(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(machine.inside(command))
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), printed);
    }

    /** Runs a script in a login shell; returns what it printed, on both streams. */
    String script(String script) throws IOException, InterruptedException {
        // A file: ssh may end before it has taken all that a pipe would bring.
        Path input = Files.writeString(Files.createTempFile(machine.folder(), "script", ".sh"), script + "\n");
        Process client = new ProcessBuilder(machine.inside(command("ssh", target, "bash", "-l")))
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        client.waitFor();
        return printed;
    }

    /**
     * A connection for others to share, with what it forwards. Stands when this returns.
     *
     * @param more options such as {@code -L}
     */
    Connection connect(String... more) throws IOException, InterruptedException {
        Path socket = Files.createTempDirectory(machine.folder(), "c").resolve("s");
        List<String> arguments =
                new ArrayList<>(List.of("-M", "-S", socket.toString(), "-f", "-N", "-o", "ExitOnForwardFailure=yes"));
        arguments.addAll(List.of(more));
        arguments.add(target);
        run("ssh", arguments.toArray(String[]::new));
        return new Connection(socket);
    }

    /** A connection that stays, as {@code ControlMaster} has it. */
    final class Connection implements AutoCloseable {

        private final String socket;

        private Connection(Path socket) {
            this.socket = socket.toString();
        }

        /** Runs a command in a session of its own. */
        String session(String command) throws IOException, InterruptedException {
            return run("ssh", "-S", socket, "-o", "ControlMaster=no", target, command);
        }

        /** Starts the same, with these streams. */
        Process begin(String command) throws IOException {
            return new ProcessBuilder(
                            machine.inside(command("ssh", "-S", socket, "-o", "ControlMaster=no", target, command)))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        }

        /** Asks the client that holds it for something (ssh(1), {@code -O}). */
        String ask(String what, String... more) throws IOException, InterruptedException {
            List<String> arguments = new ArrayList<>(List.of("-S", socket, "-O", what));
            arguments.addAll(List.of(more));
            arguments.add(target);
            return run("ssh", arguments.toArray(String[]::new));
        }

        @Override
        public void close() throws IOException, InterruptedException {
            ask("exit");
        }
    }
}
