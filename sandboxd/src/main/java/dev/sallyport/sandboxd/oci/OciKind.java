package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.Platform;
import java.io.IOException;

/** Drivers whose VMs are containers. */
public final class OciKind implements Kind {

    @Override
    public String name() {
        return "oci";
    }

    @Override
    public Availability check(HostSettings settings, Cgroups cgroups) throws IOException, InterruptedException {
        return new Requirements(cgroups, settings).check();
    }

    @Override
    public Platform open(Machine machine) throws IOException {
        Requirements requirements = new Requirements(machine.cgroups(), machine.settings());
        return new OciPlatform(machine, String.valueOf(requirements.runtime()));
    }
}
