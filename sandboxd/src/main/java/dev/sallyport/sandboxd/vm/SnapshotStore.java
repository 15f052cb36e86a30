package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of this machine, a folder each: {@code captured.json} beside the copy until it is sealed, {@code
 * sealed.json} from then on; {@code memory} goes with the snapshot. Layers stay as long as a snapshot or a VM names them. Safe for use by many threads.
 */
final class SnapshotStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);

    /** What a mount takes as its options is a page, in which each of them has its path. */
    private static final int MOST_LAYERS = 16;

    private final HostSettings settings;
    private final LayerStore layers;
    private final KeyLocks<SnapshotId> locks = new KeyLocks<>();

    SnapshotStore(HostSettings settings, LayerForm form) {
        this.settings = settings;
        this.layers = new LayerStore(settings.layers(), settings.ids().base(), form);
    }

    LayerStore layers() {
        return layers;
    }

    /** Work on one snapshot. */
    interface Work<T> {
        T run() throws VmException, IOException, WireException, CommandException, InterruptedException;
    }

    /** Works on one snapshot, alone. */
    <T> T with(SnapshotId id, Work<T> work) throws VmException, InterruptedException {
        try (KeyLocks.Held alone = locks.lock(id)) {
            return work.run();
        } catch (CommandException | IOException | WireException e) {
            throw new VmException(Reasons.of(e), id + ": " + e.getMessage(), e);
        }
    }

    private SnapshotFiles files(SnapshotId id) {
        return SnapshotFiles.of(settings, id);
    }

    /** Whether there is one, which has to be of this VM. */
    boolean isOf(SnapshotId id, VmId vm) throws VmException, IOException, WireException {
        SnapshotRecord present = files(id).present();
        if (present != null && !present.vm().equals(vm)) {
            throw new VmException(Reason.CONFLICT, "snapshot " + id + " is of another VM");
        }
        return present != null;
    }

    /**
     * A copy of a VM that nothing names yet.
     *
     * @param source what the VM is made of
     * @param pin what keeps that until the snapshot's file names it
     */
    record Copy(VmRecord source, Pins.Pin pin) implements AutoCloseable {

        @Override
        public void close() {
            pin.close();
        }
    }

    /** Takes the copy of a VM that runs. It is in memory at first, and no snapshot until {@link #keep}. */
    Copy copy(SnapshotId id, VmId vm, VmRecord source, Guest guest)
            throws VmException, IOException, WireException, CommandException, InterruptedException {
        if (source.layers().size() >= MOST_LAYERS) {
            throw new VmException(
                    Reason.INVALID,
                    "VM " + vm + " is made from a snapshot on top of " + (MOST_LAYERS - 1)
                            + " others (expected: fewer; copy what is of use into a VM that is made from an image)");
        }
        SnapshotFiles files = files(id);
        PrivateFiles.deleteTree(files.home()); // what an attempt that was killed has left
        Room room = Room.of(settings.snapshots());
        room.require(1);
        long most = Math.min(guest.largestCapture(source), room.bytes());
        Pins.Pin pin = layers.pin(source.layers());
        boolean done = false;
        try {
            PrivateFiles.folder(files.home(), settings.ids().base());
            PrivateFiles.create(files.content());
            long millis = guest.capture(new Body.Target(files.content(), most, files.memory(), room.bytes() - most))
                    .toMillis();
            LOG.info(
                    "{} stood still for {} ms while {} bytes of {} were copied, and {} of its memory",
                    vm,
                    millis,
                    Files.size(files.content()),
                    id,
                    memoryBytes(files));
            done = true;
            return new Copy(source, pin);
        } catch (CommandException e) {
            if (e.tooLarge()) {
                throw new VmException(
                        most == room.bytes() ? Reason.EXHAUSTED : Reason.FAILED,
                        "a copy of what " + vm + " has written would take more than " + most
                                + " bytes (expected: fewer hard links and shorter names, or a larger disk)",
                        e);
            }
            throw e;
        } finally {
            if (!done) {
                pin.close();
                removeAtAnyRate(id);
            }
        }
    }

    /** Makes a copy a snapshot, as soon as it is on the disk. */
    void keep(SnapshotId id, VmId vm, Copy copy) throws IOException, InterruptedException {
        SnapshotFiles files = files(id);
        VmRecord source = copy.source();
        boolean done = false;
        try {
            force(files.content());
            if (Files.exists(files.memory())) {
                force(files.memory());
            }
            PrivateFiles.write(
                    files.capturedFile(), new SnapshotRecord(vm, source.digest(), source.layers(), 0).toJson());
            done = true;
        } finally {
            if (!done) {
                removeAtAnyRate(id);
            }
        }
    }

    private static long memoryBytes(SnapshotFiles files) throws IOException {
        return Files.exists(files.memory()) ? Files.size(files.memory()) : 0;
    }

    /** What its VM had in memory, as the body of the VM wrote it; null for nothing. */
    @Nullable Path memory(SnapshotId id) {
        Path memory = files(id).memory();
        return Files.exists(memory) ? memory : null;
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private void removeAtAnyRate(SnapshotId id) throws InterruptedException {
        boolean interrupted = Thread.interrupted();
        try {
            PrivateFiles.deleteTree(files(id).home());
        } catch (CommandException e) {
            LOG.warn("remains of {} are removed when it is captured again or discarded: {}", id, e.getMessage());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Makes a layer of what was captured. */
    Layer seal(SnapshotId id) throws VmException, IOException, WireException, CommandException, InterruptedException {
        SnapshotFiles files = files(id);
        SnapshotRecord sealed = files.sealed();
        if (sealed == null) {
            sealed = seal(id, files, require(id, files.captured()));
        }
        Files.deleteIfExists(files.content());
        Files.deleteIfExists(files.capturedFile());
        return new Layer(sealed.layers().getFirst(), sealed.sizeBytes());
    }

    private SnapshotRecord seal(SnapshotId id, SnapshotFiles files, SnapshotRecord captured)
            throws VmException, IOException, CommandException, InterruptedException {
        Room.of(settings.layers()).require(Files.size(files.content()));
        try (LayerStore.Unpacked unpacked = layers.unpack(id.value(), files.content())) {
            Layer layer = unpacked.layer();
            SnapshotRecord sealed = captured.sealed(layer.digest(), layer.sizeBytes() + memoryBytes(files));
            try (Pins.Pin pin = layers.pin(List.of(layer.digest()))) {
                unpacked.keep();
                PrivateFiles.write(files.sealedFile(), sealed.toJson());
            }
            return sealed;
        }
    }

    /**
     * What a VM is made of that is made from a snapshot.
     *
     * @param record as its file says
     * @param pin what keeps its layers until the VM's own file names them
     */
    record Opened(SnapshotRecord record, Pins.Pin pin) implements AutoCloseable {

        @Override
        public void close() {
            pin.close();
        }
    }

    /**
     * Opens a snapshot, once its layers are known to be whole.
     *
     * @throws VmException {@code PREPARING} when that takes longer than a moment
     */
    Opened open(SnapshotId id) throws VmException, IOException, WireException, InterruptedException {
        SnapshotRecord named = sealed(id);
        Pins.Pin pin = layers.pin(named.layers());
        boolean opened = false;
        try {
            recheck(id, named);
            layers.verify(named.layers());
            opened = true;
            return new Opened(named, pin);
        } finally {
            if (!opened) {
                pin.close();
            }
        }
    }

    /** Looks whether a snapshot that was opened is still there: what it names may have been removed if it is not. */
    void recheck(SnapshotId id, SnapshotRecord named) throws VmException, IOException, WireException {
        if (!sealed(id).equals(named)) {
            throw new VmException(Reason.SNAPSHOT_NOT_FOUND, "snapshot " + id + " is another one now");
        }
    }

    private SnapshotRecord sealed(SnapshotId id) throws VmException, IOException, WireException {
        return require(id, files(id).sealed());
    }

    private static SnapshotRecord require(SnapshotId id, @Nullable SnapshotRecord found) throws VmException {
        if (found == null) {
            throw new VmException(Reason.SNAPSHOT_NOT_FOUND, "there is no such snapshot " + id);
        }
        return found;
    }

    /** Removes it; its layers stay as long as something else names them. */
    void discard(SnapshotId id) throws IOException, CommandException, InterruptedException {
        SnapshotFiles files = files(id);
        Files.deleteIfExists(files.sealedFile());
        Files.deleteIfExists(files.capturedFile());
        layers.discard(id.value());
        PrivateFiles.deleteTree(files.home());
    }

    Set<SnapshotId> ids() throws IOException {
        return SnapshotFiles.ids(settings.snapshots());
    }

    /**
     * Removes layers that neither a snapshot nor a VM names. Where a file cannot be read that may name some, all of them stay.
     *
     * @param first whether this process has just begun, so that nobody is at work
     */
    void collect(boolean first) throws InterruptedException {
        try {
            List<String> removed =
                    layers.removeOthers(() -> References.of(settings).layers(), first);
            if (!removed.isEmpty()) {
                LOG.info("layers that nothing is made of any more are removed: {}", removed);
            }
        } catch (IOException | VmException e) {
            LOG.warn("layers that nothing is made of any more stay: {}", e.toString());
        }
    }

    @Override
    public void close() {
        layers.close();
    }
}
