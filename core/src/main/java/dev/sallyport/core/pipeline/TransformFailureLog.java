package dev.sallyport.core.pipeline;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failing transforms with class and stack trace, but never a foreign exception's message, which may leak. */
final class TransformFailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(TransformFailureLog.class);
    private static final int FRAMES = 12;

    private TransformFailureLog() {}

    static void log(Stage stage, Throwable failure) {
        if (failure instanceof StageException fault) {
            LOG.warn("transform {}: {}", stage.name(), fault.getMessage());
            return;
        }
        StringBuilder where = new StringBuilder();
        StackTraceElement[] frames = failure.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
            where.append(i == 0 ? "" : " < ").append(frames[i]);
        }
        LOG.warn(
                "transform {} failed: {} at {}",
                stage.name(),
                failure.getClass().getName(),
                where);
    }
}
