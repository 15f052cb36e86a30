package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a disk has left for snapshots. */
class RoomTest {

    @Test
    void aTwentiethOfTheBytesAndInodesIsKept() {
        assertThat(Room.of("4096 500 1000 300 2000\n")).isEqualTo(new Room((500 - 50) * 4096, 300 - 100));
        assertThat(Room.of("4096 50 1000 100 2000")).isEqualTo(new Room(0, 0));
        assertThat(Room.of("4096 0 1000 0 2000")).isEqualTo(new Room(-50 * 4096, -100));
    }

    @Test
    void aDiskThatIsFullIsToldOfAndNoOther(@TempDir Path folder) throws Exception {
        assertThat(Room.facts(folder)).isEmpty();
        assertThat(Room.facts(Path.of("/proc"))).as("it has no room at all").containsExactly("disk: full");
    }

    @Test
    void ofALargeDiskTenGibibytesAreKept() {
        assertThat(Room.of("1048576 1000000 2000000 1 1").bytes()).isEqualTo((1_000_000L << 20) - (10L << 30));
    }

    @Test
    void aFileSystemThatDoesNotCountInodesHasAsManyAsItLikes() {
        assertThat(Room.of("4096 500 1000 0 0").files()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whereThereIsNoneNothingIsMade() {
        assertThatCode(() -> new Room(7, 1).require(7)).doesNotThrowAnyException();
        for (Room room : new Room[] {new Room(6, 1), new Room(7, 0), new Room(-1, -1)}) {
            assertThatThrownBy(() -> room.require(7))
                    .isInstanceOfSatisfying(
                            VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.EXHAUSTED));
        }
    }

    @Test
    void aRealOneIsMeasured(@TempDir Path folder) throws Exception {
        long free = Files.getFileStore(folder).getUsableSpace();

        assertThat(Room.of(folder).bytes()).isLessThan(free).isGreaterThan(free - (11L << 30));
    }
}
