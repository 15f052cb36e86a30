package dev.sallyport.server.otlp;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the lines of the ordinary log, but for those of the export itself: they would beget others. Never blocks.
 */
final class OtlpAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final String OURS = OtlpAppender.class.getPackageName();
    private static final String SDK = "io.opentelemetry.";

    private final Consumer<LogItem> to;

    OtlpAppender(Consumer<LogItem> to) {
        this.to = to;
        setName("otlp");
    }

    @Override
    protected void append(ILoggingEvent event) {
        String logger = event.getLoggerName();
        if (!logger.startsWith(OURS)
                && !logger.startsWith(SDK)
                && !event.getThreadName().startsWith(CollectorNetwork.THREAD)) {
            to.accept(new LogItem.Line(
                    event.getTimeStamp(),
                    event.getLevel().toString(),
                    logger,
                    event.getFormattedMessage(),
                    fault(event.getThrowableProxy())));
        }
    }

    private static LogItem.@Nullable Fault fault(@Nullable IThrowableProxy thrown) {
        return thrown == null
                ? null
                : new LogItem.Fault(
                        thrown.getClassName(),
                        thrown.getMessage() == null ? "" : thrown.getMessage(),
                        ThrowableProxyUtil.asString(thrown));
    }
}
