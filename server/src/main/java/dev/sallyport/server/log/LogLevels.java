package dev.sallyport.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.sallyport.core.config.LogSection;
import org.slf4j.LoggerFactory;

/** Sets how much is logged. */
public final class LogLevels {

    private static final String OURS = "dev.sallyport";

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
    }
}
