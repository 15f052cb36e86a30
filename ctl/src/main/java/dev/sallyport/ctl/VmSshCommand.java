package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code vm ssh}: runs the client of this machine, with the keys of the VM that the control plane tells, so that nobody is
 * asked to believe a fingerprint.
 */
@Command(
        name = "ssh",
        description =
                "Log in to a running VM, or run a command there. The exit code is that of ssh; SALLYPORT_SSH names another client.")
final class VmSshCommand implements Callable<Integer> {

    private static final String CLIENT = "SALLYPORT_SSH";

    private final Ctl ctl;

    @Option(
            names = {"-i", "--identity"},
            paramLabel = "FILE",
            description = "The private key to log in with; those of ssh by default.")
    @Nullable Path identity;

    @Parameters(index = "0", paramLabel = "VM", description = "Its identifier or name.")
    String vm = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "What to run there, after --; a shell by default.")
    List<String> command = List.of();

    VmSshCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        JsonNode ssh;
        String knownHosts;
        try (ApiClient api = ctl.signedIn()) {
            String path = VmCommand.path(api, vm) + "/ssh";
            ssh = api.send(Call.get(path)).object();
            knownHosts = api.send(Call.get(path + "/host-keys"))
                    .document()
                    .path("known_hosts")
                    .asText();
        }
        String client = ctl.terminal().environment().getOrDefault(CLIENT, "ssh");
        try {
            Path hosts = Files.createTempFile("sallyport-known-hosts", "");
            try {
                Files.writeString(hosts, knownHosts);
                return run(arguments(client, ssh, hosts));
            } finally {
                Files.deleteIfExists(hosts);
            }
        } catch (IOException e) {
            throw Problem.usage(
                    client + " cannot be run: " + e.getMessage() + " (expected: an SSH client, or " + CLIENT + ")");
        }
    }

    private List<String> arguments(String client, JsonNode ssh, Path hosts) {
        List<String> arguments = new ArrayList<>(List.of(
                client,
                "-p",
                ssh.path("port").asText(),
                "-o",
                "UserKnownHostsFile=" + hosts,
                "-o",
                "GlobalKnownHostsFile=none",
                "-o",
                "StrictHostKeyChecking=yes"));
        if (identity != null) {
            arguments.add("-i");
            arguments.add(identity.toString());
        }
        arguments.add("--");
        arguments.add(ssh.path("username").asText() + "@" + ssh.path("host").asText());
        arguments.addAll(command);
        return arguments;
    }

    private static int run(List<String> arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(arguments).inheritIO().start();
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            throw e;
        }
    }
}
