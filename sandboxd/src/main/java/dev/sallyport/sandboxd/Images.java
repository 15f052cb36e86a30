package dev.sallyport.sandboxd;

import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.image.ImageBuilder;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.References;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The images of a host, for its operator; sandboxd may run meanwhile, and has no network to fetch any. Needs root. */
public final class Images {

    private final HostSettings settings;
    private final ImageStore store;

    /** The images in the folder of these settings. */
    public Images(HostSettings settings) throws IOException {
        this.settings = settings;
        PrivateFiles.folder(settings.dir(), settings.ids().base());
        this.store = new ImageStore(settings.images(), settings.ids());
    }

    /** Those that have a name. */
    public List<Image> list() throws IOException {
        return store.list();
    }

    /** Brings in a tar file of a root file system. */
    public Image add(ImageName name, Path archive) throws IOException, VmException, InterruptedException {
        return store.add(name, archive);
    }

    /** Makes one of Debian by mmdebstrap, which needs the network. */
    public Image build(ImageName name, String suite, List<String> packages)
            throws IOException, VmException, InterruptedException {
        return new ImageBuilder(store).build(name, suite, packages);
    }

    /**
     * Removes those that neither a VM nor a snapshot nor a name refers to.
     *
     * @param named whether a name does not keep an image
     * @return the digests of those that were removed
     */
    public List<String> prune(boolean named) throws IOException, VmException, InterruptedException {
        try (ImageStore.Hold alone = store.holdAlone()) {
            return store.prune(References.of(settings).images(), named);
        } catch (CommandException e) {
            throw new VmException(Reason.FAILED, e.getMessage(), e);
        }
    }
}
