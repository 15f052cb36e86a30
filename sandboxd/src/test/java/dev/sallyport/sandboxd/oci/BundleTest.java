package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.GuestFiles.Penalties;
import dev.sallyport.sandboxd.vm.GuestTrust;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.VmRecord;
import dev.sallyport.sandboxd.wire.Members;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration of a container. */
class BundleTest {

    private static final VmId ID = new VmId("vm_" + "a".repeat(26));

    private JsonNode config;

    @BeforeEach
    void write() throws Exception {
        config = config(true);
    }

    private static JsonNode config(boolean limitsSwap) throws Exception {
        return config(limitsSwap, new GuestTrust(null, Path.of("/run/trust")));
    }

    private static JsonNode config(boolean limitsSwap, GuestTrust trust) throws Exception {
        return config(limitsSwap, trust, Penalties.KNOWS_NONE);
    }

    private static JsonNode config(boolean limitsSwap, GuestTrust trust, Penalties sshd) throws Exception {
        VmSpec spec = new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease(Members.address("address", "10.77.0.2")),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me", Map.of()));
        return new ObjectMapper()
                .readTree(new Bundle(HostSettings.of(Map.of()), limitsSwap, Path.of("/run/sys"), trust)
                        .config(
                                ID,
                                new VmRecord(spec, "sha256:" + "0".repeat(64), List.of()),
                                new Bundle.Place(Path.of("/vms/rootfs"), Path.of("/run/netns/sallyport-2"), sshd)));
    }

    private static List<String> texts(JsonNode array) {
        List<String> all = new ArrayList<>();
        array.forEach(value -> all.add(value.asText()));
        return all;
    }

    @Test
    void everyNamespaceIsTheGuestsOwn() {
        assertThat(config.at("/linux/namespaces").findValuesAsText("type"))
                .containsExactlyInAnyOrder("pid", "ipc", "uts", "mount", "user", "network", "cgroup");
        assertThat(config.at("/linux/uidMappings/0/hostID").asInt()).isEqualTo(0x7000_0000);
        assertThat(config.at("/linux/gidMappings/0/hostID").asInt()).isEqualTo(0x7000_0000);
    }

    @Test
    void noPrivilegesAreGained() {
        assertThat(config.at("/process/noNewPrivileges").asBoolean()).isTrue();
        assertThat(texts(config.at("/process/capabilities/bounding")))
                .isEqualTo(texts(config.at("/process/capabilities/permitted")))
                .doesNotContain(
                        "CAP_SYS_ADMIN",
                        "CAP_NET_ADMIN",
                        "CAP_NET_RAW",
                        "CAP_SYS_PTRACE",
                        "CAP_MKNOD",
                        "CAP_SYS_MODULE",
                        "CAP_DAC_READ_SEARCH");
        assertThat(config.at("/process/capabilities/ambient").isMissingNode()).isTrue();
    }

    @Test
    void limitsAreThoseOfTheDescription() {
        assertThat(config.at("/linux/resources/memory/limit").asLong()).isEqualTo(1 << 28);
        assertThat(config.at("/linux/resources/memory/swap").asLong()).isEqualTo(1 << 28);
        assertThat(config.at("/linux/resources/pids/limit").asInt()).isEqualTo(100);
        assertThat(config.at("/linux/resources/cpu/quota").asInt()).isEqualTo(50_000);
        assertThat(config.at("/linux/resources/cpu/period").asInt()).isEqualTo(100_000);
        assertThat(config.at("/linux/resources/devices/0/allow").asBoolean(true))
                .isFalse();
        assertThat(config.at("/linux/cgroupsPath").asText()).isEqualTo("/sallyport/" + ID);
    }

    @Test
    void withoutALimitOfSwapNothingIsSwapped() throws Exception {
        JsonNode memory = config(false).at("/linux/resources/memory");

        assertThat(memory.path("swappiness").asInt(-1)).isZero();
        assertThat(memory.has("swap")).isFalse();
    }

    @Test
    void resourcesThatAreCountedForRootHaveLimits() {
        Map<String, Integer> limits = new TreeMap<>();
        config.at("/process/rlimits")
                .forEach(limit -> limits.put(
                        limit.path("type").asText(), limit.path("hard").asInt(-1)));

        assertThat(limits)
                .isEqualTo(Map.of(
                        "RLIMIT_CORE", 0,
                        "RLIMIT_MSGQUEUE", 131_072,
                        "RLIMIT_NOFILE", 4096,
                        "RLIMIT_SIGPENDING", 1024));
    }

    @Test
    void fileSystemsInMemoryAreSmallerThanTheMemory() {
        long sum = 0;
        for (JsonNode mount : config.path("mounts")) {
            if ("tmpfs".equals(mount.path("type").asText())) {
                String size = texts(mount.path("options")).stream()
                        .filter(option -> option.startsWith("size="))
                        .findFirst()
                        .orElseThrow();
                sum += size.endsWith("k")
                        ? Long.parseLong(size.substring(5, size.length() - 1)) << 10
                        : Long.parseLong(size.substring(5));
            }
        }
        assertThat(sum).isLessThan(1 << 28);
    }

