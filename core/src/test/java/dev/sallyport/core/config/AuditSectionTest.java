package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 14: {@code log.audit}. */
class AuditSectionTest {

    @Test
    void allFields() {
        LogSection.Audit audit = Load.config(Load.VALID + """
                        log:
                          audit:
                            stdout: true
                            file: audit.jsonl
                            rotate: {size: 64MiB, age: 1h, keep: 5}
                            chain: true
                            checkpoint: {every: 10s, records: 500, key_file: /keys/audit.key}
                            slots: 128
                        """).log().audit();

        assertThat(audit.rotate().size()).isEqualTo(new ByteSize(64L << 20));
        assertThat(audit.rotate().age()).hasHours(1);
        assertThat(audit.rotate().keep()).isEqualTo(5);
        assertThat(audit.chain()).isTrue();
        assertThat(audit.checkpoint().every()).hasSeconds(10);
        assertThat(audit.checkpoint().records()).isEqualTo(500);
        assertThat(audit.checkpoint().keyFile()).isEqualTo(Path.of("/keys/audit.key"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{chain: true} | /log/audit/chain: a chain without a file (expected: a file, which the chain continues",
                "{file: a, rotate: {size: 1KiB}} | /log/audit/rotate/size: out of range",
                "{file: a, rotate: {age: 10ms}} | /log/audit/rotate/age: out of range",
                "{file: a, rotate: {keep: 0}} | /log/audit/rotate/keep: out of range",
                "{file: a, checkpoint: {every: 500ms}} | /log/audit/checkpoint/every: out of range",
                "{file: a, checkpoint: {records: 0}} | /log/audit/checkpoint/records: out of range",
                "{file: a, checkpoint: {keyfile: k}} | unknown key \"keyfile\" (expected: key_file?)",
            })
    void whatCannotBe(String audit, String problem) {
        assertThat(Load.problems(Load.VALID + "log: {audit: " + audit + "}\n"))
                .singleElement()
                .asString()
                .contains(problem);
    }
}
