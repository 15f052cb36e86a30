package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commands say of wrong usage: docs/cli.md. In this process; {@link LauncherIT} tries two of them as a user does. */
class UsageTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--confg x | unknown option --confg (expected: -config?)",
                "chekc | unknown command chekc (expected: check?)",
                "proxy.yaml | proxy.yaml is not a command but looks like a configuration (expected: sallyport -config proxy.yaml)",
                "help | unknown command help (expected: see sallyport --help)",
                "check proxy.yaml | sallyport check does not know what proxy.yaml is (expected: sallyport check -config proxy.yaml)",
                "check -config a.yaml b.yaml | sallyport check does not know what b.yaml is (expected: see sallyport check --help)",
                "schema proxy.yaml | sallyport schema does not know what proxy.yaml is (expected: see sallyport schema --help)",
                "archive proxy.json --seconds | missing required parameter for option '--seconds' (N) (expected: see sallyport archive --help)",
                "check | missing required option: '--config=FILE' (expected: see sallyport check --help)",
                "archive --seconds 0 | --seconds must lie between 1 and 600 (expected: see sallyport archive --help)",
                "init | --for is missing, and there is no terminal to ask on; it is one of coding-agent, ci, packages, observe (expected: see sallyport init --help)",
                "init --for fun | --for fun is none of coding-agent, ci, packages, observe (expected: see sallyport init --help)",
                "init --for ci --managers yum | --managers yum is none of npm, pip, go, cargo, maven, apt (expected: see sallyport init --help)",
                "init --for ci --secret KEY=s3cret | --secret KEY is not of the form NAME=env:VAR@HOST[,HOST] (expected: see sallyport init --help)",
                "init --for ci --model openai | --model is for --for coding-agent (expected: see sallyport init --help)",
                "init --for ci --allow a..b | --allow a..b is no host and no pattern such as *.example.com (expected: see sallyport init --help)",
                "learn | missing required parameter: 'FILE' (expected: see sallyport learn --help)",
                "learn --prune x | --prune needs a configuration to prune (expected: see sallyport learn --help)",
                "learn --all x | unknown option --all (expected: see sallyport learn --help)",
                "generate-ca --days 0 | --days must lie between 1 and 36500 (expected: see sallyport generate-ca --help)",
                "doctor --for fun | --for fun is none of run, sandboxes (expected: see sallyport doctor --help)",
                "doctor --isolate fun | --isolate fun is neither netns nor env (expected: see sallyport doctor --help)",
                "quickstart --check --json | --check and --json exclude each other (expected: see sallyport quickstart --help)"
            })
    void wrong_usage_is_one_line_and_exit_code_2(String arguments, String message) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();

        int ended = Tool.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.split(" ", -1));

        assertThat(err.toString()).isEqualTo("sallyport: " + message + System.lineSeparator());
        assertThat(out.toString()).isEmpty();
        assertThat(ended).isEqualTo(2);
    }
}
