package dev.sallyport.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.sallyport.core.config.LogSection;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Sets how much is logged. */
public final class LogLevels {

    private static final String OURS = "dev.sallyport";

    /** What these have to say they also throw, and a start that fails is reported in one line. */
    private static final List<String> SAID_TWICE = List.of(
            "io.micronaut.http.server.netty.NettyHttpServer",
            "org.flywaydb.core.internal.jdbc.TransactionalExecutionTemplate");

    private LogLevels() {}

    /** Applies {@code log.level}. Libraries stay one level quieter, and never log at debug. */
    public static void set(LogSection.Level level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            set(context, Level.valueOf(level.name()));
        }
    }

    static void set(LoggerContext context, Level level) {
        Level libraries = level.isGreaterOrEqual(Level.WARN) ? level : level == Level.INFO ? Level.WARN : Level.INFO;
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(libraries);
        context.getLogger(OURS).setLevel(level);
        SAID_TWICE.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
    }
}
