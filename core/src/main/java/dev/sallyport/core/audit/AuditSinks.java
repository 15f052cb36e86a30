package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.OwnerOnly;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.slf4j.Logger;

/** Sinks that write to a place on this machine. */
public final class AuditSinks {

    private AuditSinks() {}

    /** Writes nowhere: records are for {@link AuditListener}s alone. */
    public static AuditSink none() {
        return new NoSink();
    }

    /** Logs each record as a message of level INFO, formatted and stored by the application's logging. */
    public static AuditSink slf4j(Logger log) {
        return new LogSink(log);
    }

    /** Standard output, bypassing {@link System#out} and its locks. Closing the sink leaves it open. */
    public static AuditSink stdout() {
        @SuppressWarnings("resource") // standard output stays open
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        return new ChannelSink(out.getChannel(), false);
    }

    /** Appends to a file, which is created with mode 0600 if it does not exist. */
    public static AuditSink file(Path file) throws IOException {
        return new ChannelSink(OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
    }

    /** All of these, in their order, closed together. A line counts as written when each of them has it. */
    public static AuditSink all(List<AuditSink> sinks) {
        return switch (sinks.size()) {
            case 0 -> none();
            case 1 -> sinks.getFirst();
            default -> new AuditSinkTee(sinks);
        };
    }

    /** Writes to a channel in blocking mode, which is closed with the sink. */
    public static AuditSink channel(WritableByteChannel channel) {
        return new ChannelSink(channel, true);
    }

    /**
     * Writes to a stream, which is closed with the sink. A stream does not tell how much it took before it failed:
     * after a failure the first lines may be written twice.
     */
    public static AuditSink stream(OutputStream stream) {
        return new StreamSink(stream);
    }

    private record ChannelSink(WritableByteChannel channel, boolean owned) implements AuditSink {

        @Override
        public void write(ByteBuffer lines) throws IOException {
            if (channel.write(lines) == 0 && lines.hasRemaining()) {
                throw new IOException("the receiver takes nothing at the moment");
            }
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() throws IOException {
            if (owned) {
                channel.close();
            }
        }
    }

    private record NoSink() implements AuditSink {

        @Override
        public void write(ByteBuffer lines) {
            lines.position(lines.limit());
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private record LogSink(Logger log) implements AuditSink {

        @Override
        public void write(ByteBuffer lines) {
            while (lines.hasRemaining()) {
                int end = lines.position();
                while (end < lines.limit() && lines.get(end) != '\n') {
                    end++;
                }
                String line = StandardCharsets.UTF_8
                        .decode(lines.slice(lines.position(), end - lines.position()))
                        .toString();
                log.info("{}", line);
                lines.position(Math.min(end + 1, lines.limit()));
            }
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // The logger belongs to the application.
        }
    }

    private static final class StreamSink implements AuditSink {

        private final OutputStream stream;
        private final WritableByteChannel channel;

        StreamSink(OutputStream stream) {
            this.stream = stream;
            this.channel = Channels.newChannel(stream);
        }

        @Override
        public void write(ByteBuffer lines) throws IOException {
            channel.write(lines);
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
