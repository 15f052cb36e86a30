package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainEnd;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.CheckpointFiles;
import dev.sallyport.core.audit.chain.CheckpointReader;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.audit.chain.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 14: {@code log.audit.checkpoint}. */
class CheckpointLogTest {

    private static final Instant START = Instant.parse("2026-03-04T05:06:07Z");
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @TempDir
    Path folder;

    private final AuditChain chain = new AuditChain(new ChainEnd(0, new byte[Sha256.BYTES], null));
    private long nanos;
    private Path audit;
    private AuditKey key;

    @BeforeEach
    void prepare() throws IOException {
        audit = folder.resolve("audit.jsonl");
        key = AuditKey.open(folder.resolve("audit.jsonl.key"), "my service+1");
    }

    private CheckpointLog open(Duration every, int records) throws IOException {
        return open(every, records, START);
    }

    private CheckpointLog open(Duration every, int records, Instant now) throws IOException {
        return open(new CheckpointLog.Settings(key, every, records, Rotation.NONE), now);
    }

    private CheckpointLog open(CheckpointLog.Settings settings, Instant now) throws IOException {
        return CheckpointLog.open(
                audit, chain.seq(), settings, new CheckpointLog.Clocks(Clock.fixed(now, ZoneOffset.UTC), () -> nanos));
    }

    private void records(int count) {
        for (int i = 0; i < count; i++) {
            chain.append(new byte[] {1}, 0, 1);
        }
    }

    private Path file() {
        return folder.resolve("audit.jsonl.checkpoints");
    }

    @Test
    void oneIsDueAfterEveryIntervalAlsoWithoutRecords() throws Exception {
        try (CheckpointLog log = open(Duration.ofSeconds(5), 10_000)) {
            for (int i = 0; i < 3; i++) {
                assertThat(log.nanosUntilDue(chain)).isEqualTo(5 * SECOND);
                nanos += 5 * SECOND;
                assertThat(log.nanosUntilDue(chain)).isZero();
                log.append(chain);
            }
        }

        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(18);
        assertThat(lines.subList(0, 5))
                .containsExactly(
                        key.publicKey().name(),
                        "0",
                        Base64.getEncoder().encodeToString(new byte[32]),
                        "time 2026-03-04T05:06:07.000Z",
                        "");
        assertThat(lines.get(5)).startsWith("\u2014 " + key.publicKey().name() + " ");
    }

    @Test
    void manyRecordsMakeOneDueBeforeThatButNeverTwoInOneSecond() throws Exception {
        try (CheckpointLog log = open(Duration.ofSeconds(60), 10)) {
            records(9);
            assertThat(log.nanosUntilDue(chain)).isEqualTo(60 * SECOND);
            records(1);
            assertThat(log.nanosUntilDue(chain)).isZero();
            log.append(chain);
            records(1000);
            assertThat(log.nanosUntilDue(chain)).isEqualTo(SECOND);
            assertThat(log.nanosUntilAllowed()).isEqualTo(SECOND);
            nanos += SECOND;
            assertThat(log.nanosUntilDue(chain)).isZero();
            assertThat(log.covers(chain)).isFalse();
            log.append(chain);
            assertThat(log.covers(chain)).isTrue();
        }

        CheckpointReader.Last last = CheckpointReader.last(file());
        assertThat(last.checkpoint().size()).isEqualTo(1010);
        assertThat(last.checkpoint().hash()).isEqualTo(chain.hash());
    }

