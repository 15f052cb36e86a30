package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What snapshots add, a folder for each, to lie below what guests write. Nothing changes a layer; it is what its hash says,
 * which is looked at once by each process that makes VMs from it. Safe for use by many threads.
 */
final class LayerStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LayerStore.class);
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final String PREFIX = "sha256:";
    private static final String FRESH = ".new-";

    /** How many layers are read at a time: a disk does not read more of them faster. */
    private static final int READERS = 2;

    /** A place at sandboxd and one in the control plane are taken meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** What had the name of a layer and was none; guests may run from it. */
    private static final Pattern DAMAGED = Pattern.compile("\\.bad-([0-9a-f]{64})-.*");

    private final Path folder;
    private final int group;
    private final LayerForm form;
    private final Set<String> verified = ConcurrentHashMap.newKeySet();
    private final KeyLocks<String> locks = new KeyLocks<>();
    private final Pins pins = new Pins();
    private final Trash trash;
    private final Reading reading;

    /** The layers that are being read to verify them. */
    private final Map<String, CompletableFuture<String>> checks = new ConcurrentHashMap<>();

    /**
     * How layers are read to verify them.
     *
     * @param threads what reads them
     * @param patience how long whoever needs one waits
     */
    record Reading(ExecutorService threads, Duration patience) {}

    /** @param group who may pass through folders */
    LayerStore(Path folder, int group, LayerForm form) {
        this(
                folder,
                group,
                form,
                new Reading(
                        Executors.newFixedThreadPool(
                                READERS,
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("sandboxd-layer-", 1)
                                        .factory()),
                        PATIENCE));
    }

    LayerStore(Path folder, int group, LayerForm form, Reading reading) {
        this.folder = folder;
        this.group = group;
        this.form = form;
        this.trash = new Trash(folder);
        this.reading = reading;
    }

    /** Where a layer is. */
    Path root(String digest) {
        return folder(digest).resolve(form.name());
    }

    private Path folder(String digest) {
        String hash = digest.startsWith(PREFIX) ? digest.substring(PREFIX.length()) : "";
        if (!HASH.matcher(hash).matches()) {
            throw new IllegalArgumentException("a digest that is none (expected: sha256: and 64 of 0-9, a-f)");
        }
        return folder.resolve(hash);
    }

    /**
     * Keeps layers from being removed until it is closed.
     *
     * @see Pins#pin
     */
    Pins.Pin pin(List<String> digests) throws InterruptedException {
        return pins.pin(digests);
    }

    /** An archive that is unpacked, and not a layer yet. Closing it removes what has not become one. */
    final class Unpacked implements AutoCloseable {

        private final Path fresh;
        private final Layer layer;

        private Unpacked(Path fresh, Layer layer) {
            this.fresh = fresh;
            this.layer = layer;
        }

        Layer layer() {
            return layer;
        }

        /**
         * Makes it one, unless there is the same one. What has its name and is something else is put aside. Whoever calls
         * has it pinned.
         */
        void keep() throws IOException, CommandException, InterruptedException {
            String digest = layer.digest();
            try (KeyLocks.Held alone = locks.lock(digest)) {
                if (verified.contains(digest)) {
                    return;
                }
                Path place = folder(digest);
                if (Files.exists(place, LinkOption.NOFOLLOW_LINKS) && !form.is(digest, root(digest))) {
                    Path aside = folder.resolve(".bad-" + place.getFileName() + "-" + UUID.randomUUID());
                    LOG.error("the layer {} is damaged: it is put aside as {}, and made again", digest, aside);
                    Files.move(place, aside, StandardCopyOption.ATOMIC_MOVE);
                }
                if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                    Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
                }
                verified.add(digest);
            }
        }

        @Override
        public void close() {
            discard(fresh);
        }
    }

    /** What cannot be taken away now is taken away when something else is, or at the next start. */
    private void discard(Path tree) {
        try {
            trash.take(tree);
        } catch (IOException e) {
            LOG.warn("{} stays for now: {}", tree, e.toString());
        }
    }

    /**
     * Unpacks an archive.
     *
     * @param name of the folder in which that is done; what is there is removed
     */
    Unpacked unpack(String name, Path archive) throws IOException, CommandException, InterruptedException {
        Path fresh = folder.resolve(FRESH + name);
        trash.take(fresh);
        PrivateFiles.folder(fresh, group);
        boolean done = false;
        try {
            Unpacked unpacked = new Unpacked(fresh, form.make(archive, fresh.resolve(form.name())));
            done = true;
            return unpacked;
        } finally {
            if (!done) {
                discard(fresh);
            }
        }
    }

    /** Removes what an attempt to unpack an archive has left that was cut off. */
    void discard(String name) throws IOException {
        trash.take(folder.resolve(FRESH + name));
    }

    /**
     * Looks whether layers are what their digests say. They are read in the background, which goes on when the caller is
     * turned away. Whoever calls has them pinned.
     *
     * @throws VmException {@code FAILED} when one is not, or is not there; {@code PREPARING} when that is not known yet
     */
    void verify(List<String> digests) throws VmException, InterruptedException {
        long deadline = System.nanoTime() + reading.patience().toNanos();
        List<CompletableFuture<String>> begun = digests.stream()
                .filter(digest -> !verified.contains(digest))
                .map(this::check)
                .toList();
        try {
            for (CompletableFuture<String> check : begun) {
                check.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            throw new VmException(
                    Reason.PREPARING, "the layers of the snapshot are still being compared with their hashes", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            Reason reason = switch (cause) {
                case InterruptedException over -> Reason.UNAVAILABLE;
                case Exception failed -> Reasons.of(failed);
                case null, default -> Reason.FAILED;
            };
            throw new VmException(
                    reason, cause == null ? "the layer cannot be read" : String.valueOf(cause.getMessage()), e);
        }
    }

    /** One at a time for each layer, which it keeps pinned. */
    private CompletableFuture<String> check(String digest) {
        CompletableFuture<String> fresh = new CompletableFuture<>();
        CompletableFuture<String> running = checks.putIfAbsent(digest, fresh);
        if (running != null) {
            return running;
        }
        Pins.Pin pin = pins.pinOn(List.of(digest));
        reading.threads().execute(() -> {
            try (pin) {
                look(digest);
                checks.remove(digest);
                fresh.complete(digest);
            } catch (VmException | IOException | CommandException | InterruptedException | RuntimeException | Error e) {
                checks.remove(digest);
                fresh.completeExceptionally(e);
            }
        });
        return fresh;
    }

    private void look(String digest) throws VmException, IOException, CommandException, InterruptedException {
        try (KeyLocks.Held alone = locks.lock(digest)) {
            if (!verified.contains(digest)) {
                if (!form.is(digest, root(digest))) {
                    throw new VmException(Reason.FAILED, "the layer " + digest + " of the snapshot is damaged");
                }
                verified.add(digest);
            }
        }
    }

    /** Reads which layers something is made of. */
    interface Names {
        Set<String> read() throws IOException, VmException;
    }

    /**
     * Removes layers that are neither named nor pinned. They lose their names before it returns; how long it takes until
     * nothing is left of them depends on what is in them, and nobody waits for that.
     *
     * @param names read while nobody pins anything
     * @param unpackedToo whether to remove also what was being unpacked: right after the start of the process
     * @return the names that their folders had
     */
    List<String> removeOthers(Names names, boolean unpackedToo) throws IOException, VmException, InterruptedException {
        List<String> removed = new ArrayList<>();
        try (Pins.Quiet quiet = pins.quiet();
                DirectoryStream<Path> folders = Files.newDirectoryStream(folder)) {
            Set<String> used = new HashSet<>(quiet.pinned());
            used.addAll(names.read());
            for (Path candidate : folders) {
                String name = candidate.getFileName().toString();
                if (isOver(name, used, unpackedToo)) {
                    verified.remove(PREFIX + name);
                    discard(candidate);
                    removed.add(name);
                }
            }
        }
        trash.takeRemains();
        return removed;
    }

    private static boolean isOver(String name, Set<String> used, boolean unpackedToo) {
        Matcher damaged = DAMAGED.matcher(name);
        if (damaged.matches()) {
            return !used.contains(PREFIX + damaged.group(1));
        }
        return name.startsWith(FRESH) ? unpackedToo : HASH.matcher(name).matches() && !used.contains(PREFIX + name);
    }

    @Override
    public void close() {
        reading.threads().shutdownNow();
        trash.close();
    }
}
