package dev.sallyport.core.audit;

import dev.sallyport.core.audit.AuditRecord.Action;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.audit.chain.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Audit files with a chain, as a proxy writes them. */
final class ChainedFiles {

    final Path folder;
    final Path file;
    final AuditKey key;

    ChainedFiles(Path folder) throws IOException {
        this.folder = folder;
        this.file = folder.resolve("audit.jsonl");
        this.key = AuditKey.open(folder.resolve("audit.jsonl.key"), "test");
    }

    AuditFile open(Rotation rotation, Clock clock) throws IOException {
        AuditFile.Chain chain = new AuditFile.Chain(key, Duration.ofSeconds(1), 10_000);
        return AuditFile.open(file, new AuditFile.Settings(64, rotation, chain), clock);
    }

    /** Starts a writer, has it write so many records one after the other, and ends it. */
    void run(int count, Rotation rotation) throws IOException {
        run(count, rotation, Clock.systemUTC(), () -> {});
    }

    void run(int count, Rotation rotation, Clock clock, Runnable afterEach) throws IOException {
        AuditGate gate = new AuditGate(64, 0);
        AtomicLong written = new AtomicLong();
        AuditFile opened = open(rotation, clock);
        try (AuditWriter writer =
                new AuditWriter(gate, opened, (record, line) -> written.incrementAndGet(), opened).start()) {
            for (int i = 0; i < count; i++) {
                long before = written.get();
                AuditSlot slot = gate.tryAcquire();
                writer.offer(slot, record("x" + i));
                Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> written.get() > before);
                afterEach.run();
            }
        }
    }

    static AuditRecord record(String id) {
        return new MutableAuditRecord(id, System.currentTimeMillis())
                .host("api.example.com")
                .action(Action.ALLOW);
    }

    List<NoteKey> keys() {
        return List.of(key.publicKey());
    }

    List<Path> files() throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(name -> name.getFileName().toString().matches("audit\\.jsonl(\\.\\d{6})?"))
                    .sorted()
                    .toList();
        }
    }

    /** In an order that is none. */
    ChainVerifier.Report verify(@Nullable Checkpoint head) throws IOException {
        return ChainVerifier.verify(files(), keys(), head);
    }

    ChainVerifier.Report verify() throws IOException {
        return verify(null);
    }

    static List<String> lines(Path file) throws IOException {
        return new ArrayList<>(Files.readAllLines(file));
    }

    static void lines(Path file, List<String> lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    static String hash(String line) {
        return HexFormat.of().formatHex(Sha256.of((line + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    /** Gives every record the hash of the line before, as somebody without the key can. */
    static void link(List<String> lines, String before) {
        String hash = before;
        for (int i = 0; i < lines.size(); i++) {
            lines.set(i, lines.get(i).replaceFirst("\"prev\":\"[0-9a-f]{64}\"}$", "\"prev\":\"" + hash + "\"}"));
            hash = hash(lines.get(i));
        }
    }
}
