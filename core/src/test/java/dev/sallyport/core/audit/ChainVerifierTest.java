package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.ChainVerifier.Completeness;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.CheckpointReader;
import dev.sallyport.core.audit.chain.NoteException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 14, verify: what was changed by hand is named. Records 1 to 9 are in {@code
 * audit.jsonl.000001}, 10 to 18 in {@code .000002}, 19 to 21 in {@code audit.jsonl}; three runs have signed 7, 14 and
 * 21, each in a file of its own.
 */
class ChainVerifierTest {

    private static final String ZEROS = "0".repeat(64);

    @TempDir
    static Path made;

    @TempDir
    Path folder;

    private ChainedFiles chain;
    private Path first;
    private Path second;
    private Path third;

    @BeforeAll
    static void write() throws Exception {
        ChainedFiles files = new ChainedFiles(made);
        Rotation never = new Rotation(Long.MAX_VALUE, Duration.ZERO, 9);
        files.run(7, never);
        long nine = Files.size(files.file) * 9 / 7;
        Rotation small = new Rotation(nine + 100, Duration.ZERO, 9);
        files.run(7, small);
        files.run(7, small);
    }

    @BeforeEach
    void copy() throws IOException {
        try (var all = Files.list(made)) {
            for (Path file : all.toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        chain = new ChainedFiles(folder);
        first = folder.resolve("audit.jsonl.000001");
        second = folder.resolve("audit.jsonl.000002");
        third = chain.file;
        assertThat(ChainedFiles.lines(first)).hasSize(9);
        assertThat(ChainedFiles.lines(second)).hasSize(9);
        assertThat(ChainedFiles.lines(third)).hasSize(3);
    }

    private void broken(Path file, int line, long seq, String what) throws IOException {
        ChainVerifier.Report report = chain.verify();

        assertThat(report.broken()).isNotNull();
        assertThat(report.broken().place()).isEqualTo(file + ":" + line + " seq " + seq);
        assertThat(report.broken().what()).contains(what);
        assertThat(report.isGood()).isFalse();
    }

    private interface Change {
        void in(List<String> lines);
    }

    private static void change(Path file, Change change) throws IOException {
        List<String> lines = ChainedFiles.lines(file);
        change.in(lines);
        ChainedFiles.lines(file, lines);
    }

    private Path checkpoints() {
        return folder.resolve("audit.jsonl.checkpoints");
    }

    private Checkpoint head() throws Exception {
        return ChainVerifier.head(CheckpointReader.last(checkpoints()).whole(), chain.keys());
    }

    @Test
    void whatNobodyHasTouchedIsGoodInAnyOrder() throws Exception {
        List<Path> files = new ArrayList<>(chain.files());
        for (int i = 0; i < 3; i++) {
            Collections.rotate(files, 1);
            ChainVerifier.Report report = ChainVerifier.verify(files, chain.keys(), null);

            assertThat(report.broken()).isNull();
            assertThat(report.completeness()).isEqualTo(Completeness.UNKNOWN);
            assertThat(report.last()).isEqualTo(21);
            assertThat(report.isGood()).isTrue();
            assertThat(report.facts())
                    .startsWith(first + ": seq 1 to 9", second + ": seq 10 to 18", third + ": seq 19 to 21")
                    .anyMatch(fact -> fact.contains("up to seq 21; nothing vouches for 0 records"));
        }
    }

    @Test
    void aFileThatIsGivenTwiceIsReadOnce() throws Exception {
        List<Path> files = new ArrayList<>(chain.files());
        files.addAll(chain.files());

        assertThat(ChainVerifier.verify(files, chain.keys(), null).isGood()).isTrue();
    }

    @Test
    void aRecordThatWasChanged() throws Exception {
        change(first, lines -> lines.set(2, lines.get(2).replace("api.example.com", "api.example.net")));

        broken(first, 3, 3, "changed");
    }

    @Test
    void theFirstAndTheLastRecordThatWereChanged() throws Exception {
        change(first, lines -> lines.set(0, lines.get(0).replace("allow", "stub")));
        broken(first, 1, 1, "changed");

        copyAgain();
        change(third, lines -> lines.set(2, lines.get(2).replace("allow", "stub")));
        broken(third, 3, 21, "not the record that was signed");
    }

    @Test
    void theLastRecordOfARotatedFileThatWasChanged() throws Exception {
        change(first, lines -> lines.set(8, lines.get(8).replace("allow", "stub")));

        broken(first, 9, 9, "changed");
    }

    @Test
    void aLinkThatWasChanged() throws Exception {
        change(first, lines -> lines.set(4, lines.get(4).replaceFirst("\"prev\":\"....", "\"prev\":\"0000")));

        broken(first, 5, 5, "does not say what stands before it");
    }

    @Test
    void aNumberThatWasChanged() throws Exception {
        change(second, lines -> lines.set(3, lines.get(3).replace("\"seq\":13,", "\"seq\":14,")));

        broken(second, 4, 13, "its seq was changed to 14");
    }

    @Test
    void aLineThatIsNoRecordAnyMore() throws Exception {
        change(second, lines -> lines.set(3, lines.get(3).replace("\"schema_version\":1", "\"schema_version\":2")));

        broken(second, 4, 13, "not a record of the chain");
    }

    @Test
    void recordsThatWereRemoved() throws Exception {
        change(second, lines -> lines.remove(4));
        broken(second, 5, 14, "missing: seq 14, after " + second + ":4");

        copyAgain();
        change(second, lines -> lines.subList(4, 7).clear());
        broken(second, 5, 14, "missing: seq 14 to 16, after " + second + ":4");
    }

    @Test
    void theFirstRecordThatWasRemoved() throws Exception {
        change(first, lines -> lines.remove(0));

        broken(first, 1, 1, "missing: seq 1 to 1");
    }

    @Test
    void recordsThatWereSwapped() throws Exception {
        change(second, lines -> Collections.swap(lines, 2, 3));
        broken(second, 3, 12, "out of order: it stands at " + second + ":4");

        copyAgain();
        change(second, lines -> Collections.swap(lines, 1, 7));
        broken(second, 2, 11, "out of order: it stands at " + second + ":8");
    }

    @Test
    void aRecordThatWasRepeatedOrAdded() throws Exception {
        change(second, lines -> lines.add(5, lines.get(1)));
        broken(second, 6, 11, "repeated or added: expected seq 15");

        copyAgain();
        change(second, lines -> lines.add(5, "{\"msg\":\"request\"}"));
        broken(second, 6, 15, "not a record of the chain");
    }

    @Test
    void aFileThatIsMissing() throws Exception {
        Files.delete(second);
        broken(third, 1, 10, "missing: seq 10 to 18, after " + first + ":9");

        copyAgain();
        Files.delete(first);
        broken(second, 1, 1, "missing: seq 1 to 9");

        copyAgain();
        Files.delete(third);
        ChainVerifier.Report report = chain.verify();
        assertThat(report.broken()).isNull();
        assertThat(report.completeness()).isEqualTo(Completeness.CUT);
        assertThat(report.last()).isEqualTo(18);
        assertThat(report.facts()).anyMatch(fact -> fact.matches("cut: \\S+\\.checkpoints:\\d+ has signed seq 21, .*"));
    }

    @Test
    void aFileThatWasTruncated() throws Exception {
        change(first, lines -> lines.subList(6, 9).clear());
        broken(second, 1, 7, "missing: seq 7 to 9, after " + first + ":6");

        copyAgain();
        truncate(first, 40);
        broken(first, 9, 9, "not a record of the chain, and no record after it seals it");

        copyAgain();
        change(third, lines -> lines.remove(2));
        assertThat(chain.verify().completeness()).isEqualTo(Completeness.CUT);

        copyAgain();
        truncate(third, 40);
        ChainVerifier.Report report = chain.verify();
        assertThat(report.completeness()).isEqualTo(Completeness.CUT);
        assertThat(report.last()).isEqualTo(20);
        assertThat(report.facts()).anyMatch(fact -> fact.startsWith("not complete: " + third + ":3"));
    }

    private static void truncate(Path file, int bytes) throws IOException {
        byte[] all = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(all, all.length - bytes));
    }

    /** Without the key one can link the records anew, but not sign them. */
    @Test
    void aChainThatWasRewritten() throws Exception {
        List<String> all = new ArrayList<>(ChainedFiles.lines(first));
        all.set(2, all.get(2).replace("allow", "stub"));
        ChainedFiles.link(all, ZEROS);
        ChainedFiles.lines(first, all);
        List<String> next = ChainedFiles.lines(second);
        ChainedFiles.link(next, ChainedFiles.hash(all.getLast()));
        ChainedFiles.lines(second, next);
        List<String> last = ChainedFiles.lines(third);
        ChainedFiles.link(last, ChainedFiles.hash(next.getLast()));
        ChainedFiles.lines(third, last);

        broken(first, 7, 7, "not the record that was signed");
    }

    @Test
    void checkpointsThatWereRewritten() throws Exception {
        Path seven = folder.resolve("audit.jsonl.checkpoints.000001");
        Path fourteen = folder.resolve("audit.jsonl.checkpoints.000002");
        String first = Files.readString(seven);
        String second = Files.readString(fourteen);
        Files.writeString(fourteen, second.replace("\n14\n", "\n13\n"));
        broken(fourteen, 1, 13, "not signed with the key");

        Files.writeString(fourteen, second + second);
        Files.writeString(seven, first.replaceFirst("\n\n\u2014 (\\S+) ....", "\n\n\u2014 $1 AAAA"));
        assertThat(chain.verify().broken().place()).startsWith(seven + ":1 seq ");

        Files.writeString(seven, second);
        Files.writeString(fourteen, first);
        broken(fourteen, 1, 7, "older than the one before it");

        Files.writeString(seven, first);
        Files.writeString(fourteen, "forged\n\n" + second);
        assertThat(chain.verify().broken().file()).isEqualTo(fourteen);

        Files.writeString(fourteen, second + "test/1\n22\n");
        Files.writeString(checkpoints(), Files.readString(checkpoints()) + "test/1\n22\n");
        assertThat(chain.verify().isGood()).as("notes that were not finished").isTrue();
    }

    /** A checkpoint stands for all records before it. */
    @Test
    void olderCheckpointsAreNotNeeded() throws Exception {
        Files.delete(folder.resolve("audit.jsonl.checkpoints.000001"));
        assertThat(chain.verify().isGood()).isTrue();
        assertThat(chain.verify().facts())
                .anyMatch(fact -> fact.contains("has 2 up to seq 21; nothing vouches for 0 records"));

        Files.delete(checkpoints()); // as between the two steps of a rotation
        assertThat(chain.verify().isGood()).isTrue();
        assertThat(chain.verify().facts())
                .anyMatch(fact -> fact.contains("has 1 up to seq 14; nothing vouches for 7 records"));
        chain.run(1, Rotation.NONE);
        assertThat(chain.verify().last()).isEqualTo(22);
        assertThat(chain.verify().isGood()).isTrue();
    }

    private void deleteCheckpoints() throws IOException {
        try (var all = Files.list(folder)) {
            for (Path file :
                    all.filter(name -> name.toString().contains(".checkpoints")).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void checkpointsOfAnotherKey() throws Exception {
        AuditKey other = AuditKey.generate("test");

        ChainVerifier.Report report = ChainVerifier.verify(chain.files(), List.of(other.publicKey()), null);

        assertThat(report.broken().what()).contains("not signed with the key");
    }

    /** Whoever has the key can rewrite all that lies beside it; a head that was kept elsewhere shows it. */
    @Test
    void aHeadShowsWhatWasRewrittenWithTheKey() throws Exception {
        Checkpoint kept = head();
        List<String> last = ChainedFiles.lines(third);
        String before = ChainedFiles.hash(ChainedFiles.lines(second).getLast());
        last.set(0, last.get(0).replace("allow", "stub"));
        ChainedFiles.link(last, before);
        ChainedFiles.lines(third, last);
        deleteCheckpoints();

        assertThat(chain.verify().broken()).isNull();
        assertThat(chain.verify().facts()).anyMatch(fact -> fact.startsWith("warning: there are no checkpoints"));
        ChainVerifier.Report report = chain.verify(kept);
        assertThat(report.broken().place()).isEqualTo(third + ":3 seq 21");
        assertThat(report.broken().what()).contains("not the record that the head names");
        assertThat(report.completeness()).isEqualTo(Completeness.CUT);
    }

    @Test
    void aHeadShowsWhetherAllIsThere() throws Exception {
        Checkpoint kept = head();
        assertThat(chain.verify(kept).completeness()).isEqualTo(Completeness.COMPLETE);
        assertThat(chain.verify(kept).isGood()).isTrue();

        change(third, lines -> lines.remove(2));
        deleteCheckpoints();

        ChainVerifier.Report report = chain.verify(kept);
        assertThat(report.broken()).isNull();
        assertThat(report.completeness()).isEqualTo(Completeness.CUT);
        assertThat(report.last()).isEqualTo(20);
        assertThat(report.isGood()).isFalse();
    }

    @Test
    void aHeadMustBeSignedWithTheKey() throws Exception {
        AuditKey other = AuditKey.generate("test");
        Checkpoint forged = new Checkpoint(chain.key.publicKey().name(), 21, new byte[32], null);

        assertThatThrownBy(() -> ChainVerifier.head(forged.signed(other), chain.keys()))
                .isInstanceOf(NoteException.class)
                .hasMessageContaining("not signed with the key");
        assertThatThrownBy(() -> ChainVerifier.head("nothing of the kind", chain.keys()))
                .isInstanceOf(NoteException.class);
    }

    /** What a killed process has not finished is sealed by the next start. */
    @Test
    void aTornLineIsSealedAndStaysAsItIs() throws Exception {
        String torn = "{\"time\":\"2026-03-04T05:06:07.089Z\",\"level\":\"INFO\",\"msg\":\"req";
        Files.writeString(third, Files.readString(third) + torn);
        assertThat(chain.verify().isGood()).isTrue();
        assertThat(chain.verify().facts()).anyMatch(fact -> fact.startsWith("not complete: " + third + ":4"));

        chain.run(2, Rotation.NONE);

        List<String> lines = ChainedFiles.lines(third);
        assertThat(lines).hasSize(7);
        assertThat(lines.get(3)).isEqualTo(torn);
        assertThat(lines.get(4))
                .contains(
                        "\"msg\":\"sealed\",\"schema_version\":1,\"seq\":22,\"sealed\":{\"lines\":1,\"bytes\":"
                                + (torn.length() + 1),
                        "\"after\":\"" + ChainedFiles.hash(lines.get(2)) + "\"",
                        "\"prev\":\"" + ChainedFiles.hash(torn) + "\"}");
        ChainVerifier.Report report = chain.verify();
        assertThat(report.broken()).isNull();
        assertThat(report.last()).isEqualTo(24);
        assertThat(report.facts())
                .anyMatch(fact -> fact.startsWith("sealed: " + third + ":4: 1 line that is no record of the chain"));
    }

    @Test
    void whatWasSealedCannotBeChangedOrRemoved() throws Exception {
        Files.writeString(third, Files.readString(third) + "{\"torn\n{\"twice");
        chain.run(1, Rotation.NONE);
        assertThat(chain.verify().isGood()).isTrue();
        List<String> sealed = ChainedFiles.lines(third);

        change(third, lines -> lines.set(3, "{\"torm"));
        broken(third, 4, 22, "not a record of the chain, and no record after it seals it");

        ChainedFiles.lines(third, sealed);
        change(third, lines -> lines.subList(3, 5).clear());
        broken(third, 4, 22, "the lines before it that it seals are not there");

        ChainedFiles.lines(third, sealed);
        change(third, lines -> lines.remove(5));
        broken(third, 4, 22, "not a record of the chain, and no record after it seals it");
    }

    @Test
    void aLineThatLacksOnlyItsLineFeedIsARecord() throws Exception {
        truncate(third, 1);

        chain.run(1, Rotation.NONE);

        assertThat(ChainedFiles.lines(third)).hasSize(4).noneMatch(line -> line.contains("\"msg\":\"sealed\""));
        assertThat(chain.verify().isGood()).isTrue();
    }

    /** The process was killed between renaming the file and writing to the next. */
    @Test
    void aStartAfterARotationThatWasCutShortContinues() throws Exception {
        Files.move(third, folder.resolve("audit.jsonl.000003"));

        chain.run(1, Rotation.NONE);

        assertThat(ChainedFiles.lines(third)).singleElement().asString().contains("\"seq\":22,");
        assertThat(chain.verify().isGood()).isTrue();
    }

    @Test
    void aStartAfterTheEndWasCutOffDoesNotHideIt() throws Exception {
        change(third, lines -> lines.subList(1, 3).clear());

        chain.run(1, Rotation.NONE);
        ChainVerifier.Report fewer = chain.verify();
        assertThat(fewer.completeness()).isEqualTo(Completeness.CUT);
        assertThat(fewer.broken().what()).contains("older than the one before it");

        chain.run(3, Rotation.NONE);
        broken(third, 3, 21, "not the record that was signed");
    }

    @Test
    void whatStoodInTheFileBeforeTheChainIsSealedByItsFirstRecord(@TempDir Path other) throws Exception {
        ChainedFiles late = new ChainedFiles(other);
        Files.writeString(late.file, "{\"msg\":\"request\"}\n".repeat(5));

        late.run(2, Rotation.NONE);

        assertThat(ChainedFiles.lines(late.file).get(5)).contains("\"seq\":1,\"sealed\":{\"lines\":5,");
        assertThat(late.verify().isGood()).isTrue();
    }

    /** The record of the deletion stands behind the one that was changed. */
    @Test
    void aChangeBeforeTheRecordOfADeletedFileIsNamedAndNoFileIsMissing(@TempDir Path other) throws Exception {
        ChainedFiles kept = new ChainedFiles(other);
        kept.run(7, Rotation.NONE);
        kept.run(25, new Rotation(Files.size(kept.file) * 10 / 7, Duration.ZERO, 1));
        Path oldest = kept.files().getLast();
        assertThat(ChainedFiles.lines(oldest).getFirst())
                .as("an earlier file was deleted")
                .doesNotContain("\"seq\":1,");
        assertThat(kept.verify().isGood()).isTrue();

        change(oldest, all -> all.set(0, all.getFirst().replace("api.example.com", "api.example.net")));

        ChainVerifier.Report report = kept.verify();
        assertThat(report.broken()).isNotNull();
        assertThat(report.broken().place()).startsWith(oldest + ":1 seq ");
        assertThat(report.broken().what()).contains("changed");
    }

    private void copyAgain() throws IOException {
        try (var all = Files.list(made)) {
            for (Path file : all.toList()) {
                Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