    @Test
    void theSecondCountsOverARestart() throws Exception {
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10)) {
            nanos += SECOND;
            log.append(chain);
        }

        try (CheckpointLog log = open(Duration.ofSeconds(1), 10, START.plusMillis(300))) {
            assertThat(log.nanosUntilAllowed()).isEqualTo(Duration.ofMillis(700).toNanos());
        }
    }

    @Test
    void aClockThatIsSetBackMakesNoOlderCheckpoint() throws Exception {
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10)) {
            log.append(chain);
        }
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10, START.minusSeconds(3600))) {
            log.append(chain);
        }

        assertThat(CheckpointReader.last(file()).checkpoint().time()).isEqualTo(START);
    }

    @Test
    void aNoteThatWasNotFinishedIsCutOff() throws Exception {
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10)) {
            log.append(chain);
        }
        String whole = Files.readString(file());
        for (int cut : List.of(1, 20, 100, whole.length() - 1)) {
            Files.writeString(file(), whole + whole.substring(0, whole.length() - cut));
            assertThat(CheckpointReader.last(file()).whole()).isEqualTo(whole);

            open(Duration.ofSeconds(1), 10).close();

            assertThat(file()).hasContent(whole);
        }
        Files.writeString(file(), whole.substring(0, 50));
        assertThat(CheckpointReader.last(file())).isNull();
        open(Duration.ofSeconds(1), 10).close();
        assertThat(file()).isEmptyFile();
    }

    private CheckpointLog rotating(Rotation rotation, Instant now) throws IOException {
        return open(new CheckpointLog.Settings(key, Duration.ofSeconds(1), 10, rotation), now);
    }

    private Path rotated(int number) {
        return folder.resolve("audit.jsonl.checkpoints.00000" + number);
    }

    private static long size(CheckpointReader.Last last) {
        return last == null ? -1 : last.checkpoint().size();
    }

    @Test
    void theFileIsRotatedWhenTheAuditFileIs() throws Exception {
        try (CheckpointLog log = rotating(Rotation.NONE, START)) {
            log.rotateNext(); // nothing was signed in it
            records(1);
            log.append(chain);
            log.append(chain);
            log.rotateNext();
            records(1);
            log.append(chain);
        }

        assertThat(size(CheckpointReader.last(rotated(1)))).isEqualTo(1);
        assertThat(Files.readAllLines(rotated(1))).hasSize(12);
        assertThat(size(CheckpointReader.last(file()))).isEqualTo(2);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(rotated(2)).doesNotExist();
    }

    /** The audit file of an idle proxy is not rotated, but its checkpoints go on. */
    @Test
    void theFileIsRotatedBySizeAndByAge() throws Exception {
        Rotation small = new Rotation(2048, Duration.ZERO, Integer.MAX_VALUE);
        try (CheckpointLog log = rotating(small, START)) {
            for (int i = 0; i < 20; i++) {
                log.append(chain);
            }
        }
        assertThat(rotated(2)).exists();
        assertThat(Files.size(rotated(1))).isBetween(1024L, 2048L);
        int before = Files.readAllLines(file()).size();

        Rotation daily = new Rotation(Long.MAX_VALUE, Duration.ofHours(24), Integer.MAX_VALUE);
        try (CheckpointLog log = rotating(daily, START.plus(Duration.ofHours(23)))) {
            log.append(chain);
        }
        assertThat(Files.readAllLines(file())).hasSize(before + 6);
        try (CheckpointLog log = rotating(daily, START.plus(Duration.ofHours(24)))) {
            log.append(chain);
        }
        assertThat(Files.readAllLines(file())).hasSize(6);
    }

    @Test
    void asManyAreKeptAsOfAuditFiles() throws Exception {
        try (CheckpointLog log = rotating(new Rotation(Long.MAX_VALUE, Duration.ZERO, 2), START)) {
            for (int i = 0; i < 5; i++) {
                log.append(chain);
                log.rotateNext();
            }
        }

        assertThat(rotated(2)).doesNotExist();
        assertThat(List.of(rotated(3), rotated(4))).allMatch(Files::exists);
    }

    /** Killed between the two steps of a rotation. */
    @Test
    void theLastOneCountsWhicheverFileItIsIn() throws Exception {
        records(3);
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10)) {
            log.append(chain);
        }
        Files.move(file(), rotated(1));

        assertThat(size(CheckpointFiles.last(audit))).isEqualTo(3);
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10, START.minusSeconds(3600))) {
            assertThat(log.covers(chain)).isTrue();
            log.append(chain);
        }
        assertThat(CheckpointReader.last(file()).checkpoint().time()).isEqualTo(START);
    }

    /** With nothing of ours: Java's own Ed25519, and the formats as they are published. */
    @Test
    void otherToolsCanVerifyIt() throws Exception {
        records(3);
        try (CheckpointLog log = open(Duration.ofSeconds(1), 10)) {
            log.append(chain);
        }
        String note = Files.readString(file());
        String[] vkey =
                Files.readString(folder.resolve("audit.jsonl.pub")).strip().split("\\+", 3);
        byte[] tagged = Base64.getDecoder().decode(vkey[2]);
        byte[] der = HexFormat.of()
                .parseHex("302a300506032b6570032100" + HexFormat.of().formatHex(tagged, 1, 33));
        String text = note.substring(0, note.indexOf("\n\n") + 1);
        String[] signature = note.substring(note.indexOf("\n\n") + 2).strip().split(" ", -1);
        byte[] signed = Base64.getDecoder().decode(signature[2]);

        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der)));
        verifier.update(text.getBytes(StandardCharsets.UTF_8));

        assertThat(tagged[0]).isEqualTo((byte) 1);
        assertThat(signature[1]).isEqualTo(vkey[0]);
        assertThat(HexFormat.of().formatHex(signed, 0, 4)).isEqualTo(vkey[1]);
        assertThat(verifier.verify(Arrays.copyOfRange(signed, 4, 68))).isTrue();
        assertThat(vkey[0])
                .isEqualTo(
                        "my-service-1/" + HexFormat.of().formatHex(Sha256.of(Arrays.copyOfRange(tagged, 1, 33)), 0, 8));
    }

    @Test
    void theKeyIsItsOwnersAloneAndStaysTheSame() throws Exception {
        Path file = folder.resolve("audit.jsonl.key");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        AuditKey again = AuditKey.open(file, "another");
        assertThat(again.publicKey()).isEqualTo(key.publicKey());
        assertThat(again.toString()).isEqualTo("AuditKey[" + key.publicKey().name() + "]");
        assertThat(again.fingerprint("s3cr3t".getBytes(StandardCharsets.UTF_8)))
                .matches("[0-9a-f]{16}")
                .isEqualTo(key.fingerprint("s3cr3t".getBytes(StandardCharsets.UTF_8)))
                .isNotEqualTo(AuditKey.generate("other").fingerprint("s3cr3t".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aFileThatIsNoKeyIsRefused() throws Exception {
        String good = Files.readString(folder.resolve("audit.jsonl.key"));
        for (String bad : List.of("", "PRIVATE+KEY+a+b", good.replace("my-", "our-"), good.substring(12))) {
            Path file = Files.writeString(folder.resolve("bad.key"), bad);
            assertThatThrownBy(() -> AuditKey.open(file, "x"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bad.key");
        }
    }

    @Test
    void anotherKeyIsAddedToThoseThatVerify() throws Exception {
        open(Duration.ofSeconds(1), 10).close();
        open(Duration.ofSeconds(1), 10).close();
        AuditKey before = key;
        key = AuditKey.generate("test");
        open(Duration.ofSeconds(1), 10).close();

        assertThat(NoteKey.read(folder.resolve("audit.jsonl.pub")))
                .containsExactly(before.publicKey(), key.publicKey());
    }

    @Test
    void publicKeysAndCheckpointsThatAreNoneAreRefused() throws Exception {
        String good = key.publicKey().toString();
        assertThat(NoteKey.parse(good)).isEqualTo(key.publicKey());
        for (String bad : List.of("", "a+b", good.replace("my-", "our-"), good.substring(0, good.length() - 4))) {
            assertThatThrownBy(() -> NoteKey.parse(bad)).isInstanceOf(NoteException.class);
        }
        for (String bad :
                List.of("", "a\n1\n", "a\n-1\n" + "A".repeat(43) + "=\n", "a\n01\n" + "A".repeat(43) + "=\n")) {
            assertThatThrownBy(() -> Checkpoint.parse(bad)).isInstanceOf(NoteException.class);
        }
    }
}
