package dev.sallyport.core.audit;

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

/** The sinks that write to a place of this machine. */
public final class AuditSinks {

    private AuditSinks() {}

    /** Nowhere: records are for {@link AuditListener}s only. */
    public static AuditSink none() {
        return new NoSink();
    }

    /** Each record as a message of level INFO, to be laid out and kept as the application's logging says. */
    public static AuditSink slf4j(Logger log) {
        return new LogSink(log);
    }

    /** Standard output, past {@link System#out} and its locks. Closing the sink leaves it open. */
    public static AuditSink stdout() {
        @SuppressWarnings("resource") // standard output is not ours to close
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        return new ChannelSink(out.getChannel(), false);
    }

    /** Appends to a file, which is made with mode 0600 when it is not there. */
    public static AuditSink file(Path file) throws IOException {
        return new ChannelSink(AuditFile.create(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
    }

    /** All of these, in their order; they are closed with it. A line counts as written when each of them has it. */
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
     * Writes to a stream, which is closed with the sink. A stream does not tell how much it took before it failed: after
     * a failure the first lines may be there twice.
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
            // Nothing is held back.
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
            // Nothing is held back.
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
            // Nothing is held back.
        }

        @Override
        public void close() {
            // The logger is the application's.
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
