package dev.sallyport.it.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Wire;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An {@link AttackedProxy} as its clients see it. Attackers come from an address of their own. */
final class Attacked implements AutoCloseable {

    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final String LOG = """
            <configuration>
              <appender name="err" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder><pattern>%d %level %logger %msg%n</pattern></encoder>
              </appender>
              <root level="warn"><appender-ref ref="err"/></root>
            </configuration>
            """;
    private static final int PATIENCE_SECONDS = 120;

    private final Process process;
    private final BufferedReader out;
    private final int[] ports = new int[4];
    private final List<AutoCloseable> open = new ArrayList<>();

    private Attacked(Process process) throws IOException {
        this.process = process;
        this.out = process.inputReader();
        String[] words = String.valueOf(out.readLine()).split(" ", -1);
        assertThat(words[0]).isEqualTo("ports");
        for (int i = 0; i < ports.length; i++) {
            ports[i] = Integer.parseInt(words[i + 1]);
        }
    }

    /** Starts one with these options of the JVM. Its standard output is for its own lines only. */
    static Attacked start(Path folder, String... options) throws IOException {
        Path log = Files.writeString(folder.resolve("logback.xml"), LOG);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+DisplayVMOutputToStderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED"));
        command.add("-Dlogback.configurationFile=" + log);
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), AttackedProxy.class.getName(), folder.toString()));
        return new Attacked(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    InetSocketAddress http() {
        return new InetSocketAddress(HERE, ports[0]);
    }

    InetSocketAddress https() {
        return new InetSocketAddress(HERE, ports[1]);
    }

    InetSocketAddress tunnel() {
        return new InetSocketAddress(HERE, ports[2]);
    }

    InetSocketAddress dns() {
        return new InetSocketAddress(HERE, ports[3]);
    }

    /** A connection of the attacker's; it stays open. */
    Socket attack(InetSocketAddress where) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), 0));
        socket.connect(where);
        return socket;
    }

    /** What somebody else gets, who asks for a host that is not on the list: a status. */
    int statusForOthers() throws IOException {
        try (Wire other = new Wire(new Socket(HERE, ports[0]))) {
            other.send(Wire.head("GET / HTTP/1.1", "Host: denied.example", "Cookie: " + "c".repeat(2000)));
            return Integer.parseInt(other.readHead().substring(9, 12));
        }
    }

    /** How many records there are of each kind: action, status and reason. */
    Map<String, Long> records() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        String line = out.readLine();
        assertThat(line).as("the process lives").isNotNull();
        Map<String, Long> records = new HashMap<>();
        for (String entry : line.substring("records ".length()).split(" ", -1)) {
            int at = entry.lastIndexOf('=');
            if (at > 0) {
                records.put(entry.substring(0, at), Long.parseLong(entry.substring(at + 1)));
            }
        }
        return records;
    }

    boolean lives() {
        return process.isAlive();
    }

    /** Takes all attackers away. */
    void relax() throws Exception {
        for (AutoCloseable attacker : open) {
            attacker.close();
        }
        open.clear();
    }

    @Override
    public void close() throws Exception {
        try {
            relax();
            process.getOutputStream().close();
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
