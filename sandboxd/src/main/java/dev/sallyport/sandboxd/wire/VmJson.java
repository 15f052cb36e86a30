package dev.sallyport.sandboxd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.SshEndpoint;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The values of drivers as JSON, and back. What is read is checked as strictly as if a stranger had written it. */
public final class VmJson {

    private static final Set<String> SPEC = Set.of("image", "limits", "address", "guest");
    private static final Set<String> FORK = Set.of("snapshot", "limits", "address", "guest");
    private static final Set<String> LIMITS = Set.of("memory_bytes", "cpu_millis", "processes", "disk_bytes");
    private static final Set<String> GUEST = Set.of("hostname", "authorized_key", "environment");

    private VmJson() {}

    /** A description. */
    public static ObjectNode spec(VmSpec spec) {
        ObjectNode node = Lines.object().put("address", spec.network().address().getHostAddress());
        switch (spec.origin()) {
            case Origin.OfImage image -> node.put("image", image.name().value());
            case Origin.OfSnapshot snapshot ->
                node.put("snapshot", snapshot.id().value());
        }
        node.putObject("limits")
                .put("memory_bytes", spec.limits().memoryBytes())
                .put("cpu_millis", spec.limits().cpuMillis())
                .put("processes", spec.limits().processes())
                .put("disk_bytes", spec.limits().diskBytes());
        ObjectNode guest = node.putObject("guest")
                .put("hostname", spec.guest().hostname())
                .put("authorized_key", spec.guest().authorizedKey());
        guest.set("environment", texts(spec.guest().environment()));
        return node;
    }

    private static ObjectNode texts(Map<String, String> all) {
        ObjectNode node = Lines.object();
        new TreeMap<>(all).forEach(node::put);
        return node;
    }

    /** Variables. */
    public static ObjectNode variables(GuestVariables variables) {
        return texts(variables.values());
    }

