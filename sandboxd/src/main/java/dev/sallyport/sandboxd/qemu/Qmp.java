package dev.sallyport.sandboxd.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandboxd.system.UnixConnection;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A conversation with a QEMU, in its machine protocol: an object a line. For one thread. */
final class Qmp implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int LONGEST_LINE = 64 * 1024;

    /** Events may come before an answer; a QEMU that a guest has taken over could send them for ever. */
    private static final int MOST_EVENTS = 1000;

    private final UnixConnection connection;

    private Qmp(UnixConnection connection) {
        this.connection = connection;
    }

    /** Begins one, of 20 seconds at most. */
    static Qmp open(Path socket) throws IOException, WireException, InterruptedException {
        return open(socket, LIMIT);
    }

    /** Begins one that takes no longer than that. */
    static Qmp open(Path socket, Duration limit) throws IOException, WireException, InterruptedException {
        UnixConnection connection = UnixConnection.open(socket, limit);
        boolean opened = false;
        try {
            Qmp qmp = new Qmp(connection);
            if (!qmp.read().has("QMP")) {
                throw new WireException("QEMU does not greet");
            }
            qmp.execute("qmp_capabilities");
            opened = true;
            return qmp;
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    /**
     * Executes a command without arguments.
     *
     * @return what it returns
     * @throws IOException also when QEMU says that it has failed
     */
    JsonNode execute(String command) throws IOException, WireException, InterruptedException {
        return execute(command, Lines.object());
    }

    /** Executes one with arguments; otherwise the same. */
    JsonNode execute(String command, ObjectNode arguments) throws IOException, WireException, InterruptedException {
        ObjectNode request = Lines.object().put("execute", command);
        if (!arguments.isEmpty()) {
            request.set("arguments", arguments);
        }
        connection.write((request + "\n").getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < MOST_EVENTS; i++) {
            JsonNode answer = read();
            if (answer.has("error")) {
                throw new IOException("QEMU refuses " + command + ": "
                        + answer.path("error").path("desc").asText());
            }
            if (answer.has("return")) {
                return answer.path("return");
            }
        }
        throw new WireException("QEMU does not answer " + command);
    }

    /** How far the machine is, such as {@code running}, {@code paused} or {@code prelaunch}. */
    String status() throws IOException, WireException, InterruptedException {
        return execute("query-status").path("status").asText();
    }

    /** Which QEMU it is, with the version of its package. */
    String version() throws IOException, WireException, InterruptedException {
        JsonNode version = execute("query-version");
        JsonNode qemu = version.path("qemu");
        return qemu.path("major").asInt() + "." + qemu.path("minor").asInt() + "."
                + qemu.path("micro").asInt() + " " + version.path("package").asText();
    }

    private JsonNode read() throws IOException, WireException, InterruptedException {
        return Lines.parse(connection.line(LONGEST_LINE));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