    @Test
    void sysAndPartsOfProcAreReadOnlyOrHidden() {
        for (JsonNode mount : config.path("mounts")) {
            if (mount.path("destination").asText().startsWith("/sys")) {
                assertThat(texts(mount.path("options"))).contains("ro", "nosuid", "nodev", "noexec");
            }
        }
        assertThat(texts(config.at("/linux/readonlyPaths"))).contains("/proc/sys", "/proc/sysrq-trigger");
        assertThat(texts(config.at("/linux/maskedPaths"))).contains("/proc/kcore", "/proc/keys", "/proc/timer_list");
    }

    @Test
    void withAnAuthorityOfTheGateItIsAddedToTheTrustStoresBeforeTheSshdStarts() throws Exception {
        List<String> alone = texts(config.at("/process/args"));
        assertThat(alone).containsExactly("/usr/sbin/sshd", "-f", "/etc/ssh/sallyport_sshd_config", "-D", "-e");

        JsonNode trusting = config(true, new GuestTrust(Path.of("/etc/ca.pem"), Path.of("/run/trust")));

        assertThat(texts(trusting.at("/process/args")))
                .containsExactly(
                        "/bin/sh", "-c", "/bin/sh /run/sallyport-trust/setup.sh; exec " + String.join(" ", alone));
        JsonNode mount = trusting.path("mounts").get(trusting.path("mounts").size() - 1);
        assertThat(mount.path("destination").asText()).isEqualTo("/run/sallyport-trust");
        assertThat(mount.path("source").asText()).isEqualTo("/run/trust");
        assertThat(texts(mount.path("options"))).contains("bind", "ro", "nosuid", "nodev", "noexec");
    }

    @Test
    void whereItIsNotCertainWhatTheSshdKnowsTheGuestLooksAtIt() throws Exception {
        GuestTrust none = new GuestTrust(null, Path.of("/run/trust"));

        assertThat(texts(config(true, none, Penalties.KNOWS_THEM).at("/process/args")))
                .startsWith("/usr/sbin/sshd")
                .endsWith("-e", "-o", "PerSourcePenalties=no");
        assertThat(texts(config(true, none, Penalties.UNCERTAIN).at("/process/args")))
                .startsWith("/bin/sh", "-c")
                .element(2)
                .asString()
                .startsWith("exec /usr/sbin/sshd -f ")
                .contains("grep -q persourcepenalties /usr/sbin/sshd");
    }

    @Test
    void whatIsCountedForRootIsLimitedBeforeAnythingOfTheGuestRuns() {
        JsonNode hook = config.at("/hooks/createContainer/0");

        assertThat(hook.path("path").asText()).isEqualTo("/bin/sh");
        assertThat(texts(hook.path("args")).getLast())
                .contains("cd /proc/sys/user && echo 16 >max_inotify_instances && echo 16384 >max_inotify_watches");
    }

    /** crun fails where it has not. */
    @Test
    void whatLimitsWaitsForTheStateOfTheContainer() throws Exception {
        assumeTrue(CommonNeeds.isRoot(), "needs root, for a user namespace");
        List<String> command = new ArrayList<>(List.of("unshare", "--user", "--map-root-user"));
        command.addAll(texts(config.at("/hooks/createContainer/0/args")));
        Process hook = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            assertThat(hook.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
            hook.outputWriter().append("{\"ociVersion\": \"1.0.2\"}").close();

            assertThat(hook.getInputStream().readAllBytes()).isEmpty();
            assertThat(hook.waitFor()).isZero();
        } finally {
            hook.destroyForcibly();
        }
    }

    @Test
    void systemCallsAreAListOfThoseThatStay() {
        JsonNode seccomp = config.at("/linux/seccomp");

        assertThat(seccomp.path("defaultAction").asText()).isEqualTo("SCMP_ACT_ERRNO");
        assertThat(seccomp.path("architectures")).hasSize(1);
        for (JsonNode entry : seccomp.path("syscalls")) {
            if (!entry.path("action").asText().equals("SCMP_ACT_ALLOW")) {
                assertThat(entry.path("action").asText()).isEqualTo("SCMP_ACT_ERRNO");
                assertThat(entry.path("errnoRet").asInt())
                        .as("no such protocol")
                        .isEqualTo(93);
                assertThat(texts(entry.path("names"))).containsExactly("socket");
                assertThat(entry.path("args").findValuesAsText("value"))
                        .as("netlink's audit")
                        .containsExactly("16", "9");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unshare",
                "setns",
                "mount",
                "umount2",
                "pivot_root",
                "fsopen",
                "move_mount",
                "open_tree",
                "mount_setattr",
                "clone3",
                "keyctl",
                "add_key",
                "request_key",
                "bpf",
                "perf_event_open",
                "userfaultfd",
                "io_uring_setup",
                "io_uring_enter",
                "io_uring_register",
                "init_module",
                "finit_module",
                "delete_module",
                "kexec_load",
                "kexec_file_load",
                "open_by_handle_at",
                "name_to_handle_at",
                "reboot",
                "swapon",
                "quotactl",
                "acct",
                "syslog",
                "settimeofday",
                "clock_settime",
                "iopl",
                "ioperm",
                "modify_ldt",
                "kcmp",
                "lookup_dcookie"
            })
    void aCallThatReachesTheHostIsNotAmongThem(String call) {
        for (JsonNode rule : config.at("/linux/seccomp/syscalls")) {
            assertThat(texts(rule.path("names"))).doesNotContain(call);
        }
    }
}
