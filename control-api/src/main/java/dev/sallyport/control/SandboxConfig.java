package dev.sallyport.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.Range;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Block {@code control.sandboxes}. */
public record SandboxConfig(
        @JsonProperty(defaultValue = "auto")
        @JsonPropertyDescription(
                "What runs them: `oci` (containers, by way of sandboxd), `qemu` (virtual machines, by way of sandboxd), `none`, `fake` (no guests, for tests), or another driver on the class path. `auto` is whatever sandboxd runs.")
        String driver,

        @JsonProperty(defaultValue = "/run/sallyport/sandboxd.sock")
        @JsonPropertyDescription("Where sandboxd listens, for `oci` and `qemu`.")
        Path socket,

        @JsonProperty(defaultValue = "auto")
        @JsonPropertyDescription(
                "Whether the proxy starts sandboxd and ends it: `auto`, where the proxy is root and nobody answers at `socket`, or `never`.")
        Start start,

        @JsonProperty(defaultValue = "/var/lib/sallyport/sandboxes")
        @JsonPropertyDescription("The folder of images and guests, which belongs to sandboxd.")
        Path dir,

        @JsonPropertyDescription("What sandboxd alone needs to know.")
        SandboxdConfig sandboxd,

        @JsonPropertyDescription("Settings of other drivers, as text by name.")
        Map<String, String> settings,

        @JsonProperty(defaultValue = "debian-12") @JsonPropertyDescription("The image that they begin as.")
        String image,

        @JsonProperty(defaultValue = "10.77.0.0/16")
        @JsonPropertyDescription("The addresses of guests, as sandboxd has them.")
        IpRange subnet,

        @JsonPropertyDescription("What each may take of its host.")
        Size size,

        @JsonProperty(defaultValue = "4")
        @Range(min = "1", max = "16")
        @JsonPropertyDescription("How many are made at a time.")
        int creations,

        @JsonProperty(defaultValue = "60s")
        @Range(min = "1s", max = "1h")
        @JsonPropertyDescription("How long a boot may take until SSH answers.")
        Duration bootTimeout,

        @JsonProperty(defaultValue = "10s")
        @Range(max = "5m")
        @JsonPropertyDescription("How long a guest may take to end before it is killed.")
        Duration stopGrace,

        @JsonPropertyDescription("How many there are, and for how long.")
        Bounds limits,

        @JsonPropertyDescription("How users log in.") Ssh ssh,

        @JsonPropertyDescription("Programs that work on repositories in VMs of their own.")
        AgentConfig agents) {

    public SandboxConfig {
        settings = Map.copyOf(settings);
    }

    /** Whether the program starts sandboxd. */
    public enum Start {
        /** Where it is root, and there is none. */
        AUTO,
        /** No. */
        NEVER
    }

    /** What a VM may take. */
    public record Size(
            @JsonProperty(defaultValue = "1GiB")
            @Range(min = "64MiB", max = "1024GiB")
            @JsonPropertyDescription("Memory, page cache and temporary file systems included.")
            ByteSize memory,

            @JsonProperty(defaultValue = "1000")
            @Range(min = "10", max = "1024000")
            @JsonPropertyDescription("Thousandths of one processor.")
            int cpuMillis,

            @JsonProperty(defaultValue = "10GiB")
            @Range(min = "64MiB", max = "16384GiB")
            @JsonPropertyDescription("What it writes on top of its image.")
            ByteSize disk,

            @JsonProperty(defaultValue = "1000")
            @Range(min = "16", max = "1000000")
            @JsonPropertyDescription("Processes and threads.")
            int processes) {}

    /** How many VMs, and for how long. */
    public record Bounds(
            @JsonProperty(defaultValue = "200")
            @Range(min = "1")
            @JsonPropertyDescription("VMs of an account that are not destroyed.")
            int perAccount,

            @Range(min = "64MiB")
            @JsonPropertyDescription(
                    "Memory of VMs of an account, from the moment that they are to run until their guests have ended; any amount when unset.")
            @Nullable ByteSize memoryPerAccount,

            @Range(min = "10")
            @JsonPropertyDescription("Thousandths of a processor, of the same VMs; any number when unset.")
            @Nullable Integer cpuMillisPerAccount,

            @Range(min = "64MiB")
            @JsonPropertyDescription("Disk of VMs of an account that are not destroyed; any amount when unset.")
            @Nullable ByteSize diskPerAccount,

            @Range(min = "16")
            @JsonPropertyDescription(
                    "Processes and threads of VMs of an account, as with memory; any number when unset.")
            @Nullable Integer processesPerAccount,

            @JsonProperty(defaultValue = "200") @Range(min = "1") @JsonPropertyDescription("Snapshots of an account.")
            int snapshotsPerAccount,

            @JsonProperty(defaultValue = "200GiB")
            @Range(min = "1MiB")
            @JsonPropertyDescription(
                    "What snapshots of an account take, those that nobody sees any more and VMs are made of included; one that is not ready yet counts as a disk and a quarter, and 64 MiB.")
            ByteSize snapshotStoragePerAccount,

            @Range(min = "1s")
            @JsonPropertyDescription(
                    "They are stopped when nobody was logged in by SSH for this long; never when unset.")
            @Nullable Duration idleStop,

            @Range(min = "1s")
            @JsonPropertyDescription("They are destroyed this long after their creation; never when unset.")
            @Nullable Duration timeToLive) {}

    /** How users log in: each VM has a port of its own. */
    public record Ssh(
            @JsonProperty(defaultValue = "127.0.0.1") @JsonPropertyDescription("The address on which the ports are.")
            String listen,

            @JsonProperty(defaultValue = "22000-22999") @JsonPropertyDescription("The ports; one for each VM.")
            String ports,

            @JsonPropertyDescription(
                    "What clients are told to connect to; the host of `base_url`, or the address above, when unset.")
            @Nullable String host,

            @JsonProperty(defaultValue = "32")
            @Range(min = "1", max = "1024")
            @JsonPropertyDescription("Connections that a VM has at a time.")
            int connectionsPerVm) {}
}
