package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trees that nothing needs any more. They lose their names at once, so that nobody takes what is half removed for the whole,
 * and are removed one after the other by a thread of its own, however many files guests have put into them. One that cannot
 * be removed holds up no other. Safe for use by many threads.
 */
final class Trash implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Trash.class);
    private static final String PREFIX = ".old-";
    private static final Duration LONGEST = Duration.ofHours(6);

    private final Path folder;

    /** Those that are being removed or are about to be. */
    private final Set<Path> pending = ConcurrentHashMap.newKeySet();

    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("sandboxd-trash").factory());

    /** @param folder where trees are that are taken, and stay until they are removed */
    Trash(Path folder) {
        this.folder = folder;
    }

    /** Takes a tree out of its place, and returns before it is removed. Nothing being there is no error. */
    void take(Path tree) throws IOException {
        Path old = folder.resolve(PREFIX + UUID.randomUUID());
        try {
            Files.move(tree, old, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone already", tree);
            return;
        }
        remove(old);
    }

    /** Takes up what could not be removed, and what a process that ended has left. */
    void takeRemains() throws IOException {
        try (DirectoryStream<Path> remains = Files.newDirectoryStream(folder, PREFIX + "*")) {
            remains.forEach(this::remove);
        }
    }

    private void remove(Path old) {
        if (!pending.add(old)) {
            return;
        }
        try {
            thread.execute(() -> work(old));
        } catch (RejectedExecutionException e) {
            LOG.debug("the next start removes {}", old);
        }
    }

    private void work(Path old) {
        try {
            PrivateFiles.deleteTree(old, LONGEST);
        } catch (CommandException | RuntimeException e) {
            LOG.warn("{} stays until another one is removed, or the next start: {}", old, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the driver is closed; the next start removes it
        } finally {
            pending.remove(old);
        }
    }

    /** Cuts off what is being removed; the next start goes on with it. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
