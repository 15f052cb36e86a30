package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.Need;
import dev.sallyport.sandboxd.vm.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drivers whose VMs are virtual machines. */
public final class QemuKind implements Kind {

    private static final Logger LOG = LoggerFactory.getLogger(QemuKind.class);
    private static final Path TAPS = Path.of("/dev/net/tun");
    private static final String ACCELERATOR = "accelerator";
    private static final String KERNEL = "kernel";
    private static final String KVM = "kvm";

    /** Each VM has a user of its own, the number of which is that of its address. */
    private static final int SHORTEST_PREFIX = 16;

    /** Programs, and Debian's packages that bring them. */
    private static final Map<String, String> PROGRAMS = new TreeMap<>(Map.ofEntries(
            Map.entry("qemu-system-x86_64", "qemu-system-x86"),
            Map.entry("qemu-img", "qemu-utils"),
            Map.entry("mke2fs", "e2fsprogs"),
            Map.entry("nft", "nftables"),
            Map.entry("nsenter", "util-linux"),
            Map.entry("unshare", "util-linux"),
            Map.entry("setpriv", "util-linux"),
            Map.entry("setsid", "util-linux"),
            Map.entry("prlimit", "util-linux"),
            Map.entry("choom", "util-linux"),
            Map.entry("tar", "tar"),
            Map.entry("kill", "procps")));

    @Override
    public String name() {
        return "qemu";
    }

    @Override
    public Availability check(HostSettings settings, Cgroups cgroups) throws IOException {
        return CommonNeeds.availability(needs(settings, cgroups), List.of(ACCELERATOR, KERNEL));
    }

    /** All that it needs of a machine, each of which is required. */
    public static List<Need> needs(HostSettings settings, Cgroups cgroups) throws IOException {
        List<Need> needs = new ArrayList<>();
        needs.add(CommonNeeds.root());
        needs.add(CommonNeeds.systemCalls());
        needs.add(CommonNeeds.controlGroups(cgroups, settings.cgroup()));
        PROGRAMS.forEach((program, brings) -> needs.add(CommonNeeds.program(program, brings)));
        needs.add(
                Files.exists(TAPS)
                        ? Need.met("taps", TAPS + " is there")
                        : Need.missing("taps", "there is no " + TAPS, "modprobe tun"));
        needs.add(kernel(KernelStore.of(settings)));
        needs.add(
                settings.plan().prefixLength() >= SHORTEST_PREFIX
                        ? Need.met("subnet", "each VM has a user of its own")
                        : Need.missing("subnet", "there are more addresses than users", "a subnet of /16 or smaller"));
        String against = Accelerator.against(Path.of("/"));
        needs.add(Need.met(
                ACCELERATOR, against.isEmpty() ? "kvm, if a machine boots on it" : "tcg, which is slow: " + against));
        return needs;
    }

    /** All that it needs of a machine, and KVM, which is tried: blocks for ten seconds at most. */
    public static List<Need> examine(HostSettings settings) throws IOException, InterruptedException {
        List<Need> needs = needs(settings, Cgroups.probe());
        needs.removeIf(need -> need.name().equals(ACCELERATOR));
        Path folder = Files.createTempDirectory("sallyport-kvm");
        try {
            Accelerator found = Accelerator.find(folder);
            needs.add(
                    found.kind() == Accelerator.Kind.KVM
                            ? Need.met(KVM, found.reason())
                            : Need.missing(
                                    KVM,
                                    found.reason() + "; the driver qemu is slow without, oci does not need it",
                                    "the kernel's module kvm_intel or kvm_amd, and a processor that is let through"));
        } finally {
            Files.deleteIfExists(folder);
        }
        return needs;
    }

    private static Need kernel(KernelStore kernels) throws IOException {
        return kernels.isThere()
                ? Need.met(KERNEL, kernels.current().release())
                : Need.missing(KERNEL, "there is no kernel for guests", "sallyport sandbox kernel build");
    }

    @Override
    public Platform open(Machine machine) throws IOException, InterruptedException {
        Accelerator accelerator = Accelerator.find(machine.settings().runDir());
        LOG.info("guests run by {}", accelerator.told());
        return new QemuPlatform(machine, accelerator);
    }
}
