package dev.sallyport.server.init;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.server.Failure;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.server.summary.ConfigSummary;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/cli.md, section "init". */
class InitializationTest {

    private static final String LISTEN = "127.0.0.1:3128";
    private static final String METRICS = "127.0.0.1:9090";

    @TempDir
    private Path folder;

    private FakeTools fakes;
    private Plugins plugins;

    @BeforeEach
    void prepare() throws Exception {
        plugins = Plugins.load(null);
        fakes = new FakeTools(folder)
                .with("npm", "echo https://packages.example.com/npm/")
                .with("go", "echo https://packages.example.com/go,direct; echo off")
                .with(
                        "git",
                        "printf 'origin\\thttps://git.example.com/acme/tool.git (fetch)\\n"
                                + "origin\\thttps://git.example.com/acme/tool.git (push)\\nb\\tgit@ssh.example.com:x/y (fetch)\\nc\\t/srv/z (fetch)\\n'");
    }

    @AfterEach
    void unload() {
        plugins.close();
    }

    @ParameterizedTest
    @EnumSource
    void each_case_passes_the_check_with_nothing_to_explain(Purpose purpose) throws Exception {
        Path file = folder.resolve("proxy.yaml");
        CertificateAuthority.generate("Test", Duration.ofDays(1))
                .write(folder.resolve("ca.crt"), folder.resolve("ca.key"));

        write(plan(purpose, List.of("docs.example.com"), "KEY=env:REAL_KEY@api.example.com"), file, false);

        ConfigResult read = ConfigLoader.load(file, Map.of(), plugins.catalog());
        ConfigResult checked = EgressProxy.check(read, plugins.catalog(), Map.of("REAL_KEY", "value-of-the-key"));
        assertThat(checked.problems()).isEmpty();
        assertThat(checked.warnings().stream().map(ConfigProblem::message))
                .containsExactlyElementsOf(
                        purpose == Purpose.OBSERVE
                                ? List.of(
                                        "nothing limits where requests may go: no transform here refuses any destination")
                                : List.of());
        assertThat(Files.readAllLines(file)).allMatch(line -> line.length() <= 120);
    }

    @Test
    void a_coding_agent() throws Exception {
        Path file = folder.resolve("proxy.yaml");

        List<String> told = write(
                plan(Purpose.CODING_AGENT, List.of("docs.example.com"), "KEY=env:REAL_KEY@api.example.com"),
                file,
                false);

        assertThat(told)
                .containsExactly(
                        file + ": for a coding agent: its model's API, this repository, package registries",
                        "  npm: packages.example.com (npm config get registry)",
                        "  pip is not installed here, so nothing is let through for it",
                        "  go: packages.example.com (go env GOPROXY GOSUMDB); modules' own hosts (direct) are not let"
                                + " through",
                        "  cargo is not installed here, so nothing is let through for it",
                        "  maven is not installed here, so nothing is let through for it",
                        "  apt is not installed here, so nothing is let through for it",
                        "  git: git.example.com/acme/tool (git remote -v); to fetch from",
                        "  git: ssh.example.com/x/y (git remote -v); to fetch from",
                        "  KEY: a placeholder for the workload; REAL_KEY of the proxy goes to api.example.com",
                        "Next:",
                        "  sallyport generate-ca --cert " + folder.resolve("ca.crt") + " --key "
                                + folder.resolve("ca.key"),
                        "  REAL_KEY=... sallyport -config " + file);
        assertThat(Files.readString(file)).contains("""
                      # Whole hosts. A name with * in front stands for all names below it, and for itself.
                      domains:
                        - docs.example.com
                        - api.example.com
                      rules:
                        # git fetch and clone of this repository. For git push, add its paths that end in git-receive-pack.
                        - host: git.example.com
                          methods: [GET, POST]
                          paths:
                            - /acme/tool/info/refs
                            - /acme/tool/git-upload-pack
                            - /acme/tool.git/info/refs
                            - /acme/tool.git/git-upload-pack
                """, """
                        # npm (npm config get registry)
                        # go (go env GOPROXY GOSUMDB); modules' own hosts (direct) are not let through
                        - host: packages.example.com
                          methods: [GET, HEAD] # to read; nothing can be published
                      # pip is not installed here, so nothing is let through for it
                """, """
                        # In the environment of the proxy: REAL_KEY. In that of the workload:
                        #   export KEY=placeholder-key
                        - source: { type: env, var: REAL_KEY }
                          replace:
                            proxy_value: placeholder-key
                          rules:
                            - host: api.example.com
                """);
    }

    @Test
    void package_managers_alone_can_read_and_nothing_else_can() throws Exception {
        Path file = folder.resolve("proxy.yaml");

        write(plan(Purpose.PACKAGES, List.of()), file, false);

        ConfigResult read = ConfigLoader.load(file, Map.of(), plugins.catalog());
        assertThat(ConfigSummary.of(read.draft()))
                .containsExactly(
                        "Workloads connect to 127.0.0.1:3128 (CONNECT and SOCKS5), and the proxy reads their TLS; it shows"
                                + " its metrics at 127.0.0.1:9090.",
                        "Requests may leave only for packages.example.com (limited by method, path, port or scheme); all"
                                + " others are refused.",
                        "No credential is added to any request.");
    }

