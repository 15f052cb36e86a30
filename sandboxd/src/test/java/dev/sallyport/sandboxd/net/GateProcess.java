package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A process in a network namespace that has the rules of guests, with nothing else in it. */
final class GateProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader said;
    private final List<String> beginning = new ArrayList<>();

    private GateProcess(Process process) {
        this.process = process;
        this.said = process.inputReader();
    }

    /** The process itself. Guests that are connected at its start are its arguments. */
    static final class Gate {

        private static final GatePlan PLAN = new GatePlan(RulesetTest.address("10.77.0.0"), 16, 10_080, 10_053, 1024);

        public static void main(String[] guests) throws Exception {
            GuestNetworks networks = new GuestNetworks(PLAN, address -> "guest-" + PLAN.index(address));
            networks.reset(List.of(guests).stream().map(RulesetTest::address).toList());
            System.out.println("ready");
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] words = line.split(" ", -1);
                var guest = RulesetTest.address(words[1]);
                switch (words[0]) {
                    case "attach" -> attach(networks, guest);
                    case "detach" -> networks.detach(guest);
                    default -> {} // every command tells what was refused
                }
                System.out.println(networks.refused(guest));
            }
            networks.close();
        }

        private static void attach(GuestNetworks networks, Inet4Address guest) throws Exception {
            try {
                networks.attach(guest);
            } catch (IOException e) {
                System.out.println("failed: " + e.getMessage());
            }
        }
    }

    /**
     * Starts it after a command of a shell, which finds an empty folder {@code /run} and has mounts of its own.
     *
     * @param guests their addresses; they are connected
     */
    static GateProcess startAfter(NetworkNamespace gate, String command, String... guests) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /run && " + command + " && exec \"$@\"", "sh"));
        all.addAll(Tools.java(Gate.class, guests));
        GateProcess started = new GateProcess(
                new ProcessBuilder(gate.command(all)).redirectErrorStream(true).start());
        for (String line = started.line(); !line.equals("ready"); line = started.line()) {
            started.beginning.add(line);
        }
        return started;
    }

    /** Skips the test where it has said at its start that this machine lacks something. */
    void assume(String complaint, String need) {
        Assumptions.assumeTrue(
                beginning.stream().noneMatch(line -> line.contains(complaint)), "needs " + need + ": " + beginning);
    }

    /** What it said at its start. */
    String beginning() {
        return String.join("\n", beginning);
    }

    /** The next line that it says. */
    String line() throws IOException {
        String line = said.readLine();
        assertThat(line).as("the gate has not ended").isNotNull();
        return line;
    }

    /** The next line in which a text stands; others are left out. */
    String line(String text) throws IOException {
        String line = line();
        while (!line.contains(text)) {
            line = line();
        }
        return line;
    }

    /** The next line about a packet, without what a logger puts before it; others are left out. */
    String refusal() throws IOException {
        String line = line(" is refused ");
        return line.substring(line.indexOf("guest-"));
    }

    /** Asks for what was refused of a guest; a line {@code Refused[...]} is the answer. */
    void ask(String guest) throws IOException {
        command("refused " + guest);
    }

    /** What was refused of a guest; lines before that are left out. */
    String refused(String guest) throws IOException {
        ask(guest);
        return line("Refused[");
    }

    /** Connects a guest that has no cable yet. */
    void attach(String guest) throws IOException {
        command("attach " + guest);
        line("Refused[");
    }

    /** The same where it fails; returns why. */
    String failedAttach(String guest) throws IOException {
        command("attach " + guest);
        String why = line("failed: ");
        line("Refused[");
        return why;
    }

    /** Runs a command of a shell where the process is: in its namespaces. */
    String run(String command) throws IOException, InterruptedException {
        return Tools.run("nsenter", "--target=" + process.pid(), "--net", "--mount", "--", "sh", "-c", command);
    }

    /** Disconnects a guest. */
    void detach(String guest) throws IOException {
        command("detach " + guest);
        line("Refused[");
    }

    private void command(String line) throws IOException {
        process.outputWriter().append(line).append('\n').flush();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
