package dev.sallyport.sandboxcli;

import dev.sallyport.core.MachineCheck;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.oci.Examination;
import dev.sallyport.sandboxd.qemu.QemuKind;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What sandboxes need of this machine, with the usual settings: as containers, and what virtual machines need besides. */
public final class SandboxCheck implements MachineCheck {

    /** For the service loader. */
    public SandboxCheck() {}

    @Override
    public String name() {
        return "sandboxes";
    }

    @Override
    public String summary() {
        return "what sandboxd, as root, needs to run VMs";
    }

    @Override
    public List<Need> examine() throws InterruptedException {
        try {
            HostSettings settings = HostSettings.of(Map.of());
            Map<String, dev.sallyport.sandboxd.vm.Need> all = new LinkedHashMap<>();
            Examination.of(settings).forEach(need -> all.put(need.name(), need));
            QemuKind.examine(settings).forEach(need -> all.putIfAbsent(need.name(), need.optional()));
            return all.values().stream()
                    .map(need -> new Need(need.name(), need.required(), need.met(), need.found(), need.remedy()))
                    .toList();
        } catch (IOException | VmException e) {
            return List.of(new Need("machine", true, false, String.valueOf(e.getMessage()), "a Linux with /proc"));
        }
    }
}
