package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What VMs and snapshots are made of, as their files say.
 *
 * @param images digests of images
 * @param layers digests of what snapshots add
 */
public record References(Set<String> images, Set<String> layers) {

    private static final Logger LOG = LoggerFactory.getLogger(References.class);

    /** Copies. */
    public References {
        images = Set.copyOf(images);
        layers = Set.copyOf(layers);
    }

    /**
     * Reads all files; sandboxd may run meanwhile. What is half made names nothing. VMs come first: what a snapshot is made
     * of is named by its VM until the snapshot's own file names it. A VM that is made from a snapshot meanwhile is another
     * matter: its layers are pinned, and its image is held.
     *
     * @throws VmException {@code FAILED} when files are damaged, so that it is not known what something is made of
     */
    public static References of(HostSettings settings) throws IOException, VmException {
        Set<String> images = new HashSet<>();
        Set<String> layers = new HashSet<>();
        if (Files.isDirectory(settings.vms())) {
            for (VmId id : Startup.ids(settings.vms())) {
                try {
                    VmRecord vm = VmRecord.parse(
                            Files.readString(VmFiles.of(settings, id).description()));
                    images.add(vm.digest());
                    layers.addAll(vm.layers());
                } catch (NoSuchFileException e) {
                    LOG.debug("{} is half made, or gone meanwhile", id);
                } catch (WireException e) {
                    throw new VmException(Reason.FAILED, id + ": " + e.getMessage(), e);
                }
            }
        }
        if (Files.isDirectory(settings.snapshots())) {
            for (SnapshotId id : SnapshotFiles.ids(settings.snapshots())) {
                try {
                    SnapshotRecord snapshot = SnapshotFiles.of(settings, id).present();
                    if (snapshot != null) {
                        images.add(snapshot.image());
                        layers.addAll(snapshot.layers());
                    }
                } catch (WireException e) {
                    throw new VmException(Reason.FAILED, id + ": " + e.getMessage(), e);
                }
            }
        }
        return new References(images, layers);
    }
}
