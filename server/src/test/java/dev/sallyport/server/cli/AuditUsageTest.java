package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code sallyport audit} says of wrong usage and of files that are not there: docs/cli.md. */
class AuditUsageTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "audit | 2 | nothing to do (expected: see sallyport audit --help)",
                "audit verify | 2 | missing required parameter: 'FILE' (expected: see sallyport audit verify --help)",
                "audit verify audit.jsonl.checkpoints | 2 | no audit file among these (expected: see sallyport audit verify --help)",
                "audit verify no.jsonl | 1 | no.jsonl: no such file (expected: an audit file that this user may read)",
                "audit grep ( no.jsonl | 2 | not a pattern: missing closing ) (expected: see sallyport audit grep --help)",
                "audit grep (a)\\1 no.jsonl | 2 | not a pattern: invalid escape sequence (expected: see sallyport audit grep --help)",
                "audit grep x no.jsonl | 1 | no.jsonl: no such file (expected: an audit file that this user may read)",
                "audit tail no.jsonl | 1 | no.jsonl: no such file (expected: an audit file that this user may read)",
                "audit grep x audit.jsonl.key | 2 | no audit file among these (expected: see sallyport audit grep --help)",
                "audit tail audit.jsonl.key audit.jsonl.checkpoints.000001 | 2 | no audit file among these (expected: see sallyport audit tail --help)",
                "replay -config no.yaml audit.jsonl.inflight | 2 | no audit file among these (expected: see sallyport replay --help)",
                "learn audit.jsonl.pub | 2 | no audit file among these (expected: see sallyport learn --help)",
                "audit hash -config no.yaml s3cret | 2 | the value is read from standard input, and never from an argument, which others could see (expected: see sallyport audit hash --help)",
                "audit head no.jsonl | 1 | no.jsonl.checkpoints: no checkpoint (expected: a proxy with log.audit.chain has written one)",
                "audit hash -config no.yaml | 1 | no.yaml: no such file (expected: a YAML file)",
            })
    void wrong_usage_and_files_that_are_not_there(String arguments, int code, String message) {
        StringWriter err = new StringWriter();

        int ended = Tool.commandLine().setErr(new PrintWriter(err, true)).execute(arguments.split(" ", -1));

        assertThat(err.toString().strip()).isEqualTo("sallyport: " + message);
        assertThat(ended).isEqualTo(code);
    }
}
