package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.Body;
import dev.sallyport.sandboxd.vm.LayerForm;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.Platform;
import dev.sallyport.sandboxd.vm.VmFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Containers of crun or runc. */
final class OciPlatform implements Platform {

    private static final Logger LOG = LoggerFactory.getLogger(OciPlatform.class);

    private final Machine machine;
    private final Container.Tools tools;

    /** @param runtime crun or runc */
    OciPlatform(Machine machine, String runtime) throws IOException {
        this.machine = machine;
        PrivateFiles.folder(
                ContainerFiles.runs(machine.settings()),
                machine.settings().ids().base());
        this.tools = new Container.Tools(
                new OciRuntime(runtime, machine),
                new Bundle(machine.settings(), machine.cgroups().limitsSwap(), sys(machine), machine.trust()),
                new SshServers(),
                new FormattedDisks());
    }

    /** A folder with the mount points of a guest's {@code /sys}, which has nothing else. */
    private static Path sys(Machine machine) throws IOException {
        Path sys = machine.settings().runDir().resolve("sys");
        Files.createDirectories(sys.resolve("devices/system/cpu"));
        return sys;
    }

    @Override
    public Body body(VmId id, VmFiles files) {
        return new Container(id, ContainerFiles.of(machine.settings(), id, files.home()), machine, tools);
    }

    @Override
    public long leastMemory() {
        return 0; // any that a description can have
    }

    @Override
    public LayerForm layers() {
        return new TreeForm();
    }

    @Override
    public void resume() throws IOException {
        machine.cgroups().thawAll(machine.settings().cgroup());
    }

    @Override
    public Map<VmId, Long> running() throws IOException, CommandException, InterruptedException {
        Map<VmId, Long> all = new TreeMap<>();
        tools.runtime().list().forEach((name, pid) -> {
            if (VmId.isValid(name)) {
                all.put(new VmId(name), pid);
            }
        });
        return all;
    }

    @Override
    public void removeOthers(Set<VmId> kept) throws IOException, InterruptedException {
        try {
            for (VmId id : running().keySet()) {
                if (!kept.contains(id)) {
                    remove(id);
                }
            }
        } catch (CommandException e) {
            LOG.warn("the containers that belong to no VM that runs stay: {}", e.getMessage());
        }
        machine.cgroups()
                .removeOthers(
                        machine.settings().cgroup(),
                        kept.stream().map(VmId::value).collect(Collectors.toSet()));
    }

    private void remove(VmId id) throws InterruptedException {
        try {
            tools.runtime().delete(id);
        } catch (CommandException e) {
            LOG.warn("the container {}, which belongs to no VM that runs, stays: {}", id, e.getMessage());
        }
    }
}
