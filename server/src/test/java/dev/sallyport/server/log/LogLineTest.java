package dev.sallyport.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogLineTest {

    private final LoggerContext context = new LoggerContext();

    @Test
    void time_level_who_and_what_on_one_line() {
        assertThat(encode("listening on {}", null, "127.0.0.1:3128"))
                .isEqualTo("2026-11-21T09:30:00.000Z INFO  Listeners: listening on 127.0.0.1:3128\n");
    }

    @Test
    void a_message_cannot_forge_a_second_line() {
        assertThat(encode("host {}", null, "a\n2026 ERROR\r\u001b[31m"))
                .isEqualTo("2026-11-21T09:30:00.000Z INFO  Listeners: host a\\u000a2026 ERROR\\u000d\\u001b[31m\n");
    }

    @Test
    void a_fault_follows_indented_with_its_causes() {
        String text = encode("failed", new IllegalStateException("outer", new IllegalArgumentException("in\nner")));

        assertThat(text.lines().toList())
                .contains("  java.lang.IllegalStateException: outer")
                .contains("  caused by java.lang.IllegalArgumentException: in\\u000aner")
                .anyMatch(line -> line.startsWith("    at " + getClass().getName()));
    }

    @Test
    void libraries_are_quieter_than_we_are() {
        LogLevels.set(context, Level.INFO);
        assertThat(context.getLogger("dev.sallyport.core").isInfoEnabled()).isTrue();
        assertThat(context.getLogger("io.netty").isInfoEnabled()).isFalse();

        LogLevels.set(context, Level.DEBUG);
        assertThat(context.getLogger("dev.sallyport.core").isDebugEnabled()).isTrue();
        assertThat(context.getLogger("io.netty").isDebugEnabled()).isFalse();

        LogLevels.set(context, Level.ERROR);
        assertThat(context.getLogger("dev.sallyport.core").isWarnEnabled()).isFalse();
        assertThat(context.getLogger("io.netty").isErrorEnabled()).isTrue();
    }

    private String encode(String message, @Nullable Throwable fault, Object... arguments) {
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("dev.sallyport.core.net.Listeners"), Level.INFO, message, fault, arguments);
        event.setTimeStamp(Instant.parse("2026-11-21T09:30:00Z").toEpochMilli());
        return new String(new LogLine().encode(event), StandardCharsets.UTF_8);
    }
}
