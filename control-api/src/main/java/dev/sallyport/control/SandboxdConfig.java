package dev.sallyport.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.core.config.Range;
import dev.sallyport.sandbox.HostPath;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.spi.Problems;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Block {@code control.sandboxes.sandboxd}: what sandboxd alone needs to know.
 *
 * @param gatePort null for that of the proxy
 * @param dnsPort null for that of the proxy
 */
public record SandboxdConfig(
        @JsonProperty(defaultValue = "root")
        @JsonPropertyDescription("The user of the control plane, whom sandboxd answers besides its own.")
        String user,

        @JsonProperty(defaultValue = "/run/sallyport/sandboxd")
        @JsonPropertyDescription("Where it keeps what ends with a boot.")
        Path runDir,

        @JsonProperty(defaultValue = "/sallyport") @JsonPropertyDescription("The control group above those of guests.")
        String cgroup,

        @JsonProperty(defaultValue = "1879048192")
        @Range(min = "65536", max = "2147418111")
        @JsonPropertyDescription("The first of the 65536 users of this machine that those of guests are.")
        int idBase,

        @Range(min = "1", max = "65535")
        @JsonPropertyDescription("Where the proxy takes guests' TCP; the port of `proxy.http_listen` when unset.")
        @Nullable Integer gatePort,

        @Range(min = "1", max = "65535")
        @JsonPropertyDescription("Where the proxy answers guests' DNS; the port of `dns.listen` when unset.")
        @Nullable Integer dnsPort,

        @JsonProperty(defaultValue = "1024")
        @Range(min = "1", max = "1000000")
        @JsonPropertyDescription("TCP connections that a guest has at a time, and as many exchanges of DNS.")
        int connectionsPerVm,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription("Whether snapshots of virtual machines have what these had in memory.")
        boolean snapshotMemory) {

    /** Reports what sandboxd would refuse; pointers are those of section {@code control}. */
    static void check(SandboxConfig config, Problems problems) {
        SandboxdConfig own = config.sandboxd();
        path("/sandboxes/dir", config.dir().toString(), problems);
        path("/sandboxes/sandboxd/run_dir", own.runDir().toString(), problems);
        path("/sandboxes/sandboxd/cgroup", own.cgroup(), problems);
        if (own.user().isBlank()) {
            problems.add("/sandboxes/sandboxd/user", "no user", "the name of a user of this machine");
        }
        if (own.gatePort() != null && Objects.equals(own.gatePort(), own.dnsPort())) {
            problems.add("/sandboxes/sandboxd/dns_port", "the same as gate_port", "another port");
        }
    }

    private static void path(String pointer, String text, Problems problems) {
        if (!HostPath.isPlain(text)) {
            problems.add(pointer, "not a plain path", HostPath.EXPECTED);
        }
    }

    /** The options of sandboxd by name; empty where something else runs VMs. */
    static Optional<Map<String, String>> options(SandboxConfig config, SandboxdOptions.Gate gate) {
        if (!SandboxParts.isBySandboxd(config)) {
            return Optional.empty();
        }
        SandboxdConfig own = config.sandboxd();
        Map<String, String> options = new TreeMap<>(Map.of(
                "driver", config.driver(),
                "socket", config.socket().toString(),
                "dir", config.dir().toString(),
                "subnet", config.subnet().toString(),
                "user", own.user(),
                "run_dir", own.runDir().toString(),
                "cgroup", own.cgroup(),
                "id_base", Integer.toString(own.idBase()),
                "connections_per_vm", Integer.toString(own.connectionsPerVm()),
                "snapshot_memory", Boolean.toString(own.snapshotMemory())));
        port("gate_port", own.gatePort(), gate.port(), options);
        port("dns_port", own.dnsPort(), gate.dnsPort(), options);
        if (gate.authority() != null) {
            options.put("ca_cert", gate.authority().toAbsolutePath().toString());
        }
        return Optional.of(options);
    }

    private static void port(String name, @Nullable Integer said, int present, Map<String, String> options) {
        int port = said == null ? present : said;
        if (port != 0) {
            options.put(name, Integer.toString(port));
        }
    }
}
