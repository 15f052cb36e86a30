package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.audit.chain.SignedNote;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a chain to somebody who keeps it elsewhere. */
class ChainHeadTest {

    @TempDir
    Path folder;

    @Test
    void itIsTheLastCheckpointAndTheKeyThatSignedIt() throws Exception {
        ChainedFiles chained = new ChainedFiles(folder);
        assertThat(ChainHead.of(chained.file)).isNull();

        chained.run(3, Rotation.NONE);

        ChainHead head = Objects.requireNonNull(ChainHead.of(chained.file));
        Checkpoint checkpoint = ChainVerifier.head(head.note(), List.of(NoteKey.parse(head.key())));
        assertThat(head.size()).isEqualTo(3).isEqualTo(checkpoint.size());
        assertThat(NoteKey.parse(head.key())).isEqualTo(chained.key.publicKey());
        assertThat(chained.verify(checkpoint).completeness()).hasToString("COMPLETE");
    }

    @Test
    void anotherSignatureOfTheSameRecordsSaysNothingNew() throws Exception {
        ChainedFiles chained = new ChainedFiles(folder);
        chained.run(2, Rotation.NONE);
        ChainHead first = Objects.requireNonNull(ChainHead.of(chained.file));
        String later = first.note().replaceFirst("time 2[0-9]+-", "time 2999-");
        ChainHead again = new ChainHead(later, first.key(), first.size());
        chained.run(1, Rotation.NONE);
        ChainHead more = Objects.requireNonNull(ChainHead.of(chained.file));

        assertThat(again.note()).isNotEqualTo(first.note());
        assertThat(again.isOfTheSameRecords(first)).isTrue();
        assertThat(more.isOfTheSameRecords(again)).isFalse();
    }

    @Test
    void ofSeveralKeysItIsTheOneThatSigned() throws Exception {
        ChainedFiles chained = new ChainedFiles(folder);
        chained.run(1, Rotation.NONE);
        Path keys = folder.resolve("audit.jsonl.pub");
        String own = Files.readString(keys);
        Files.writeString(keys, AuditKey.generate("other").publicKey() + "\n" + own, StandardCharsets.UTF_8);

        assertThat(Objects.requireNonNull(ChainHead.of(chained.file)).key()).isEqualTo(own.strip());

        Files.writeString(keys, AuditKey.generate("other").publicKey() + "\n", StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ChainHead.of(chained.file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no key of test/");
    }

    @Test
    void aNoteMayBeCosigned() throws Exception {
        ChainedFiles chained = new ChainedFiles(folder);
        chained.run(1, Rotation.NONE);
        ChainHead head = Objects.requireNonNull(ChainHead.of(chained.file));
        AuditKey witness = AuditKey.parse(AuditKey.generate("witness").secretText());

        String cosigned = witness.cosign(head.note());

        assertThat(cosigned).startsWith(head.note());
        assertThat(SignedNote.parse(cosigned).isSignedBy(List.of(witness.publicKey())))
                .isTrue();
        assertThat(ChainVerifier.head(cosigned, chained.keys()).size()).isEqualTo(1);
        assertThat(SignedNote.parse(cosigned.replace("\n1\n", "\n2\n")).isSignedBy(List.of(witness.publicKey())))
                .isFalse();
        assertThatThrownBy(() -> witness.cosign("nonsense")).isInstanceOf(NoteException.class);
        assertThatThrownBy(() -> AuditKey.parse("PRIVATE+KEY+a+b+c"))
                .isInstanceOf(NoteException.class)
                .hasMessageNotContaining("a+b");
    }
}
