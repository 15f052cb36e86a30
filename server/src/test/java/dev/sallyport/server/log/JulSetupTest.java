package dev.sallyport.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.logging.LogManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What libraries log with java.util.logging goes the way of the ordinary log. */
class JulSetupTest {

    private static final String LOGGER = "io.grpc.internal.Test";

    private final ListAppender<ILoggingEvent> seen = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(LOGGER);

    @AfterEach
    void restore() throws IOException {
        log.detachAppender(seen);
        LogManager.getLogManager().readConfiguration();
    }

    @Test
    void a_message_keeps_logger_level_arguments_and_cause() throws Exception {
        seen.start();
        log.addAppender(seen);
        log.setLevel(Level.INFO);

        new JulSetup();
        java.util.logging.Logger jul = java.util.logging.Logger.getLogger(LOGGER);
        jul.log(java.util.logging.Level.SEVERE, "lost {0}", "everything");
        jul.log(java.util.logging.Level.WARNING, "why", new IOException("broken"));
        jul.fine("too much");

        assertThat(seen.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly("lost everything", "why");
        assertThat(seen.list.stream().map(ILoggingEvent::getLevel)).containsExactly(Level.ERROR, Level.WARN);
        assertThat(seen.list.get(1).getThrowableProxy().getMessage()).isEqualTo("broken");
    }
}
