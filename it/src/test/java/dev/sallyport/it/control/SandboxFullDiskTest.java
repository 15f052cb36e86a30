package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.testsupport.Patience;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The disk that has the folder of sandboxd is full, with real guests on it. Needs root, what the driver needs, and an image in
 * {@code TEST_SANDBOX_IMAGE}.
 */
@Tag("long")
@Timeout(600)
class SandboxFullDiskTest {

    private SmallDisk disk;
    private ScenarioMachine machine;
    private ScenarioGuests guests;
    private String vm;

    @BeforeEach
    void open() throws Exception {
        disk = new SmallDisk(1L << 30);
        machine = ScenarioMachine.open("oci", disk.folder());
        guests = new ScenarioGuests(machine);
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        vm = guests.create("box");
        guests.until(vm, "ready");
        guests.ssh(vm, "echo kept > /root/kept; sync");
    }

    @AfterEach
    void close() throws Exception {
        try {
            if (machine != null) {
                machine.close();
            }
        } finally {
            if (disk != null) {
                disk.close();
            }
        }
    }

    @Test
    void aCreationWaitsForRoomAndLeavesNothingHalfMade() throws Exception {
        disk.fill(64);

        String late = guests.create("late");
        awaitEvent(late, "it is tried again");
        assertThat(messages(late)).anyMatch(message -> message.contains("No space left on device"));
        assertThat(guests.ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
        assertThat(machine.traces().found().get("mounts")).doesNotContain(late);

        disk.free();
        guests.until(late, "ready");
        assertThat(guests.ssh(late, "echo new > /root/new && sync && cat /root/new"))
                .isEqualTo("new\n");
        assertThat(guests.get(late, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void aCreationThatIsGivenUpLeavesNothing() throws Exception {
        disk.fill(64);

        String late = guests.create("late");
        awaitEvent(late, "it is tried again");
        machine.api("DELETE", "/v1/vms/" + late + "?force=true", "");
        guests.until(late, "destroyed");
        assertThat(machine.traces().found().toString()).contains(vm).doesNotContain(late);

        disk.free();
        guests.until(guests.create("late"), "ready");
    }

    @Test
    void aSnapshotForWhichThereIsNoRoomFailsAndTheGuestGoesOn() throws Exception {
        disk.fill(64);

        String snapshot = machine.api("POST", "/v1/vms/" + vm + "/snapshots", "{}")
                .at("/data/id")
                .asText();
        JsonNode seen = awaitSnapshot(snapshot, List.of("ready", "failed"));
        assertThat(seen.at("/data/status").asText()).isEqualTo("failed");
        awaitEvent(vm, "left for snapshots");
        assertThat(guests.ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
        assertThat(machine.traces().found().keySet()).doesNotContain("snapshots", "layers");

        disk.free();
        String again = guests.snapshot(vm);
        String fork = guests.create("fork", ", \"snapshot_id\": \"" + again + "\"");
        guests.until(fork, "ready");
        assertThat(guests.ssh(fork, "cat /root/kept")).isEqualTo("kept\n");
    }

    @Test
    void aGuestThatWritesMeetsTheEndAndHasItsFilesAfterAStart() throws Exception {
        String other = guests.create("other");
        guests.until(other, "ready");
        guests.ssh(other, "echo kept > /root/kept; sync");
        disk.fill(64);

        String said = guests.ssh(vm, "dd if=/dev/urandom of=/root/big bs=1M count=30 conv=fsync 2>&1; echo code $?");
        assertThat(said).containsAnyOf("Input/output error", "No space left on device", "Read-only file system");
        awaitEvent(vm, "the disk of the machine is full");
        assertThat(guests.ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
        assertThat(guests.ssh(other, "cat /root/kept")).as("the neighbour").isEqualTo("kept\n");

        machine.api("POST", "/v1/vms/" + vm + "/stop", "");
        guests.until(vm, "stopped");
        disk.free();
        machine.api("POST", "/v1/vms/" + vm + "/start", "");
        guests.until(vm, "ready");
        assertThat(
                        guests.ssh(
                                vm,
                                "cat /root/kept; dd if=/dev/urandom of=/root/big bs=1M count=30 conv=fsync status=none; echo code $?"))
                .isEqualTo("kept\ncode 0\n");
        assertThat(guests.ssh(other, "cat /root/kept; echo x > /root/x && sync && cat /root/x"))
                .isEqualTo("kept\nx\n");
    }

    @Test
    void aGuestIsDestroyedWithoutRoomAndGivesItsRoomBack() throws Exception {
        guests.ssh(vm, "dd if=/dev/urandom of=/root/big bs=1M count=20 conv=fsync status=none");
        disk.fill(0);

        guests.destroy(vm);

        machine.untilEmpty("vms");
        guests.until(guests.create("box"), "ready");
    }

    @Test
    void aStartNeedsNoRoomOnTheDisk() throws Exception {
        machine.api("POST", "/v1/vms/" + vm + "/stop", "");
        guests.until(vm, "stopped");
        disk.fill(0);

        machine.api("POST", "/v1/vms/" + vm + "/start", "");

        guests.until(vm, "ready");
        assertThat(guests.ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
        assertThat(guests.get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void aStartThatFindsNoRoomForWhatEndsWithABootIsDoneWhenThereIs() throws Exception {
        machine.api("POST", "/v1/vms/" + vm + "/stop", "");
        guests.until(vm, "stopped");
        machine.run("sh", "-c", "mount -o remount,size=$(df -k --output=used /run | tail -n 1 | tr -d ' ')k /run");

        machine.api("POST", "/v1/vms/" + vm + "/start", "");
        awaitEvent(vm, "No space left on device; it is tried again");
        machine.run("mount", "-o", "remount,size=64m", "/run");

        guests.until(vm, "ready");
        assertThat(guests.ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
    }

    private List<String> messages(String of) throws Exception {
        return StreamSupport.stream(
                        machine.api("GET", "/v1/vms/" + of + "/events?limit=100", "")
                                .path("data")
                                .spliterator(),
                        false)
                .map(event -> event.path("message").asText())
                .collect(Collectors.toList());
    }

    private void awaitEvent(String of, String text) throws Exception {
        for (int i = 0; i < 20 * Patience.SECONDS; i++) {
            if (messages(of).stream().anyMatch(message -> message.contains(text))) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no event says " + text + ": " + messages(of) + machine.log(Sandboxd.class));
    }

    private JsonNode awaitSnapshot(String id, List<String> states) throws Exception {
        JsonNode seen = machine.api("GET", "/v1/snapshots/" + id, "");
        for (int i = 0;
                i < 20 * Patience.SECONDS
                        && !states.contains(seen.at("/data/status").asText());
                i++) {
            Thread.sleep(50);
            seen = machine.api("GET", "/v1/snapshots/" + id, "");
        }
        return seen;
    }
}
