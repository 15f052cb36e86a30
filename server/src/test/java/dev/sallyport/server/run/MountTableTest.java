package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {

    @Test
    void places_are_unescaped_and_types_follow_the_optional_fields() {
        MountTable table = MountTable.parse(List.of(
                "36 35 98:0 /mnt1 /a\\040b\\134c rw,noatime master:1 shared:2 - ext3 /dev/root rw",
                "37 35 0:5 / /proc rw - proc proc rw",
                "no mount"));

        assertThat(table.mounts())
                .containsExactly(
                        new MountTable.Mount("98:0", "/mnt1", "/a b\\c", "ext3"),
                        new MountTable.Mount("0:5", "/", "/proc", "proc"));
    }

    @Test
    void who_looks_at_a_file_system_that_is_served_may_wait() {
        MountTable table = MountTable.parse(List.of(
                "1 0 0:40 / /mnt/a rw - nfs4 server:/export rw",
                "2 0 0:41 / /mnt/b rw - fuse.sshfs host: rw",
                "3 0 0:42 / /mnt/c rw - fuseblk /dev/sdb1 rw",
                "4 0 0:41 /socket /mnt/d rw - fuse.sshfs host: rw",
                "5 0 8:1 / / rw - ext4 /dev/sda1 rw"));

        assertThat(table.mounts().stream()
                        .filter(MountTable.Mount::isServedRoot)
                        .map(MountTable.Mount::place))
                .containsExactly("/mnt/a", "/mnt/b", "/mnt/c");
    }

    @Test
    void a_file_has_a_path_for_each_mount_of_its_file_system() {
        MountTable table = MountTable.parse(List.of(
                "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
                "2 1 0:9 / /run rw - tmpfs tmpfs rw",
                "3 1 8:1 /srv/data /data rw - ext4 /dev/sda1 rw",
                "4 1 0:9 /user /jail/user rw - tmpfs tmpfs rw"));

        assertThat(table.aliases(Path.of("/srv/data/a/s"))).containsExactly(Path.of("/data/a/s"));
        assertThat(table.aliases(Path.of("/data/a/s"))).containsExactly(Path.of("/srv/data/a/s"));
        assertThat(table.aliases(Path.of("/run/user/7/bus"))).containsExactly(Path.of("/jail/user/7/bus"));
        assertThat(table.aliases(Path.of("/run/other"))).isEmpty();
        assertThat(table.aliases(Path.of("/srv/database/s"))).isEmpty();
    }
}
