package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The presets of the distribution: docs/run.md. */
class PresetsTest {

    private static final Presets PRESETS = new Presets(Path.of("src/dist/presets"));

    @TempDir
    private Path tools;

    private final List<String> notes = new ArrayList<>();

    private List<Rule> rules(String name) throws Exception {
        Map<String, String> environment = Map.of("PATH", tools.toString(), "HOME", tools.toString());
        return PRESETS.rules(List.of(name), environment, notes::add);
    }

    private void tool(String name, String says) throws Exception {
        Path file = tools.resolve(name);
        Files.writeString(file, "#!/bin/sh\necho '" + says + "'\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void a_package_manager_is_asked_for_its_registry() throws Exception {
        tool("npm", "http://packages.example.com:4873/mirror/");

        assertThat(rules("npm"))
                .containsExactly(Rule.builder()
                        .host("packages.example.com")
                        .ports(List.of(4873))
                        .methods(List.of("GET", "HEAD"))
                        .build());
        assertThat(notes).containsExactly("preset npm: packages.example.com:4873 (npm config get registry)");
    }

    @Test
    void git_is_asked_for_its_remotes() throws Exception {
        tool("git", "origin https://git.example.com/team/tool.git (fetch)");

        List<Rule> rules = rules("git");

        assertThat(rules).hasSize(1);
        assertThat(rules.getFirst().host()).isEqualTo("git.example.com");
        assertThat(rules.getFirst().paths())
                .contains("/team/tool.git/info/refs", "/team/tool.git/git-upload-pack")
                .noneMatch(path -> path.contains("receive-pack"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"npm", "pip", "maven", "go", "cargo", "apt", "git"})
    void a_tool_that_is_not_here_lets_nothing_through(String name) throws Exception {
        assertThat(rules(name)).isEmpty();
        assertThat(notes).hasSize(1).first().asString().contains("nothing is let through");
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-code", "codex"})
    void an_agent_gets_its_hosts_and_no_patterns(String name) throws Exception {
        assertThat(rules(name))
                .isNotEmpty()
                .allSatisfy(rule -> assertThat(rule.host()).matches("[a-z.]+"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "../conf/proxy", ""})
    void an_unknown_one_is_refused_with_those_there_are(String name) {
        assertThatThrownBy(() -> rules(name))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("apt, cargo, claude-code, codex, git, go, maven, npm, pip");
    }

    @Test
    void each_says_where_it_comes_from() throws Exception {
        try (var files = Files.list(Path.of("src/dist/presets"))) {
            assertThat(files.toList())
                    .hasSize(9)
                    .allSatisfy(file -> assertThat(Files.readString(file)).containsPattern("(?m)^source: \\S"));
        }
    }
}
