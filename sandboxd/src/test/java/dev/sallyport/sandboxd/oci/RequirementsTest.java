package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Need;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a machine. */
class RequirementsTest {

    private static final Path FILE = Path.of("/etc/subuid");

    @ParameterizedTest
    @CsvSource({
        "user:100000:65536, 1",
        "user:165535:1, 1",
        "user:165536:65536, 0",
        "user:34464:65536, 0",
        "user:34465:65536, 1",
        "user:0:4294967295, 1",
        "1000:100000:65536, 1",
        "# a comment, 0",
        "'', 0",
        "user:none:65536, 0"
    })
    void idsThatAUserHasAreNotForGuests(String line, int problems) {
        assertThat(Requirements.overlaps(new IdRange(100_000, 65_536), FILE, List.of(line)))
                .hasSize(problems);
    }

    @Test
    void theProblemNamesTheUser() {
        assertThat(Requirements.overlaps(new IdRange(100_000, 65_536), FILE, List.of("me:100000:65536")))
                .containsExactly("/etc/subuid gives ids of the guests, from 100000 on, to me as well");
    }

    /** Debian's useradd gives 100,000 to 600,100,000; systemd gives containers 524,288 to 1,879,048,191. */
    @Test
    void theDefaultIsOutsideOfWhatUsersAndContainersGet() {
        assertThat(IdRange.DEFAULT.overlaps(100_000, 600_000_001)).isFalse();
        assertThat(IdRange.DEFAULT.overlaps(524_288, 1_878_523_904)).isFalse();
    }

    @Test
    void aProgramThatIsMissingIsNamedWithThePackageThatBringsIt() {
        Need need = CommonNeeds.program("no-such-program", "some-package");

        assertThat(need.met()).isFalse();
        assertThat(need.problem()).isEqualTo("there is no no-such-program (expected: Debian's package some-package)");
    }

    @Test
    void withoutControlGroupsThereIsNoDriverAndItSaysWhatToDo() throws Exception {
        Requirements bare = new Requirements(new Cgroups(Cgroups.Layout.NONE, List.of()), HostSettings.of(Map.of()));

        assertThat(bare.check())
                .isInstanceOfSatisfying(
                        Availability.Unavailable.class,
                        unavailable -> assertThat(unavailable.problems())
                                .contains(
                                        "no control groups are mounted (expected: mount -t cgroup2 cgroup2 /sys/fs/cgroup)"));
    }

    @Test
    void runcIsInUseWhereItKnowsAContainer(@TempDir Path folder) throws Exception {
        HostSettings settings = HostSettings.of(Map.of("run_dir", folder.toString()));
        Path known = folder.resolve("runtime/vm_one");

        assertThat(OciRuntime.isRuncInUse(settings)).isFalse();
        Files.createDirectories(known);
        Files.createFile(known.resolve("status")); // crun's
        assertThat(OciRuntime.isRuncInUse(settings)).isFalse();
        Files.createFile(known.resolve("state.json"));
        assertThat(OciRuntime.isRuncInUse(settings)).isTrue();
    }

    @Test
    void theRoomIsThatOfTheFolderBelowWhichTheSandboxesWillBe(@TempDir Path folder) throws Exception {
        Path later = folder.resolve("var/sandboxes");

        assertThat(Examination.room(later, 1).met()).isTrue();
        Need full = Examination.room(later, Long.MAX_VALUE);
        assertThat(full.met()).isFalse();
        assertThat(full.found()).endsWith("MiB are free at " + later);
        assertThat(full.remedy()).contains("MiB at least, or another folder");
        assertThat(later).doesNotExist();
    }
}