    @Test
    void only_the_managers_that_were_named_are_asked() throws Exception {
        List<String> told = write(
                new Plan(Purpose.CI, LISTEN, METRICS, List.of(), List.of(), List.of(PackageManager.GO)),
                folder.resolve("proxy.yaml"),
                false);

        assertThat(told)
                .filteredOn(
                        line -> line.startsWith("  go: ") || line.startsWith("  git: ") || line.contains("installed"))
                .hasSize(3);
    }

    @Test
    void nothing_is_known() throws Exception {
        FakeTools none = new FakeTools(folder.resolve("none"));
        Path file = folder.resolve("proxy.yaml");

        List<String> told = new Initialization(none.environment(), folder, plugins.catalog())
                .write(plan(Purpose.CI, List.of()), file, false);

        assertThat(told)
                .contains("  git: no remote is reached over HTTP or SSH from here, so none is let through (--allow HOST"
                        + " does)");
        assertThat(Files.readString(file)).contains("# Nothing may leave yet.").contains("domains: []");
        assertThat(ConfigSummary.of(ConfigLoader.load(file, Map.of(), plugins.catalog())
                                .draft())
                        .get(1))
                .isEqualTo("No request may leave, since the allowlist is empty.");
    }

    @Test
    void the_two_commands_that_come_next() throws Exception {
        CertificateAuthority.generate("Test", Duration.ofDays(1))
                .write(folder.resolve("ca.crt"), folder.resolve("ca.key"));
        Path file = folder.resolve("my proxy.yaml");

        List<String> told = write(plan(Purpose.OBSERVE, List.of()), file, false);

        assertThat(told)
                .containsExactly(
                        file + ": for everything logged, nothing blocked",
                        "Next:",
                        "  sallyport check -config '" + file + "'",
                        "  sallyport -config '" + file + "'");
    }

    @Test
    void a_file_that_is_there_stays_unless_forced() throws Exception {
        Path file = Files.writeString(folder.resolve("proxy.yaml"), "mine");

        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> write(plan(Purpose.OBSERVE, List.of()), file, false))
                .withMessage(file + ": is there already (expected: another name for --out, or --force)");
        assertThat(file).hasContent("mine");

        write(plan(Purpose.OBSERVE, List.of()), file, true);
        assertThat(Files.readString(file)).startsWith("# Sallyport for everything logged, nothing blocked.\n");
    }

    @Test
    void what_cannot_be_written() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> write(plan(Purpose.OBSERVE, List.of()), folder.resolve("no/proxy.yaml"), false))
                .withMessage(
                        folder.resolve("no/proxy.yaml") + ": cannot be written (expected: a folder that is there)");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> write(
                        new Plan(Purpose.OBSERVE, "nowhere", METRICS, List.of(), List.of(), List.of()),
                        folder.resolve("proxy.yaml"),
                        false))
                .withMessageContaining("/proxy/tunnel_listen: a listen address without a port");
        assertThat(folder.resolve("proxy.yaml")).doesNotExist();
    }

    @Test
    void questions_are_asked_until_they_are_answered() throws Exception {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        Questions questions = new Questions(
                new BufferedReader(new StringReader("7\nwhat\n2\nopenai\na.example.com, b.example.com\n\n")),
                new PrintStream(shown, true, StandardCharsets.UTF_8));

        assertThat(questions.purpose()).isEqualTo(Purpose.CI);
        assertThat(questions.model()).isEqualTo("openai");
        assertThat(questions.hosts()).containsExactly("a.example.com", "b.example.com");
        assertThat(questions.hosts()).isEmpty();
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(questions::hosts)
                .withMessage("no answer (expected: one, or options instead: see sallyport init --help)");
        assertThat(shown.toString(StandardCharsets.UTF_8))
                .startsWith("What is the proxy for?\n  1  a coding agent: ")
                .contains("1 to 4: 1 to 4: 1 to 4: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"KEY", "KEY=REAL@a.example.com", "KEY=env:REAL", "KEY=env:REAL@", "1=env:A@b", "K=env:A@b,,c"})
    void a_secret_in_another_form(String text) {
        assertThat(PlannedSecret.parse(text)).isNull();
    }

    private static Plan plan(Purpose purpose, List<String> allow, String... secrets) {
        return new Plan(
                purpose,
                LISTEN,
                METRICS,
                allow,
                List.of(secrets).stream().map(PlannedSecret::parse).toList(),
                List.of());
    }

    private List<String> write(Plan plan, Path file, boolean force) throws Exception {
        return new Initialization(fakes.environment(), folder, plugins.catalog()).write(plan, file, force);
    }
}
