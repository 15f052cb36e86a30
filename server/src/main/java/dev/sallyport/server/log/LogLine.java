package dev.sallyport.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import org.jspecify.annotations.Nullable;

/**
 * {@code 2026-11-21T09:30:00.123Z INFO Listeners: listening on 127.0.0.1:3128}. A message is always one line: text
 * that a workload or an upstream sent cannot forge another. A stack trace follows, indented.
 */
final class LogLine extends EncoderBase<ILoggingEvent> {

    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();
    private static final byte[] NOTHING = {};
    private static final int LEVEL_WIDTH = 5;

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
        line.append(' ').append(event.getLevel());
        line.append(
                " ".repeat(Math.max(0, LEVEL_WIDTH - event.getLevel().toString().length())));
        line.append(' ').append(shortName(event.getLoggerName())).append(": ");
        appendOnOneLine(line, event.getFormattedMessage());
        line.append('\n');
        trace(line, event.getThrowableProxy(), "");
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String shortName(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    private static void trace(StringBuilder out, @Nullable IThrowableProxy fault, String prefix) {
        if (fault == null) {
            return;
        }
        out.append("  ").append(prefix).append(fault.getClassName()).append(": ");
        appendOnOneLine(out, fault.getMessage());
        out.append('\n');
        for (StackTraceElementProxy element : fault.getStackTraceElementProxyArray()) {
            out.append("    ").append(element.getSTEAsString()).append('\n');
        }
        if (!fault.isCyclic()) {
            trace(out, fault.getCause(), "caused by ");
        }
    }

    private static void appendOnOneLine(StringBuilder out, @Nullable String text) {
        if (text == null) {
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
    }
}
