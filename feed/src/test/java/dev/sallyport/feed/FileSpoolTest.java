package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 16: a proxy numbers its events, and keeps them until they are acknowledged. */
@Timeout(60)
class FileSpoolTest {

    private static final long LARGE = 64 << 20;
    private static final long SMALL = 1 << 20;
    private static final byte[] SELF = identity(1);

    @TempDir
    Path folder;

    private static byte[] identity(int of) {
        byte[] identity = new byte[32];
        identity[0] = (byte) of;
        return identity;
    }

    private FileSpool open(long capacity) throws IOException {
        return FileSpool.open(folder.resolve("spool"), SELF, capacity);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void add(EventSpool spool, String... texts) throws IOException {
        for (String text : texts) {
            spool.append(1000, text(text));
        }
        spool.flush();
    }

    private static List<String> texts(EventSpool.Batch batch) {
        return batch.events().stream()
                .map(event -> new String(event, StandardCharsets.UTF_8))
                .toList();
    }

    /** Takes everything, and says that it is delivered. */
    private static List<String> drain(EventSpool spool) throws IOException {
        List<String> all = new ArrayList<>();
        for (EventSpool.Batch batch = spool.next(100); batch != null; batch = spool.next(100)) {
            all.addAll(texts(batch));
            spool.delivered(batch);
        }
        return all;
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("spool"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("events."))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    @Test
    void eventsComeOutInTheirOrderWithTheirNumbersUntilTheyAreDelivered() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "b", "c");

            EventSpool.Batch first = spool.next(2);
            assertThat(texts(first)).containsExactly("a", "b");
            assertThat(first.first()).isZero();
            assertThat(first.last()).isEqualTo(1);
            assertThat(first.oldestMillis()).isEqualTo(1000);
            assertThat(first.epoch()).matches("[0-9a-f]{32}");
            assertThat(texts(spool.next(1))).as("not delivered").containsExactly("a");

            spool.delivered(spool.next(2));
            EventSpool.Batch second = spool.next(2);
            assertThat(texts(second)).containsExactly("c");
            assertThat(second.first()).isEqualTo(2);
            spool.delivered(second);
            assertThat(spool.next(2)).isNull();
            assertThat(spool.bytes()).isZero();
        }
    }

    @Test
    void whatIsNotFlushedDoesNotComeOut() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            spool.append(1, text("a"));

            assertThat(spool.next(10)).isNull();
        }
    }

    /** The position is monotone over restarts, whether or not anything waits. */
    @Test
    void numbersGoOnAfterAStartInTheSameEpoch() throws Exception {
        String epoch;
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "b");
            epoch = spool.next(10).epoch();
            assertThat(drain(spool)).hasSize(2);
        }
        try (FileSpool spool = open(LARGE)) {
            assertThat(spool.next(10)).as("they were delivered").isNull();
            add(spool, "c");
            EventSpool.Batch next = spool.next(10);
            assertThat(next.epoch()).isEqualTo(epoch);
            assertThat(next.first()).isEqualTo(2);
        }
        try (FileSpool spool = open(LARGE)) {
            assertThat(texts(spool.next(10))).containsExactly("c");
        }
    }

    @Test
    void aNewFolderIsANewEpoch() throws Exception {
        String before;
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
            before = spool.next(1).epoch();
        }
        try (FileSpool spool = FileSpool.open(folder.resolve("other"), SELF, LARGE)) {
            add(spool, "a");
            assertThat(spool.next(1).epoch()).isNotEqualTo(before);
        }
    }

    /** A killed process leaves a last event that is not whole, of any length: it is cut off, and its number given again. */
    @Test
    void anEventThatIsNotWholeIsCutOff() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "whole", "torn");
        }
        byte[] all = Files.readAllBytes(segments().getFirst());
        for (int cut = 1; cut < Segment.OVERHEAD + 4; cut++) {
            Files.write(segments().getFirst(), all);
            try (FileChannel file = FileChannel.open(segments().getFirst(), StandardOpenOption.WRITE)) {
                file.truncate(all.length - cut);
            }
            try (FileSpool spool = open(LARGE)) {
                add(spool, "next");
                EventSpool.Batch batch = spool.next(10);
                assertThat(texts(batch)).as("cut by " + cut).containsExactly("whole", "next");
            }
        }
    }

    /** A file system may leave zeros or old bytes behind the last event after a power cut. */
    @Test
    void rubbishBehindTheLastEventIsCutOff() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "whole");
        }
        byte[] all = Files.readAllBytes(segments().getFirst());
        Random random = new Random(7);
        for (int round = 0; round < 50; round++) {
            byte[] rubbish = new byte[random.nextInt(200)];
            if (round > 0) {
                random.nextBytes(rubbish);
            }
            Files.write(
                    segments().getFirst(),
                    ByteBuffer.allocate(all.length + rubbish.length)
                            .put(all)
                            .put(rubbish)
                            .array());
            try (FileSpool spool = open(LARGE)) {
                assertThat(texts(spool.next(10))).containsExactly("whole");
            }
        }
    }

    @Test
    void aSegmentThatWasNotBegunIsRemoved() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
        }
        Files.write(folder.resolve("spool/events.000000000002"), new byte[20]);
        try (FileSpool spool = open(LARGE)) {
            add(spool, "b");
            assertThat(drain(spool)).containsExactly("a", "b");
        }
    }

    @Test
    void segmentsAreRemovedOnceAllOfThemWasDelivered() throws Exception {
        String large = "x".repeat(10_000);
        try (FileSpool spool = open(SMALL)) {
            for (int i = 0; i < 50; i++) {
                add(spool, i + large);
            }
            assertThat(segments()).hasSizeGreaterThan(5);

            List<String> all = drain(spool);

            assertThat(all).hasSize(50).first().isEqualTo("0" + large);
            assertThat(all.getLast()).isEqualTo("49" + large);
            assertThat(segments()).hasSize(1);
        }
    }

    @Test
    void manySegmentsAreReadAgainAfterAStartFromWhereDeliveryStopped() throws Exception {
        String large = "x".repeat(10_000);
        try (FileSpool spool = open(SMALL)) {
            for (int i = 0; i < 40; i++) {
                add(spool, i + large);
            }
            for (int i = 0; i < 17; i++) {
                spool.delivered(spool.next(1));
            }
        }
        try (FileSpool spool = open(SMALL)) {
            assertThat(spool.next(1).first()).isEqualTo(17);
            List<String> rest = drain(spool);
            assertThat(rest).hasSize(23);
            assertThat(rest.getFirst()).isEqualTo("17" + large);
            assertThat(spool.end(spool.epoch())).isEqualTo(40);
        }
    }

    /** The mark only saves work: without it everything that is there is delivered again, with the same numbers. */
    @Test
    void withoutTheMarkOfWhatWasDeliveredItIsDeliveredAgain() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "b");
            spool.delivered(spool.next(1));
        }
        Files.write(folder.resolve("spool/delivered"), new byte[] {1, 2, 3});
        try (FileSpool spool = open(LARGE)) {
            assertThat(texts(spool.next(10))).containsExactly("a", "b");
            assertThat(spool.next(10).first()).isZero();
        }
    }

    @Test
    void whatDoesNotFitIsRefusedAndFitsOnceOthersAreDelivered() throws Exception {
        byte[] large = new byte[100_000];
        try (FileSpool spool = open(SMALL)) {
            int fit = 0;
            while (spool.bytes() + large.length + Segment.OVERHEAD <= SMALL) {
                spool.append(1, large);
                fit++;
            }
            assertThat(fit).isEqualTo(10);
            assertThatThrownBy(() -> spool.append(1, large)).isInstanceOf(SpoolFullException.class);
            spool.flush();
            assertThat(spool.bytes()).isEqualTo(10L * (large.length + Segment.OVERHEAD));

            spool.delivered(spool.next(1));

            spool.append(1, large);
            spool.flush();
            assertThat(spool.end(spool.epoch())).isEqualTo(11);
        }
    }

    @Test
    void oneProcessUsesAFolderAtATime() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            assertThat(spool.bytes()).isZero();
            assertThatThrownBy(() -> open(LARGE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process");
        }
        open(LARGE).close();
    }

    /** Events are delivered with the token of a proxy: those of another one must not be. */
    @Test
    void eventsOfAnotherProxyAreNotTaken() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
        }
        assertThatThrownBy(() -> FileSpool.open(folder.resolve("spool"), identity(2), LARGE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another proxy");
        String epoch;
        try (FileSpool spool = open(LARGE)) {
            epoch = spool.next(1).epoch();
            assertThat(drain(spool)).containsExactly("a");
        }

        try (FileSpool spool = FileSpool.open(folder.resolve("spool"), identity(2), LARGE)) {
            add(spool, "b");
            assertThat(texts(spool.next(10))).containsExactly("b");
            assertThat(spool.next(10).epoch()).isNotEqualTo(epoch);
            assertThat(spool.next(10).first()).isZero();
        }
    }

    /** Where delivered events are damaged, their numbers are not given again. */
    @Test
    void damageAmongDeliveredEventsBeginsAnotherEpoch() throws Exception {
        String epoch;
        try (FileSpool spool = open(LARGE)) {
            add(spool, "aaaa", "bbbb");
            epoch = spool.next(1).epoch();
            drain(spool);
        }
        byte[] all = Files.readAllBytes(segments().getFirst());
        all[all.length - 1] ^= 1;
        Files.write(segments().getFirst(), all);

        try (FileSpool spool = open(LARGE)) {
            add(spool, "c");
            EventSpool.Batch next = spool.next(10);
            assertThat(texts(next)).containsExactly("c");
            assertThat(next.epoch()).isNotEqualTo(epoch);
        }
    }

    @Test
    void aDamagedEventEndsItsSegmentAndNotTheOthers() throws Exception {
        String large = "x".repeat(100_000);
        try (FileSpool spool = open(SMALL)) {
            add(spool, "1" + large);
            add(spool, "2" + large);
            add(spool, "3" + large);
            byte[] first = Files.readAllBytes(segments().getFirst());
            first[first.length - 10] ^= 1;
            Files.write(segments().getFirst(), first, StandardOpenOption.WRITE);

            List<String> left = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                EventSpool.Batch batch = spool.next(10);
                if (batch != null) {
                    left.addAll(texts(batch));
                    assertThat(batch.first()).isEqualTo(left.size());
                    spool.delivered(batch);
                }
            }
            assertThat(left).containsExactly("2" + large, "3" + large);
        }
    }

    @Test
    void anEpochThatBeginsIsSentAfterTheOneBefore() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
            spool.beginEpoch();
            add(spool, "b");
            EventSpool.Batch first = spool.next(10);
            spool.delivered(first);
            EventSpool.Batch second = spool.next(10);

            assertThat(texts(first)).containsExactly("a");
            assertThat(texts(second)).containsExactly("b");
            assertThat(second.first()).isZero();
            assertThat(second.epoch()).isNotEqualTo(first.epoch());
        }
    }

    @Test
    void whatIsClearedIsGoneAndItsNumbersAreNotGivenAgain() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "b");
            spool.clear();
            assertThat(spool.next(10)).isNull();
            add(spool, "c");
            assertThat(spool.next(10).first()).isEqualTo(2);
        }
    }

    @Test
    void nobodyElseReadsTheFiles() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("spool"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(segments().getFirst())))
                .isEqualTo("rw-------");
    }

    /** What was cut off may have been delivered: its numbers do not come again. */
    @Test
    void damageInTheLastFileKeepsWhatIsBeforeItAndBeginsAnotherEpoch() throws Exception {
        String epoch;
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "bbbb", "c");
            epoch = spool.epoch();
        }
        Path file = segments().getFirst();
        byte[] all = Files.readAllBytes(file);
        all[all.length - Segment.OVERHEAD - 2] ^= 1; // the end of the second one
        Files.write(file, all);

        try (FileSpool spool = open(LARGE)) {
            add(spool, "d");
            EventSpool.Batch first = spool.next(10);
            assertThat(texts(first)).containsExactly("a");
            assertThat(first.epoch()).isEqualTo(epoch);
            spool.delivered(first);
            EventSpool.Batch second = spool.next(10);
            assertThat(texts(second)).containsExactly("d");
            assertThat(second.first()).isZero();
            assertThat(second.epoch()).isNotEqualTo(epoch);
        }
    }

    @Test
    void aTornEndIsNoDamageAndTheEpochGoesOn() throws Exception {
        String epoch;
        try (FileSpool spool = open(LARGE)) {
            add(spool, "whole", "torn");
            epoch = spool.epoch();
        }
        try (FileChannel file = FileChannel.open(segments().getFirst(), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - 1);
        }
        try (FileSpool spool = open(LARGE)) {
            assertThat(spool.epoch()).isEqualTo(epoch);
            assertThat(spool.end(epoch)).isEqualTo(1);
        }
    }

    /** A file that cannot be deleted does not take the next one with it. */
    @Test
    void aFileThatCannotBeDeletedLosesNothing() throws Exception {
        String large = "x".repeat(100_000);
        try (FileSpool spool = open(SMALL)) {
            add(spool, "1" + large);
            add(spool, "2" + large);
            add(spool, "3" + large);
            Path first = segments().getFirst();
            Files.delete(first);
            Files.createDirectories(first.resolve("in the way"));

            assertThat(drain(spool)).containsExactly("1" + large, "2" + large, "3" + large);
        }
    }

    @Test
    void theMarkMayFail() throws Exception {
        Files.createDirectories(folder.resolve("spool"));
        Files.createSymbolicLink(folder.resolve("spool/delivered"), Path.of("/dev/full"));
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a", "b");

            assertThat(drain(spool)).containsExactly("a", "b");
            assertThat(spool.bytes()).isZero();
            add(spool, "c");
            spool.clear();
            assertThat(spool.bytes()).isZero();
        }
    }

    @Test
    void whatIsClearedNeedsNoRoomOnTheDisk() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            add(spool, "a");
            spool.append(1, text("never flushed"));
            spool.clear();
            spool.flush();

            assertThat(spool.next(10)).isNull();
            assertThat(spool.bytes()).isZero();
        }
    }

    /** On a full disk a file is tried again and again: no attempt may leave one behind. */
    @Test
    void aFileThatCannotBeBegunLeavesNothingBehind() throws Exception {
        String large = "x".repeat(100_000);
        try (FileSpool spool = open(SMALL)) {
            add(spool, "1" + large);
            for (int i = 0; i < 3; i++) {
                Files.createSymbolicLink(folder.resolve("spool/events.000000000002"), Path.of("/dev/full"));
                if (i == 0) {
                    spool.append(1000, text("2" + large));
                }
                assertThatThrownBy(spool::flush).isInstanceOf(IOException.class);
            }
            assertThat(segments()).hasSize(1);

            spool.flush();

            assertThat(segments())
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly("events.000000000001", "events.000000000002");
            assertThat(drain(spool)).containsExactly("1" + large, "2" + large);
        }
    }

    @Test
    void anEventThatNeverFitsIsNoReasonToWait() throws Exception {
        try (FileSpool spool = open(SMALL)) {
            byte[] large = new byte[(int) SMALL - Segment.OVERHEAD + 1];
            assertThatThrownBy(() -> spool.append(1, large)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theEndOfAnEpochIsItsOwn() throws Exception {
        try (FileSpool spool = open(LARGE)) {
            String before = spool.epoch();
            add(spool, "a", "b");
            spool.beginEpoch();
            add(spool, "c");
            spool.append(1, text("d"));

            assertThat(spool.end(before)).isEqualTo(2);
            assertThat(spool.end(spool.epoch())).isEqualTo(2);
            assertThat(spool.epoch()).isNotEqualTo(before);
        }
    }
}