    /** Variables, in member {@code variables}. */
    public static GuestVariables variables(Members request) throws WireException {
        try {
            return new GuestVariables(request.texts("variables"));
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** A description, back. */
    public static VmSpec spec(JsonNode node) throws WireException {
        boolean fork = node.has("snapshot");
        Members spec = Members.of(node, fork ? FORK : SPEC);
        Members limits = Members.of(spec.node("limits"), LIMITS);
        Members guest = Members.of(spec.node("guest"), GUEST);
        try {
            return new VmSpec(
                    fork
                            ? new Origin.OfSnapshot(snapshot(spec.text("snapshot")))
                            : new Origin.OfImage(new ImageName(spec.text("image"))),
                    new VmLimits(
                            limits.number("memory_bytes"),
                            limits.small("cpu_millis"),
                            limits.small("processes"),
                            limits.number("disk_bytes")),
                    new NetworkLease(spec.address("address")),
                    new GuestSetup(guest.text("hostname"), guest.text("authorized_key"), guest.texts("environment")));
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The id of a snapshot, back. */
    public static SnapshotId snapshot(String text) throws WireException {
        try {
            return new SnapshotId(text);
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Ids of snapshots. */
    public static ArrayNode snapshots(Set<SnapshotId> ids) {
        return texts(ids.stream().map(SnapshotId::value).sorted().toList());
    }

    /** Ids of snapshots, back. */
    public static Set<SnapshotId> snapshots(JsonNode array) throws WireException {
        Set<SnapshotId> all = new TreeSet<>();
        for (JsonNode node : array) {
            all.add(snapshot(node.asText()));
        }
        return all;
    }

    /** What a snapshot adds. */
    public static ObjectNode layer(Layer layer) {
        return Lines.object().put("digest", layer.digest()).put("size_bytes", layer.sizeBytes());
    }

    /** What a snapshot adds, back. */
    public static Layer layer(JsonNode node) throws WireException {
        Members members = Members.of(node, Set.of("digest", "size_bytes"));
        return new Layer(members.text("digest"), members.number("size_bytes"));
    }

    /** An id, back. */
    public static VmId id(String text) throws WireException {
        try {
            return new VmId(text);
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** What has become of a VM. */
    public static ObjectNode observed(Observed observed) {
        return switch (observed) {
            case Observed.Absent absent -> Lines.object().put("state", "absent");
            case Observed.Stopped stopped -> Lines.object().put("state", "stopped");
            case Observed.Failed failed -> Lines.object().put("state", "failed").put("reason", failed.reason());
            case Observed.Running running ->
                Lines.object()
                        .put("state", "running")
                        .put("since", running.since().toString())
                        .put("ssh_host", running.ssh().host())
                        .put("ssh_port", running.ssh().port());
        };
    }

    /** What has become of a VM, back. */
    public static Observed observed(JsonNode node) throws WireException {
        String state = node.path("state").asText();
        return switch (state) {
            case "absent" -> new Observed.Absent();
            case "stopped" -> new Observed.Stopped();
            case "failed" ->
                new Observed.Failed(Members.of(node, Set.of("state", "reason")).text("reason"));
            case "running" -> {
                Members members = Members.of(node, Set.of("state", "since", "ssh_host", "ssh_port"));
                yield new Observed.Running(
                        instant(members.text("since")),
                        new SshEndpoint(members.text("ssh_host"), members.small("ssh_port")));
            }
            default -> throw new WireException("unknown state (expected: absent, stopped, running or failed)");
        };
    }

    /** What has become of all VMs. */
    public static ObjectNode observedAll(Map<VmId, Observed> all) {
        ObjectNode node = Lines.object();
        all.forEach((id, observed) -> node.set(id.value(), observed(observed)));
        return node;
    }

    /** What has become of all VMs, back. */
    public static Map<VmId, Observed> observedAll(JsonNode node) throws WireException {
        Map<VmId, Observed> all = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            all.put(id(entry.getKey()), observed(entry.getValue()));
        }
        return all;
    }

    /** Whether a driver can work. */
    public static ObjectNode availability(Availability availability) {
        return switch (availability) {
            case Availability.Available available -> {
                ObjectNode node = Lines.object().put("available", true);
                node.set("lines", texts(available.details()));
                yield node;
            }
            case Availability.Unavailable unavailable -> {
                ObjectNode node = Lines.object().put("available", false);
                node.set("lines", texts(unavailable.problems()));
                yield node;
            }
        };
    }

    /** Whether a driver can work, back. */
    public static Availability availability(JsonNode node) throws WireException {
        Members members = Members.of(node, Set.of("available", "lines"));
        List<String> lines = texts(members.node("lines"));
        return members.node("available").asBoolean()
                ? new Availability.Available(lines)
                : new Availability.Unavailable(lines);
    }

    /** Images. */
    public static ArrayNode images(List<Image> images) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        images.forEach(image -> all.add(Lines.object()
                .put("name", image.name().value())
                .put("digest", image.digest())
                .put("size_bytes", image.sizeBytes())
                .put("created_at", image.createdAt().toString())));
        return all;
    }

    /** Images, back. */
    public static List<Image> images(JsonNode array) throws WireException {
        List<Image> all = new ArrayList<>();
        for (JsonNode node : array) {
            Members image = Members.of(node, Set.of("name", "digest", "size_bytes", "created_at"));
            try {
                all.add(new Image(
                        new ImageName(image.text("name")),
                        image.text("digest"),
                        image.number("size_bytes"),
                        instant(image.text("created_at"))));
            } catch (IllegalArgumentException e) {
                throw new WireException(String.valueOf(e.getMessage()), e);
            }
        }
        return all;
    }

    /** Host keys. */
    public static ArrayNode hostKeys(List<HostKey> keys) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        keys.forEach(key -> all.add(Lines.object().put("type", key.type()).put("key", key.key())));
        return all;
    }

    /** Host keys, back. */
    public static List<HostKey> hostKeys(JsonNode array) throws WireException {
        List<HostKey> all = new ArrayList<>();
        for (JsonNode node : array) {
            Members key = Members.of(node, Set.of("type", "key"));
            all.add(new HostKey(key.text("type"), key.text("key")));
        }
        return all;
    }

    /** What was refused. */
    public static ObjectNode refused(Refused refused) {
        return Lines.object().put("packets", refused.packets()).put("spoofed", refused.spoofed());
    }

    /** What was refused, back. */
    public static Refused refused(JsonNode node) throws WireException {
        Members members = Members.of(node, Set.of("packets", "spoofed"));
        return new Refused(members.number("packets"), members.number("spoofed"));
    }

    /** Texts. */
    public static ArrayNode texts(List<String> lines) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        lines.forEach(array::add);
        return array;
    }

    /** Texts, back; none where there is nothing. */
    public static List<String> texts(JsonNode array) throws WireException {
        List<String> all = new ArrayList<>();
        for (JsonNode node : array) {
            if (!node.isTextual()) {
                throw new WireException("an item is no string");
            }
            all.add(node.textValue());
        }
        return all;
    }

    private static Instant instant(String text) throws WireException {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new WireException("a time is none", e);
        }
    }
}
