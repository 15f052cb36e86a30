package dev.sallyport.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.ctl.client.Pause;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Runs commands as a shell does. Pauses cost no time: they move the clock. */
final class Shell {

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Map<String, String> environment = new HashMap<>();
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private volatile Duration ahead = Duration.ZERO;
    private volatile Pause duringPauses = time -> {};
    private volatile String input = "";

    /** For a user whose configuration is in this folder. */
    Shell(Path configuration) {
        environment.put("XDG_CONFIG_HOME", configuration.toString());
    }

    /** What a command left. */
    record Result(int code, String out, String err) {

        /** Standard output as one document. */
        JsonNode json() {
            try {
                return JSON.readTree(out);
            } catch (JsonProcessingException e) {
                throw new AssertionError("no JSON: " + out + err, e);
            }
        }

        /** The lines of a table, with single spaces. */
        List<String> table() {
            return out.lines().map(line -> line.replaceAll(" +", " ")).toList();
        }
    }

    Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** What commands read from standard input. */
    Shell input(String text) {
        input = text;
        return this;
    }

    /** What happens while a command waits. */
    Shell meanwhile(Pause happening) {
        duringPauses = happening;
        return this;
    }

    /** Moves the clock. */
    Shell later(Duration time) {
        ahead = ahead.plus(time);
        return this;
    }

    /** How long commands have waited. */
    List<Duration> pauses() {
        return new ArrayList<>(pauses);
    }

    Result run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        return run(out, err, arguments);
    }

    /** With writers that others read meanwhile. */
    Result run(StringWriter out, StringWriter err, String... arguments) {
        Terminal terminal = new Terminal(
                Map.copyOf(environment),
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                new Ahead(),
                this::pause);
        try {
            int code = CtlProgram.run(List.of(arguments), terminal);
            terminal.out().flush();
            terminal.err().flush();
            return new Result(code, out.toString(), err.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void pause(Duration time) throws InterruptedException {
        pauses.add(time);
        ahead = ahead.plus(time);
        duringPauses.sleep(time);
    }

    private final class Ahead extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }
    }
}
