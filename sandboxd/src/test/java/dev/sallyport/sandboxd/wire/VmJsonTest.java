package dev.sallyport.sandboxd.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.GuestSetup;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values survive the way through text, and text of another form is refused. */
class VmJsonTest {

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");

    private static final SnapshotId SNAPSHOT = new SnapshotId("snap_" + "a".repeat(26));

    private static VmSpec spec() throws Exception {
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1L << 40),
                new NetworkLease(Members.address("address", "10.77.1.2")),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me", Map.of("A", "it's\n\"b\"")));
    }

    private static VmSpec fork() throws Exception {
        VmSpec spec = spec();
        return new VmSpec(new Origin.OfSnapshot(SNAPSHOT), spec.limits(), spec.network(), spec.guest());
    }

    private static JsonNode again(JsonNode node) throws Exception {
        return Lines.parse(node.toString());
    }

    @Test
    void aDescriptionSurvives() throws Exception {
        assertThat(VmJson.spec(again(VmJson.spec(spec())))).isEqualTo(spec());
        assertThat(VmJson.spec(again(VmJson.spec(fork())))).isEqualTo(fork());
    }

    @Test
    void whatWasObservedSurvives() throws Exception {
        Map<VmId, Observed> all = Map.of(
                new VmId("vm_" + "a".repeat(26)), new Observed.Stopped(),
                new VmId("vm_" + "b".repeat(26)), new Observed.Failed("broken"),
                new VmId("vm_" + "c".repeat(26)), new Observed.Absent(),
                new VmId("vm_" + "d".repeat(26)), new Observed.Running(TIME, new SshEndpoint("10.77.0.2", 22)));

        assertThat(VmJson.observedAll(again(VmJson.observedAll(all)))).isEqualTo(all);
    }

    @Test
    void theRestSurvives() throws Exception {
        List<Image> images = List.of(new Image(new ImageName("x"), "sha256:" + "0".repeat(64), 7, TIME));
        List<HostKey> keys = List.of(new HostKey("ssh-ed25519", "AAAA"));
        Availability yes = new Availability.Available(List.of("runtime: crun"));
        Layer layer = new Layer("sha256:" + "0".repeat(64), 7);
        Availability no = new Availability.Unavailable(List.of("no crun"));

        assertThat(VmJson.images(VmJson.images(images))).isEqualTo(images);
        assertThat(VmJson.hostKeys(VmJson.hostKeys(keys))).isEqualTo(keys);
        assertThat(VmJson.availability(again(VmJson.availability(yes)))).isEqualTo(yes);
        assertThat(VmJson.availability(again(VmJson.availability(no)))).isEqualTo(no);
        assertThat(VmJson.layer(again(VmJson.layer(layer)))).isEqualTo(layer);
        assertThat(VmJson.snapshots(VmJson.snapshots(Set.of(SNAPSHOT)))).containsExactly(SNAPSHOT);
        assertThat(VmJson.refused(again(VmJson.refused(new Refused(3, 4))))).isEqualTo(new Refused(3, 4));
    }

    @ParameterizedTest
    @CsvSource({
        "/image, ../../etc",
        "/snapshot, ../../etc",
        "/address, example.com",
        "/address, 10.77.0.256",
        "/address, 0x0a.0.0.1",
        "/guest/hostname, 'a b'",
        "/guest/authorized_key, nothing",
        "/limits/memory_bytes, 1"
    })
    void aDescriptionOfAnotherFormIsRefused(String pointer, String value) throws Exception {
        ObjectNode node = VmJson.spec(pointer.equals("/snapshot") ? fork() : spec());
        ObjectNode parent = (ObjectNode) node.at(pointer.substring(0, pointer.lastIndexOf('/')));
        String name = pointer.substring(pointer.lastIndexOf('/') + 1);
        if (parent.path(name).isNumber()) {
            parent.put(name, Long.parseLong(value));
        } else {
            parent.put(name, value);
        }

        assertThatThrownBy(() -> VmJson.spec(node)).isInstanceOf(WireException.class);
    }

    @Test
    void anUnknownMemberIsRefused() throws Exception {
        ObjectNode node = VmJson.spec(spec()).put("command", "sh");

        assertThatThrownBy(() -> VmJson.spec(node)).hasMessageContaining("unknown member");
    }

    @Test
    void aMissingMemberIsNamed() throws Exception {
        ObjectNode node = VmJson.spec(spec());
        node.remove("address");

        assertThatThrownBy(() -> VmJson.spec(node)).hasMessage("no member 'address'");
    }
}
