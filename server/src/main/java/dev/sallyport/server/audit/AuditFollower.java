package dev.sallyport.server.audit;

import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.BackwardLines;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of an audit file as they are written, also when it is rotated: then what is left of the old file comes
 * first, then the files between, then the new one. Not thread-safe.
 */
public final class AuditFollower implements Closeable {

    private final Path file;
    private final Consumer<String> receiver;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private FileChannel channel;
    private InputStream in;
    private @Nullable Object identity;

    /**
     * Opens a file.
     *
     * @param last how many of its lines are handed on, the last ones
     * @param receiver gets each complete line without its line feed
     */
    public AuditFollower(Path file, int last, Consumer<String> receiver) throws IOException {
        this.file = file.toRealPath();
        this.receiver = receiver;
        long from = start(this.file, last);
        this.channel = FileChannel.open(this.file, StandardOpenOption.READ);
        this.in = Channels.newInputStream(channel);
        this.identity = identity(this.file);
        channel.position(from);
    }

    private static long start(Path file, int last) throws IOException {
        try (BackwardLines lines = new BackwardLines(file)) {
            int count = 0;
            long start = Files.size(file);
            while (count < last && lines.previous()) {
                start = lines.start();
                count++;
            }
            return start;
        }
    }

    /** Hands on what has been written since the last call. */
    public void poll() throws IOException {
        read();
        if (channel.size() < channel.position()) {
            channel.position(0); // Somebody has emptied it.
            line.reset();
            read();
        }
        List<Path> following = following();
        for (Path next : following) {
            read(); // What came between the last look and the rotation.
            if (!turnTo(next)) {
                return;
            }
            read();
        }
    }

    /** The files that came after the one at hand, the newest last; none while it is the newest. */
    private List<Path> following() throws IOException {
        Object now = identity(file);
        if (now == null || Objects.equals(now, identity)) {
            return List.of(); // In the midst of a rotation there is none.
        }
        List<Path> all = new ArrayList<>(AuditNames.rotated(file));
        all.add(file);
        for (int i = 0; i < all.size(); i++) {
            if (Objects.equals(identity(all.get(i)), identity)) {
                return all.subList(i + 1, all.size());
            }
        }
        return List.of(file); // It has been deleted.
    }

    private boolean turnTo(Path next) throws IOException {
        Object before = identity(next);
        FileChannel opened;
        try {
            opened = FileChannel.open(next, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            return false; // Renamed or deleted meanwhile: the next call finds it, or what came after it.
        }
        if (before == null || !before.equals(identity(next))) {
            opened.close();
            return false; // Renamed meanwhile.
        }
        channel.close();
        line.reset();
        channel = opened;
        in = Channels.newInputStream(opened);
        identity = before;
        return true;
    }

    private void read() throws IOException {
        byte[] buffer = new byte[8192];
        int count = in.read(buffer);
        while (count > 0) {
            int from = 0;
            for (int i = 0; i < count; i++) {
                if (buffer[i] == '\n') {
                    line.write(buffer, from, i - from);
                    receiver.accept(line.toString(StandardCharsets.UTF_8));
                    line.reset();
                    from = i + 1;
                }
            }
            line.write(buffer, from, count - from);
            count = in.read(buffer);
        }
    }

    /** What stays the same when a file is renamed; null where there is none. */
    private static @Nullable Object identity(Path file) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.fileKey() == null ? attributes.creationTime() : attributes.fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
