package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line of {@code sallyport run}: docs/run.md. */
class RunArgumentsTest {

    @Test
    void every_option() throws Exception {
        RunOptions options = RunArguments.parse(List.of(
                "--allow",
                "a.example.com,b.example.com:8443",
                "--allow=192.0.2.0/24",
                "--secret",
                "TOKEN=env:REAL@a.example.com,b.example.com",
                "-config",
                "proxy.yaml",
                "--isolate",
                "netns",
                "--preset",
                "npm,git",
                "--unix-socket",
                "/run/a.sock",
                "--learn",
                "out.yaml",
                "--open",
                "--inspect",
                "--audit",
                "audit.jsonl",
                "--quiet",
                "--",
                "curl",
                "--allow",
                "x"));

        assertThat(options.policy().allow()).containsExactly("a.example.com", "b.example.com:8443", "192.0.2.0/24");
        assertThat(options.policy().secrets())
                .containsExactly(new SecretOption("TOKEN", "REAL", List.of("a.example.com", "b.example.com")));
        assertThat(options.policy().config()).isEqualTo(Path.of("proxy.yaml"));
        assertThat(options.policy().presets()).containsExactly("npm", "git");
        assertThat(options.policy().open()).isTrue();
        assertThat(options.policy().ask()).isFalse();
        assertThat(options.isolation()).isEqualTo(RunOptions.Isolation.NETNS);
        assertThat(options.unixSockets()).containsExactly("/run/a.sock");
        assertThat(options.output())
                .isEqualTo(new RunOptions.Output(true, Path.of("audit.jsonl"), Path.of("out.yaml"), true));
        assertThat(options.command()).containsExactly("curl", "--allow", "x");
    }

    @Test
    void a_program_without_dashes_before_it_keeps_its_options() throws Exception {
        RunOptions options = RunArguments.parse(List.of("ls", "-l", "--", "--quiet"));

        assertThat(options.command()).containsExactly("ls", "-l", "--", "--quiet");
        assertThat(options.isolation()).isEqualTo(RunOptions.Isolation.AUTO);
    }

    @ParameterizedTest
    @CsvSource({
        "'', no program to run",
        "'--', no program to run",
        "'--bogus x', unknown option --bogus",
        "'--isolate jail x', --isolate jail is not known",
        "'--open -- x', --learn OUT.yaml with it",
        "'--open --ask --learn a.yaml -- x', one of them",
        "'--ask=yes x', --ask takes no value",
        "'--quiet=yes x', --quiet takes no value",
        "'--help=yes x', --help takes no value",
        "'-config a --replay b -- x', two configurations",
        "'--allow', --allow needs a value"
    })
    void what_is_wrong_is_said(String words, String problem) {
        List<String> split = words.isEmpty() ? List.of() : List.of(words.split(" "));

        assertThatThrownBy(() -> RunArguments.parse(split))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void a_secret_in_a_wrong_form_is_not_repeated() {
        assertThatThrownBy(() -> RunArguments.parse(List.of("--secret", "TOKEN=the-value-itself", "--", "x")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("NAME=env:VAR@HOST")
                .hasMessageNotContaining("the-value-itself");
    }

    @Test
    void help_is_ours_only_before_the_program() {
        assertThat(RunArguments.wantsHelp(List.of("--help"))).isTrue();
        assertThat(RunArguments.wantsHelp(List.of("--allow", "a.example.com", "--quiet", "-h")))
                .isTrue();
        assertThat(RunArguments.wantsHelp(List.of("--", "ls", "--help"))).isFalse();
        assertThat(RunArguments.wantsHelp(List.of("ls", "--help"))).isFalse();
        assertThat(RunArguments.wantsHelp(List.of("--audit", "-h", "ls"))).isFalse();
    }

    @Test
    void the_next_word_is_a_value_whatever_it_looks_like() throws Exception {
        assertThat(RunArguments.parse(List.of("--audit", "--", "ls")).command()).containsExactly("ls");
    }

    /** The launcher has to know where the program begins. */
    @Test
    void launcher_help_and_documentation_know_the_same_options() throws Exception {
        String launcher = Files.readString(Path.of("src/dist/bin/sallyport"));
        String documentation = Files.readString(Path.of("../docs/run.md"));

        assertThat(RunArguments.FLAGS).allSatisfy(flag -> assertThat(launcher).containsPattern("[| ]" + flag + "[ )]"));
        assertThat(launcher)
                .containsPattern("\\| --open \\| --ask \\| --inspect \\| --quiet \\| --json \\| -h \\| --help\\)");
        Set<String> all = new TreeSet<>(RunArguments.VALUED);
        all.addAll(RunArguments.FLAGS);
        all.removeAll(Set.of("-c", "--config", "-h", "--help")); // other forms
        assertThat(all).allSatisfy(option -> {
            assertThat(RunUsage.TEXT).contains(option + " ");
            assertThat(documentation).containsPattern("`" + option + "[ `]");
        });
    }
}
