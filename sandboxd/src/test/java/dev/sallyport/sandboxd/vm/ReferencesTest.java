package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.testsupport.Patience;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What keeps images and layers on the disk. */
class ReferencesTest {

    private static final VmId VM = new VmId("vm_" + "a".repeat(26));
    private static final SnapshotId SNAPSHOT = new SnapshotId("snap_" + "a".repeat(26));

    @TempDir
    Path folder;

    private HostSettings settings;

    private static String digest(char hex) {
        return "sha256:" + String.valueOf(hex).repeat(64);
    }

    @BeforeEach
    void read() throws Exception {
        settings = HostSettings.of(Map.of("dir", folder.toString()));
    }

    private Path file(Path parent, Object id, String name) throws Exception {
        return Files.createDirectories(parent.resolve(id.toString())).resolve(name);
    }

    @Test
    void whereNothingIsNothingIsNamed() throws Exception {
        assertThat(References.of(settings)).isEqualTo(new References(Set.of(), Set.of()));
    }

    private static VmRecord vmRecord() throws Exception {
        VmSpec spec = new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease(Members.address("address", "10.77.0.2")),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me", Map.of()));
        return new VmRecord(spec, digest('1'), List.of(digest('b'), digest('a')));
    }

    @Test
    void vmsAndSnapshotsNameTheirImageAndAllTheirLayers() throws Exception {
        VmRecord vm = vmRecord();
        SnapshotRecord captured = new SnapshotRecord(VM, digest('2'), List.of(digest('c')), 0);
        SnapshotId other = new SnapshotId("snap_" + "b".repeat(26));
        Files.writeString(file(settings.vms(), VM, "vm.json"), vm.toJson());
        file(settings.vms(), new VmId("vm_" + "b".repeat(26)), "half made");
        Files.writeString(file(settings.snapshots(), SNAPSHOT, "captured.json"), captured.toJson());
        Files.writeString(
                file(settings.snapshots(), other, "sealed.json"),
                captured.sealed(digest('d'), 7).toJson());

        References references = References.of(settings);

        assertThat(VmRecord.parse(vm.toJson())).isEqualTo(vm);
        assertThat(references.images()).containsExactlyInAnyOrder(digest('1'), digest('2'));
        assertThat(references.layers()).containsExactlyInAnyOrder(digest('a'), digest('b'), digest('c'), digest('d'));
    }

    private static Path fifo(Path file) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        return file;
    }

    @Test
    void whatASnapshotTakesOverFromItsVmIsNamedThroughout() throws Exception {
        SnapshotRecord captured = new SnapshotRecord(VM, digest('2'), List.of(digest('c')), 0);
        Path vm = fifo(file(settings.vms(), VM, "vm.json"));
        Path snapshot = file(settings.snapshots(), SNAPSHOT, "captured.json");
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<References> reading = thread.submit(() -> References.of(settings));
            try (OutputStream held = Files.newOutputStream(vm)) { // it is being read
                Files.writeString(snapshot, captured.toJson());
                held.write(vmRecord().toJson().getBytes(StandardCharsets.UTF_8));
            }

            assertThat(reading.get(Patience.SECONDS, TimeUnit.SECONDS).layers()).contains(digest('c'));
        }
    }

    @Test
    void whatASnapshotIsMadeOfIsNamedWhileItIsSealed() throws Exception {
        SnapshotRecord captured = new SnapshotRecord(VM, digest('2'), List.of(digest('c')), 0);
        Path fifo = fifo(file(settings.snapshots(), SNAPSHOT, "captured.json"));
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<References> reading = thread.submit(() -> References.of(settings));
            try (OutputStream held = Files.newOutputStream(fifo)) { // it is being read
                Files.writeString(
                        fifo.resolveSibling("sealed.json"),
                        captured.sealed(digest('d'), 7).toJson());
                held.write(captured.toJson().getBytes(StandardCharsets.UTF_8));
            }

            assertThat(reading.get(Patience.SECONDS, TimeUnit.SECONDS).layers()).contains(digest('c'), digest('d'));
        }
    }

    @Test
    void aDamagedFileMayNameAnything() throws Exception {
        Files.writeString(file(settings.snapshots(), SNAPSHOT, "sealed.json"), "{");

        assertThatThrownBy(() -> References.of(settings))
                .isInstanceOf(VmException.class)
                .hasMessageContaining(SNAPSHOT.value());
    }
}
