package dev.sallyport.sandboxd;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.oci.OciKind;
import dev.sallyport.sandboxd.qemu.QemuKind;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.HostDriver;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Which kind of drivers runs VMs. */
final class Kinds {

    /** The first that can: one whose VMs are there, else in this order. */
    static final String AUTO = "auto";

    private static final List<Kind> ALL = List.of(new OciKind(), new QemuKind());

    private Kinds() {}

    /**
     * The kind of a name.
     *
     * @throws VmException {@code INVALID} for a name that is none, {@code UNAVAILABLE} where none can run VMs
     */
    static Kind choose(String name, HostSettings settings) throws VmException, IOException, InterruptedException {
        return choose(name, settings, ALL);
    }

    /** The same, of these kinds. */
    static Kind choose(String name, HostSettings settings, List<Kind> kinds)
            throws VmException, IOException, InterruptedException {
        String wanted = name.equals(AUTO) ? HostDriver.kindOf(settings).orElse(AUTO) : name;
        List<String> problems = new ArrayList<>();
        for (Kind kind : kinds) {
            if (kind.name().equals(wanted)) {
                return kind;
            }
            if (wanted.equals(AUTO)) {
                if (kind.check(settings, Cgroups.probe()) instanceof Availability.Unavailable unavailable) {
                    problems.add("driver " + kind.name() + ": " + String.join("; ", unavailable.problems()));
                } else {
                    return kind;
                }
            }
        }
        throw problems.isEmpty()
                ? new VmException(Reason.INVALID, "driver: there is no " + name + " (expected: auto, oci, qemu)")
                : new VmException(Reason.UNAVAILABLE, String.join("; ", problems));
    }
}
