package dev.sallyport.control;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** All that is logged while it is open, but by the mail server of tests; our own loggers at their finest level. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final List<String> FINE = List.of("dev.sallyport", "org.jdbi", "com.zaxxer", "org.flywaydb");

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);

    private LogCapture() {}

    static LogCapture open() {
        LogCapture capture = new LogCapture();
        capture.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        capture.start();
        capture.root.addAppender(capture);
        FINE.forEach(name -> {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            logger.setLevel(Level.TRACE);
            logger.setAdditive(false); // not to the console as well
            logger.addAppender(capture);
        });
        return capture;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLoggerName().startsWith("com.icegreen")) {
            return;
        }
        String line = event.getLoggerName() + " " + event.getFormattedMessage()
                + (event.getThrowableProxy() == null
                        ? ""
                        : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()));
        lines.add(line);
        if (event.getLevel().isGreaterOrEqual(Level.WARN)
                && !event.getLoggerName().startsWith("com.networknt")) { // the tests' own
            errors.add(line);
        }
    }

    /** Everything. */
    String text() {
        return String.join("\n", lines);
    }

    /** Warnings and errors. */
    List<String> warnings() {
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        root.detachAppender(this);
        FINE.forEach(name -> {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            logger.setLevel(null);
            logger.setAdditive(true);
            logger.detachAppender(this);
        });
        stop();
    }
}
