package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.image.BaseDisks;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.Body;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.LayerForm;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.Platform;
import dev.sallyport.sandboxd.vm.VmFiles;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Virtual machines of QEMU. */
final class QemuPlatform implements Platform {

    private static final Logger LOG = LoggerFactory.getLogger(QemuPlatform.class);

    /** The kernel and its first file system have to fit in it. */
    private static final long LEAST_MEMORY = 128L << 20;

    private final Machine machine;
    private final VirtualMachine.Tools tools;

    QemuPlatform(Machine machine, Accelerator accelerator) throws IOException {
        HostSettings settings = machine.settings();
        PrivateFiles.folder(settings.runDir().resolve("qemu"), settings.ids().base());
        this.machine = machine;
        this.tools = new VirtualMachine.Tools(
                KernelStore.of(settings), new BaseDisks(machine.images(), settings.ids()), accelerator);
    }

    @Override
    public Body body(VmId id, VmFiles files) {
        return machine(id, files);
    }

    private VirtualMachine machine(VmId id, VmFiles files) {
        return new VirtualMachine(id, QemuFiles.of(machine.settings(), id, files.home()), machine, tools);
    }

    @Override
    public long leastMemory() {
        return LEAST_MEMORY;
    }

    @Override
    public LayerForm layers() {
        return new DiskForm();
    }

    @Override
    public void resume() throws IOException, InterruptedException {
        for (VmId id : running().keySet()) {
            try {
                machine(id, VmFiles.of(machine.settings(), id)).resume();
            } catch (IOException | WireException e) {
                LOG.warn("{} may stand still: {}", id, e.getMessage());
            }
        }
    }

    /** One that waits for its first instruction, or for an identity, was being started by a process that ended. */
    @Override
    public Map<VmId, Long> running() throws IOException, InterruptedException {
        Map<VmId, Long> all = new TreeMap<>();
        for (Map.Entry<VmId, Long> group :
                machine.cgroups().processes(machine.settings().cgroup()).entrySet()) {
            if (group.getValue() != 0 && hasBegun(group.getKey())) {
                all.put(group.getKey(), group.getValue());
            }
        }
        return all;
    }

    private boolean hasBegun(VmId id) throws InterruptedException {
        QemuFiles files = QemuFiles.of(
                machine.settings(), id, VmFiles.of(machine.settings(), id).home());
        if (!Files.exists(files.monitor()) || Files.exists(files.renewing())) {
            return false;
        }
        try (Qmp qmp = Qmp.open(files.monitor())) {
            return !qmp.status().equals("prelaunch");
        } catch (ConnectException e) {
            LOG.debug("nobody listens for {}", id, e);
            return false;
        } catch (IOException | WireException e) {
            LOG.warn("the QEMU of {} does not answer: {}", id, e.getMessage());
            return true;
        }
    }

    @Override
    public void removeOthers(Set<VmId> kept) throws IOException, InterruptedException {
        machine.cgroups()
                .removeOthers(
                        machine.settings().cgroup(),
                        kept.stream().map(VmId::value).collect(Collectors.toSet()));
    }
}
