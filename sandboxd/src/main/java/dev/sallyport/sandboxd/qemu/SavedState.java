package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.system.UnixConnection;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a virtual machine had in memory, and the state of its devices, as a file: a page that says what it is, and then what
 * QEMU wrote. The page is written last, so that a file which was cut off says nothing.
 */
final class SavedState {

    private static final int PAGE = 4096;
    private static final int PART = 1 << 20;
    private static final Pattern HEAD =
            Pattern.compile("sallyport-state 1\n([0-9a-f]{64}) ([0-9]{1,18})\n([^\n]+)\n\0*");

    private SavedState() {}

    /**
     * What a file says of itself.
     *
     * @param digest the SHA-256 of what QEMU wrote, in hexadecimal
     * @param bytes how much that is
     * @param shape of what machine it is
     */
    record Head(String digest, long bytes, String shape) {

        private byte[] page() {
            byte[] text = "sallyport-state 1\n%s %d\n%s\n"
                    .formatted(digest, bytes, shape)
                    .getBytes(StandardCharsets.UTF_8);
            if (text.length > PAGE) {
                throw new IllegalArgumentException("a machine that takes so much to describe: " + shape);
            }
            return Arrays.copyOf(text, PAGE);
        }
    }

    /** Reads what a file says of itself. */
    static Head head(Path file) throws IOException, WireException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer page = ByteBuffer.allocate(PAGE);
            int read = 0;
            while (page.hasRemaining() && read >= 0) {
                read = channel.read(page);
            }
            Matcher head = HEAD.matcher(StandardCharsets.UTF_8.decode(page.flip()));
            if (!head.matches()) {
                throw new WireException("the saved state is none");
            }
            return new Head(head.group(1), Long.parseLong(head.group(2)), head.group(3));
        }
    }

    /**
     * Writes all of it, and returns when QEMU has that.
     *
     * @throws WireException when it is not what the file says; QEMU has a part of it, or all, and must not go on
     */
    static void send(Path file, UnixConnection qemu) throws IOException, WireException, InterruptedException {
        Head head = head(file);
        MessageDigest digest = DiskForm.sha256();
        long sent = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer part = ByteBuffer.allocate(PART);
            channel.position(PAGE);
            while (channel.read(part) >= 0) {
                byte[] bytes = Arrays.copyOf(part.array(), part.position());
                digest.update(bytes);
                qemu.write(bytes);
                sent += bytes.length;
                part.clear();
            }
        }
        if (sent != head.bytes() || !HexFormat.of().formatHex(digest.digest()).equals(head.digest())) {
            throw new WireException("the saved state is damaged");
        }
    }

    /** Writes a file. For one thread. */
    static final class Writer implements AutoCloseable {

        private final FileChannel channel;
        private final MessageDigest digest = DiskForm.sha256();
        private final long most;
        private long written;

        /**
         * Begins one, where none is.
         *
         * @param most how large the file may become
         */
        Writer(Path file, long most) throws IOException {
            PrivateFiles.create(file);
            this.channel = FileChannel.open(file, StandardOpenOption.WRITE).position(PAGE);
            this.most = most - PAGE;
        }

        /** Writes some more, to the end of the buffer. */
        void write(ByteBuffer part) throws IOException {
            written += part.remaining();
            if (written > most) {
                throw new IOException("the saved state would take more than " + most + " bytes");
            }
            digest.update(part.duplicate());
            while (part.hasRemaining()) {
                channel.write(part);
            }
        }

        /** Says what the file is, which is all of it then. */
        void finish(String shape) throws IOException {
            Head head = new Head(HexFormat.of().formatHex(digest.digest()), written, shape);
            channel.write(ByteBuffer.wrap(head.page()), 0);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
