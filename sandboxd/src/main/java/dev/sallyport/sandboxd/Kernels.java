package dev.sallyport.sandboxd;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.qemu.KernelBuilder;
import dev.sallyport.sandboxd.qemu.KernelStore;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The kernel that guests of the driver {@code qemu} boot, for its operator; sandboxd may run meanwhile. Needs root. */
public final class Kernels {

    private final KernelStore store;

    /** That in the folder of these settings. */
    public Kernels(HostSettings settings) throws IOException {
        PrivateFiles.folder(settings.dir(), settings.ids().base());
        this.store = KernelStore.of(settings);
    }

    /**
     * Makes one out of Debian's packages, for guests that start from now on.
     *
     * @param packages files of a kernel and of busybox; none to fetch them by this machine's APT, which needs the network
     * @return its release
     */
    public String build(List<Path> packages) throws IOException, VmException, InterruptedException {
        return new KernelBuilder(store).build(packages);
    }
}
