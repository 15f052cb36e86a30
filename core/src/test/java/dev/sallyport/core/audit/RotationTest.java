package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.chain.ChainVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 14: {@code log.audit.rotate}, and what a chain makes of it. */
class RotationTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private ChainedFiles chain;
    private int size;

    @BeforeEach
    void measure(@TempDir Path other) throws Exception {
        chain = new ChainedFiles(folder);
        ChainedFiles one = new ChainedFiles(other);
        one.run(1, Rotation.NONE);
        size = (int) Files.size(one.file);
    }

    private List<String> names() throws Exception {
        return chain.files().stream().map(file -> file.getFileName().toString()).toList();
    }

    @Test
    void bySize() throws Exception {
        chain.run(9, new Rotation(4L * size + 100, Duration.ZERO, Integer.MAX_VALUE));

        assertThat(names()).containsExactly("audit.jsonl", "audit.jsonl.000001", "audit.jsonl.000002");
        for (Path file : chain.files()) {
            assertThat(Files.size(file)).isLessThanOrEqualTo(4L * size + 100);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(chain.verify().isGood()).isTrue();
        assertThat(chain.verify().last()).isEqualTo(9);
    }

    @Test
    void byAgeAlsoOfAFileThatAnEarlierStartHasBegun() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        Clock clock = InstantSource.system().withZone(ZoneOffset.UTC);
        Clock moving = new Clock() {
            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return clock.withZone(zone);
            }

            @Override
            public Instant instant() {
                return now.get();
            }
        };
        Rotation daily = new Rotation(Long.MAX_VALUE, Duration.ofHours(24), Integer.MAX_VALUE);

        chain.run(3, daily, moving, () -> now.set(now.get().plus(Duration.ofHours(7))));
        assertThat(names()).containsExactly("audit.jsonl");
        chain.run(3, daily, moving, () -> now.set(now.get().plus(Duration.ofHours(7))));

        assertThat(names()).containsExactly("audit.jsonl", "audit.jsonl.000001");
        assertThat(ChainedFiles.lines(folder.resolve("audit.jsonl.000001"))).hasSize(4);
        assertThat(chain.verify().isGood()).isTrue();
    }

    @Test
    void whatIsTooMuchIsDeletedAndTheChainSaysSo() throws Exception {
        Rotation two = new Rotation(3L * size + 100, Duration.ZERO, 2);

        chain.run(20, two);

        // What is too much since the last rotation goes with the next record.
        List<Path> files = chain.files();
        assertThat(files).hasSizeBetween(3, 4);
        assertThat(names()).doesNotContain("audit.jsonl.000001", "audit.jsonl.000002");
        List<JsonNode> removed = new ArrayList<>();
        for (Path file : files) {
            for (String line : ChainedFiles.lines(file)) {
                JsonNode record = JSON.readTree(line);
                if (record.path("msg").asText().equals("removed")) {
                    removed.add(record.path("removed"));
                }
            }
        }
        assertThat(removed).isNotEmpty().allSatisfy(record -> {
            assertThat(record.path("file").asText()).matches("audit\\.jsonl\\.\\d{6}");
            assertThat(record.path("last").asLong())
                    .isGreaterThanOrEqualTo(record.path("first").asLong());
            assertThat(record.path("sha256").asText()).hasSize(64);
        });
        ChainVerifier.Report report = chain.verify();
        assertThat(report.broken()).isNull();
        assertThat(report.isGood()).isTrue();

        // when: somebody deletes one more
        Files.delete(files.stream()
                .filter(file -> !file.equals(chain.file))
                .findFirst()
                .orElseThrow());

        // then
        assertThat(chain.verify().broken().what()).contains("of which no record says that a rotated file was deleted");
    }

    @Test
    void theNewestNamesAreKeptInOrderWhateverElseIsThere() throws Exception {
        Files.writeString(folder.resolve("audit.jsonl.000007"), "");
        Files.writeString(folder.resolve("audit.jsonl.12345"), "");
        Files.writeString(folder.resolve("other.jsonl.000009"), "");

        chain.run(3, new Rotation(2L * size + 100, Duration.ZERO, Integer.MAX_VALUE));

        assertThat(folder.resolve("audit.jsonl.000008")).exists();
    }

    /** Two proxies with names that look like those of rotated files have a chain each. */
    @Test
    void aNameThatLooksRotatedIsItsOwn() throws Exception {
        Path dated = folder.resolve("audit.20260304");
        AuditFile.Chain linked = new AuditFile.Chain(chain.key, Duration.ofSeconds(1), 10_000);
        AuditGate gate = new AuditGate(64, 0);
        AuditFile file =
                AuditFile.open(dated, new AuditFile.Settings(64, new Rotation(size + 100L, Duration.ZERO, 5), linked));
        try (AuditWriter writer = new AuditWriter(gate, file, AuditListener.NONE, file).start()) {
            for (int i = 0; i < 2; i++) {
                writer.offer(gate.tryAcquire(), ChainedFiles.record("a" + i));
                Awaitility.await().until(() -> gate.available() == 64);
            }
        }

        assertThat(folder.resolve("audit.20260304.checkpoints")).exists();
        assertThat(folder.resolve("audit.20260304.000001")).exists();
        ChainVerifier.Report report =
                ChainVerifier.verify(List.of(dated, folder.resolve("audit.20260304.000001")), chain.keys(), null);
        assertThat(report.isGood()).isTrue();
        assertThat(report.facts()).anyMatch(fact -> fact.contains("audit.20260304.checkpoints has "));
    }

    @Test
    void aChangeTakesEffectAtOnce() throws Exception {
        AuditGate gate = new AuditGate(64, 0);
        AuditFile file = chain.open(Rotation.NONE, Clock.systemUTC());
        try (AuditWriter writer = new AuditWriter(gate, file, AuditListener.NONE, file).start()) {
            for (int i = 0; i < 4; i++) {
                writer.offer(gate.tryAcquire(), ChainedFiles.record("a" + i));
                Awaitility.await().until(() -> gate.available() == 64);
            }
            writer.rotation(new Rotation(2L * size, Duration.ZERO, Integer.MAX_VALUE));
            writer.offer(gate.tryAcquire(), ChainedFiles.record("b"));
        }

        assertThat(names()).containsExactly("audit.jsonl", "audit.jsonl.000001");
    }

    /** A failure to begin the next file is a failure to write: nothing is lost, and the gate closes meanwhile. */
    @Test
    void aFileThatCannotBeBegunIsTriedAgain() throws Exception {
        Path moved = folder.resolveSibling(folder.getFileName() + "-moved");
        AuditGate gate = new AuditGate(64, 0);
        AuditFile file = chain.open(new Rotation(size + 100L, Duration.ZERO, Integer.MAX_VALUE), Clock.systemUTC());
        try (AuditWriter writer = new AuditWriter(gate, file, AuditListener.NONE, file).start()) {
            writer.offer(gate.tryAcquire(), ChainedFiles.record("a"));
            Awaitility.await().until(() -> gate.available() == 64);
            Files.move(folder, moved);

            writer.offer(gate.tryAcquire(), ChainedFiles.record("b"));
            Awaitility.await().until(() -> !writer.ready());
            Files.move(moved, folder);

            Awaitility.await().until(writer::ready);
            Awaitility.await().until(() -> gate.available() == 64);
        }

        assertThat(names()).containsExactly("audit.jsonl", "audit.jsonl.000001");
        assertThat(chain.verify().isGood()).isTrue();
        assertThat(chain.verify().last()).isEqualTo(2);
    }
}
