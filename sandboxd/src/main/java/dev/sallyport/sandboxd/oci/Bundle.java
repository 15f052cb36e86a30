package dev.sallyport.sandboxd.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.GuestTrust;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.VmRecord;
import dev.sallyport.sandboxd.wire.Lines;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The configuration of a container, as the OCI runtime specification 1.0.2 describes it. */
final class Bundle {

    private static final List<String> CAPABILITIES = List.of(
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_FOWNER",
            "CAP_FSETID",
            "CAP_KILL",
            "CAP_SETFCAP",
            "CAP_SETGID",
            "CAP_SETUID",
            "CAP_SYS_CHROOT");

    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/cmdline",
            "/proc/config.gz",
            "/proc/interrupts",
            "/proc/kallsyms",
            "/proc/kcore",
            "/proc/key-users",
            "/proc/keys",
            "/proc/kmsg",
            "/proc/kpagecgroup",
            "/proc/kpagecount",
            "/proc/kpageflags",
            "/proc/latency_stats",
            "/proc/modules",
            "/proc/sched_debug",
            "/proc/scsi",
            "/proc/slabinfo",
            "/proc/sysvipc",
            "/proc/timer_list",
            "/proc/vmallocinfo");

    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/mtrr", "/proc/sys", "/proc/sysrq-trigger");

    private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final String SHELL = "/bin/sh";

    /** An adjustment of when the kernel kills a process of a guest, if this machine has no memory left. */
    static final int KILLED_SOONER = 500;

    private static final int INOTIFY_INSTANCES = 16;
    private static final int INOTIFY_WATCHES = 16_384;
    private static final int CPU_PERIOD_MICROS = 100_000;
    private static final int MICROS_PER_MILLI_CPU = 100;

    /**
     * Resources of which the kernel counts what a guest's user holds for this machine's root, too, who owns the guest's user
     * namespace: pending signals and message queues. And open files, and no core files, which this machine would name.
     */
    private static final Map<String, Integer> RESOURCE_LIMITS = new TreeMap<>(Map.of(
            "RLIMIT_CORE", 0,
            "RLIMIT_MSGQUEUE", 128 * 1024,
            "RLIMIT_NOFILE", 4096,
            "RLIMIT_SIGPENDING", 1024));

    /**
     * Where a guest runs.
     *
     * @param root all that it sees, mounted
     * @param namespace its network namespace, as a file
     * @param sshd what is known of its sshd
     */
    record Place(Path root, Path namespace, GuestFiles.Penalties sshd) {}

    private final HostSettings settings;
    private final boolean limitsSwap;
    private final Path sys;
    private final GuestTrust trust;

    /**
     * Of a driver.
     *
     * @param limitsSwap whether the machine can limit swap for each guest
     * @param sys a folder with the mount points of the guests' {@code /sys}
     * @param trust what guests are shown, where it is wanted
     */
    Bundle(HostSettings settings, boolean limitsSwap, Path sys, GuestTrust trust) {
        this.settings = settings;
        this.limitsSwap = limitsSwap;
        this.sys = sys;
        this.trust = trust;
    }

    /**
     * The configuration of a VM.
     *
     * @param place where it runs
     */
    String config(VmId id, VmRecord vm, Place place) {
        ObjectNode config = Lines.object().put("ociVersion", "1.0.2");
        config.put("hostname", vm.spec().guest().hostname());
        config.putObject("root").put("path", place.root().toString());
        config.set("process", process(first(place.sshd()), List.of(PATH, "container=oci")));
        config.putObject("hooks").set("createContainer", limits());
        config.set("mounts", mounts(vm.spec().limits().memoryBytes()));
        ObjectNode linux = config.putObject("linux");
        linux.putArray("uidMappings").add(mapping());
        linux.putArray("gidMappings").add(mapping());
        ArrayNode namespaces = linux.putArray("namespaces");
        for (String type : List.of("pid", "ipc", "uts", "mount", "user", "cgroup")) {
            namespaces.addObject().put("type", type);
        }
        namespaces
                .addObject()
                .put("type", "network")
                .put("path", place.namespace().toString());
        linux.set("maskedPaths", texts(MASKED));
        linux.set("readonlyPaths", texts(READ_ONLY));
        linux.set("seccomp", Seccomp.profile());
        linux.set("resources", resources(vm.spec().limits()));
        linux.put("cgroupsPath", settings.cgroup() + "/" + id.value());
        return config.toString();
    }

    private List<String> first(GuestFiles.Penalties penalties) {
        List<String> sshd = GuestFiles.sshd(penalties);
        if (!trust.isWanted() && penalties != GuestFiles.Penalties.UNCERTAIN) {
            return sshd;
        }
        String setup = trust.isWanted() ? "/bin/sh " + GuestTrust.SETUP + "; " : "";
        return List.of("/bin/sh", "-c", setup + "exec " + String.join(" ", sshd));
    }

    /**
     * Limits what the kernel counts for each user of a user namespace and, on top, for its owner: all guests share what this
     * machine's root may have. The runtime sets them in the guest's namespaces before it leaves this machine's files, and so
     * before any program of the guest's. It tells hooks the container's state; crun fails where one ends without having read
     * it.
     */
    private static ArrayNode limits() {
        ArrayNode hooks = Lines.object().putArray("createContainer");
        hooks.addObject()
                .put("path", SHELL)
                .set(
                        "args",
                        texts(List.of(
                                SHELL,
                                "-c",
                                "read -r state; cd /proc/sys/user && echo %d >max_inotify_instances && echo %d >max_inotify_watches"
                                        .formatted(INOTIFY_INSTANCES, INOTIFY_WATCHES))));
        return hooks;
    }

    /** A process in a container that runs, with no more rights than its first one. */
    static String task(List<String> arguments) {
        return process(arguments, List.of(PATH, "HOME=/root", "LANG=C.UTF-8", "container=oci"))
                .toString();
    }

    private static ObjectNode process(List<String> arguments, List<String> environment) {
        ObjectNode process = Lines.object()
                .put("terminal", false)
                .put("cwd", "/")
                .put("noNewPrivileges", true)
                .put("oomScoreAdj", KILLED_SOONER);
        process.putObject("user").put("uid", 0).put("gid", 0);
        process.set("args", texts(arguments));
        process.set("env", texts(environment));
        ObjectNode capabilities = process.putObject("capabilities");
        for (String set : List.of("bounding", "effective", "permitted")) {
            capabilities.set(set, texts(CAPABILITIES));
        }
        ArrayNode limits = process.putArray("rlimits");
        RESOURCE_LIMITS.forEach((type, limit) ->
                limits.addObject().put("type", type).put("soft", limit).put("hard", limit));
        return process;
    }

    /** File systems in memory together hold less than the guest has, so that a full one is no end of its processes. */
    private ArrayNode mounts(long memory) {
        ArrayNode mounts = Lines.object().putArray("mounts");
        mount(mounts, "/proc", "proc", List.of("nosuid", "noexec", "nodev"));
        mount(mounts, "/dev", "tmpfs", List.of("nosuid", "noexec", "strictatime", "mode=755", "size=64k"));
        mount(
                mounts,
                "/dev/pts",
                "devpts",
                List.of("nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"));
        mount(mounts, "/dev/shm", "tmpfs", List.of("nosuid", "noexec", "nodev", "mode=1777", size(memory / 4)));
        mount(mounts, "/dev/mqueue", "mqueue", List.of("nosuid", "noexec", "nodev"));
        bind(mounts, "/sys", sys.toString());
        bind(mounts, "/sys/devices/system/cpu", "/sys/devices/system/cpu");
        mount(mounts, "/run", "tmpfs", List.of("nosuid", "nodev", "mode=755", size(memory / 16)));
        mount(mounts, "/run/sshd", "tmpfs", List.of("nosuid", "noexec", "nodev", "mode=755", "size=4k"));
        mount(mounts, "/tmp", "tmpfs", List.of("nosuid", "nodev", "mode=1777", size(memory / 2)));
        if (trust.isWanted()) {
            bind(mounts, GuestTrust.FOLDER, trust.folder().toString());
        }
        return mounts;
    }

    private static String size(long bytes) {
        return "size=" + bytes;
    }

    private static void mount(ArrayNode mounts, String point, String type, List<String> options) {
        mounts.addObject()
                .put("destination", point)
                .put("type", type)
                .put("source", type)
                .set("options", texts(options));
    }

    private static void bind(ArrayNode mounts, String point, String source) {
        mounts.addObject()
                .put("destination", point)
                .put("type", "bind")
                .put("source", source)
                .set("options", texts(List.of("bind", "nosuid", "noexec", "nodev", "ro")));
    }

    private ObjectNode mapping() {
        return Lines.object()
                .put("containerID", 0)
                .put("hostID", settings.ids().base())
                .put("size", settings.ids().size());
    }

    private ObjectNode resources(VmLimits limits) {
        ObjectNode resources = Lines.object();
        resources.putArray("devices").addObject().put("allow", false).put("access", "rwm");
        ObjectNode memory = resources.putObject("memory").put("limit", limits.memoryBytes());
        if (limitsSwap) {
            memory.put("swap", limits.memoryBytes()); // memory and swap together: no swap
        } else {
            memory.put("swappiness", 0); // the most that version 1 without memsw can do
        }
        resources.putObject("pids").put("limit", limits.processes());
        resources
                .putObject("cpu")
                .put("quota", (long) limits.cpuMillis() * MICROS_PER_MILLI_CPU)
                .put("period", CPU_PERIOD_MICROS);
        return resources;
    }

    private static ArrayNode texts(List<String> values) {
        ArrayNode array = Lines.object().putArray("values");
        values.forEach(array::add);
        return array;
    }
}
