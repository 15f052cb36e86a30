package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the packaged command line says and how it ends: docs/cli.md. */
class LauncherIT {

    @TempDir
    private Path folder;

    @Test
    void version() throws Exception {
        Sallyport.Ended ended = Sallyport.run(folder, "version");

        assertThat(ended.code()).isZero();
        assertThat(ended.out()).matches("sallyport \\d\\S* \\(Java \\S+, .*\\)\n");
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void help_names_every_command() throws Exception {
        Sallyport.Ended ended = Sallyport.run(folder, "--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.out())
                .contains(
                        "sallyport -config FILE",
                        "archive",
                        "audit",
                        "check",
                        "explain",
                        "generate-ca",
                        "init",
                        "learn",
                        "quickstart",
                        "replay",
                        "schema",
                        "version");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | nothing to do (expected: see sallyport --help)",
                "chekc | unknown command chekc (expected: check?)"
            })
    void wrong_usage_is_one_line_and_exit_code_2(String arguments, String message) throws Exception {
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ", -1);

        Sallyport.Ended ended = Sallyport.run(folder, words);

        assertThat(ended.err()).isEqualTo("sallyport: " + message + "\n");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.code()).isEqualTo(2);
    }

    @Tag("long")
    @Test
    void archive_makes_one_that_the_next_start_takes() throws Exception {
        // given: a distribution without
        Path copy = folder.resolve("copy");
        new ProcessBuilder("cp", "-a", Sallyport.distribution().toString(), copy.toString())
                .inheritIO()
                .start()
                .waitFor();
        boolean cache = Runtime.version().feature() >= 25;
        Path archive = copy.resolve("lib").resolve(cache ? "sallyport.aot" : "sallyport.jsa");
        Files.deleteIfExists(archive);

        // when
        Sallyport.Ended made;
        try (Sallyport command = Sallyport.start(copy, folder, Map.of(), "archive", "--seconds", "1")) {
            made = command.await();
        }

        // then
        assertThat(made.err()).isEmpty();
        assertThat(made.out()).matches(Pattern.quote(archive.toString()) + ": \\d+ MiB, after [\\d,]+ requests\n");
        assertThat(made.code()).isZero();
        // and a JVM that must use it does not refuse
        Map<String, String> must = Map.of("SALLYPORT_JAVA_OPTS", cache ? "-XX:AOTMode=on" : "-Xshare:on");
        try (Sallyport help = Sallyport.start(copy, folder, must, "control", "--help")) {
            assertThat(help.await().code()).isZero();
        }
        Files.delete(archive);
        if (!cache) {
            return; // -Xshare:on is content with the JVM's own archive
        }
        must = Map.of("SALLYPORT_JAVA_OPTS", "-XX:AOTMode=on -XX:AOTCache=" + archive);
        try (Sallyport help = Sallyport.start(copy, folder, must, "control", "--help")) {
            assertThat(help.await().code()).isNotZero();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {"-XX:+UseG1GC", "-XX:+UseParallelGC", "-Xmx32m", "-Xmx64m -Xmn8m", "-XX:TieredStopAtLevel=1"})
    void options_for_the_jvm_win_over_the_launchers_own(String options) throws Exception {
        Map<String, String> environment = Map.of("SALLYPORT_JAVA_OPTS", options);
        try (Sallyport help = Sallyport.start(Sallyport.distribution(), folder, environment, "control", "--help")) {
            Sallyport.Ended ended = help.await();

            assertThat(ended.err()).isEmpty();
            assertThat(ended.code()).isZero();
        }
    }

    /** With the archive, the JVM has all of its classes at once: that pays where a proxy or a control plane starts. */
    @ParameterizedTest
    @CsvSource({
        "-config proxy.yaml, '', true",
        "--config=proxy.yaml, '', true",
        "run -- true, '', true",
        "quickstart, '', true",
        "control -config proxy.yaml, '', true",
        "sandboxd, '', false",
        "--help, '', false",
        "version, '', false",
        "check -config proxy.yaml, '', false",
        "version, use, true",
        "-config proxy.yaml, off, false"
    })
    void what_starts_a_proxy_or_a_control_plane_uses_the_archive(String arguments, String chosen, boolean used)
            throws Exception {
        // given: a Java that says how it was called
        int feature = Runtime.version().feature();
        Path java = Files.createDirectories(folder.resolve("java/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("java/release"), "JAVA_VERSION=\"" + feature + "\"\n");
        Map<String, String> environment =
                Map.of("JAVA_HOME", folder.resolve("java").toString(), "SALLYPORT_ARCHIVE", chosen);

        // when
        Sallyport.Ended ended;
        try (Sallyport command =
                Sallyport.start(Sallyport.distribution(), folder, environment, arguments.split(" ", -1))) {
            ended = command.await();
        }

        // then
        Path archive = Sallyport.distribution().resolve("lib/sallyport." + (feature >= 25 ? "aot" : "jsa"));
        assertThat(archive).exists();
        assertThat(ended.out().contains("=" + archive)).isEqualTo(used);
    }

    /** In a container or a unit there often is no locale, and the JVM would have question marks for what is not ASCII. */
    @ParameterizedTest
    @ValueSource(strings = {"", "C", "POSIX", "C.UTF-8", "xx_XX.UTF-8"})
    void characters_are_those_of_utf_8_whatever_the_locale(String locale) throws Exception {
        // given: bytes that the shell writes, since the locale of the tests is not known
        String gruen = "$(printf 'gr\\303\\274n')";
        write("dns: {enabled: false}");
        String script = "unset LC_CTYPE LANG; LC_ALL=" + locale + "; export LC_ALL; SALLYPORT_TLS_CA_CERT=" + gruen
                + ".crt; export SALLYPORT_TLS_CA_CERT; cp proxy.yaml " + gruen + ".yaml; exec \"$0\" \"$@\" " + gruen
                + ".yaml";

        // when
        Sallyport.Ended ended;
        try (Sallyport check = Sallyport.startBy(List.of("sh", "-c", script), folder, "check", "-config")) {
            ended = check.await();
        }

        // then: the name of the file, the value of the variable, and what is printed
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).contains("/gr\u00fcn.crt: no such file").contains("gr\u00fcn.yaml: ");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void no_file() throws Exception {
        refused("nope.yaml: no such file (expected: a YAML file)", "-config", "nope.yaml");
    }

    @Test
    void a_bad_file_gives_the_whole_report() throws Exception {
        // given: a typo and a value out of range
        write(
                "dns: {enabled: false}",
                "proxy:",
                "  http_lisen: \":80\"",
                "  upstream_deny_cidrs: [10.0.0.0/33]",
                "tls: {mode: sni-only}");
        String typo = "proxy.yaml:3:3: /proxy/http_lisen: unknown key \"http_lisen\" (expected: http_listen?)";
        String range = "proxy.yaml:4:25: /proxy/upstream_deny_cidrs/0: a prefix length out of range: \"10.0.0.0/33\""
                + " (expected: 0 to 32)";

        // when
        Sallyport.Ended run = Sallyport.run(folder, "-config", "proxy.yaml");
        Sallyport.Ended check = Sallyport.run(folder, "check", "-config", "proxy.yaml");

        // then: running refuses
        assertThat(run.err()).isEqualTo("sallyport: " + typo + "\nsallyport: " + range + "\n");
        assertThat(run.code()).isEqualTo(1);
        // and checking reports
        assertThat(check.out()).startsWith(typo + "\n" + range + "\n").contains("proxy.yaml: 2 problems");
        assertThat(check.err()).isEmpty();
        assertThat(check.code()).isEqualTo(1);
    }

    @Test
    void a_ca_that_cannot_be_read_is_told_with_everything_else_by_the_start_and_by_the_check() throws Exception {
        // given
        String[] lines = good();
        lines[3] = "metrics: {listne: disabled}";
        write(lines);
        String certificate =
                "proxy.yaml:3:16: /tls/ca_cert: " + folder.resolve("ca.crt") + ": no such file (expected: a PEM file)";
        String key =
                "proxy.yaml:3:32: /tls/ca_key: " + folder.resolve("ca.key") + ": no such file (expected: a PEM file)";
        String typo = "proxy.yaml:4:11: /metrics/listne: unknown key \"listne\" (expected: listen?)";

        // when
        Sallyport.Ended run = Sallyport.run(folder, "-config", "proxy.yaml");
        Sallyport.Ended check = Sallyport.run(folder, "check", "-config", "proxy.yaml");

        // then
        assertThat(run.err().lines())
                .containsExactly("sallyport: " + certificate, "sallyport: " + key, "sallyport: " + typo);
        assertThat(run.code()).isEqualTo(1);
        assertThat(check.out().lines()).containsExactly(certificate, key, typo, "proxy.yaml: 3 problems");
        assertThat(check.code()).isEqualTo(1);
    }

    @Test
    void generate_ca_then_check() throws Exception {
        // when
        Sallyport.Ended made = Sallyport.run(folder, "generate-ca");

        // then
        assertThat(made.code()).isZero();
        assertThat(made.out()).contains("ca.crt: the certificate, valid until ", "ca.key: its private key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("ca.key"))))
                .isEqualTo("rw-------");
        write(good());
        Sallyport.Ended check = Sallyport.run(folder, "check", "-config", "proxy.yaml");
        assertThat(check.out()).isEqualTo("""
                        proxy.yaml: good, with 1 transform
                        Workloads connect to a free port of 127.0.0.1 (CONNECT and SOCKS5), and the proxy reads their TLS; it shows its metrics at a free port of 127.0.0.1.
                        Requests may leave only for localhost; all others are refused.
                        No credential is added to any request.
                        """);
        assertThat(check.code()).isZero();
    }

    @Test
    void generate_ca_never_overwrites_unless_told_to() throws Exception {
        Sallyport.run(folder, "generate-ca");
        String before = Files.readString(folder.resolve("ca.crt"));

        refused("ca.crt: already exists (expected: another name, or --force)", "generate-ca");
        assertThat(folder.resolve("ca.crt")).hasContent(before);

        assertThat(Sallyport.run(folder, "generate-ca", "--force").code()).isZero();
        assertThat(Files.readString(folder.resolve("ca.crt"))).isNotEqualTo(before);
    }

    @Test
    void generate_ca_into_a_folder_that_is_not_there() throws Exception {
        refused("no: cannot be written (expected: an existing folder)", "generate-ca", "--cert", "no/ca.crt");
    }

    @Test
    void a_port_that_is_taken() throws Exception {
        Sallyport.run(folder, "generate-ca");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            String[] lines = good();
            lines[1] = lines[1].replace("tunnel_listen: \"127.0.0.1:0\"", "tunnel_listen: \"127.0.0.1:" + port + "\"");
            write(lines);

            Sallyport.Ended ended = Sallyport.run(folder, "-config", "proxy.yaml");

            assertThat(ended.err())
                    .endsWith("sallyport: tunnel_listen 127.0.0.1:" + port + ": the port is taken\n")
                    .doesNotContain("\tat ", "Exception");
            assertThat(ended.code()).isEqualTo(1);
        }
    }

    @Test
    void a_port_of_the_control_plane_that_is_taken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "127.0.0.1:" + taken.getLocalPort();
            write("control: {listen: \"" + port + "\"}", "metrics: {listen: disabled}", "log: {level: error}");

            Sallyport.Ended ended = Sallyport.run(folder, "control", "-config", "proxy.yaml");

            assertThat(ended.err())
                    .isEqualTo("sallyport: proxy.yaml:1:19: /control/listen: cannot listen on " + port
                            + ": the port is taken (expected: an address of this machine with a free port)\n");
            assertThat(ended.code()).isEqualTo(1);
        }
    }

    @Test
    void the_log_level_applies_before_the_first_line() throws Exception {
        Sallyport.run(folder, "generate-ca");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // given: one listener that opens, and one that cannot
            String port = "127.0.0.1:" + taken.getLocalPort();
            String[] lines = good();
            lines[1] = "proxy: {http_listen: \"127.0.0.1:0\", https_listen: disabled, tunnel_listen: \"" + port + "\"}";
            lines[3] = "log: {level: error}";
            write(lines);

            // when
            Sallyport.Ended ended = Sallyport.run(folder, "-config", "proxy.yaml");

            // then
            assertThat(ended.err()).isEqualTo("sallyport: tunnel_listen " + port + ": the port is taken\n");
        }
    }

    @Test
    void a_secret_that_is_not_there() throws Exception {
        Sallyport.run(folder, "generate-ca");
        write(
                good()[0],
                good()[1],
                good()[2],
                good()[3],
                "transforms:",
                "  - name: secrets",
                "    config:",
                "      secrets:",
                "        - source: {type: env, var: NO_SUCH_VARIABLE}",
                "          replace: {proxy_value: placeholder}");

        refused(
                "proxy.yaml:9:19: /transforms/0/config/secrets/0/source: environment variable NO_SUCH_VARIABLE is not set",
                "-config",
                "proxy.yaml");
    }

    @Test
    void the_shipped_configuration_is_good() throws Exception {
        Path conf = Sallyport.distribution().resolve("conf");
        Files.copy(conf.resolve("proxy.yaml"), folder.resolve("proxy.yaml"));
        Sallyport.run(folder, "generate-ca");

        Sallyport.Ended check = Sallyport.run(folder, "check", "-config", "proxy.yaml");

        assertThat(check.out())
                .startsWith("proxy.yaml: good, with 1 transform\n")
                .contains("\nNo request may leave, since the allowlist is empty.\n");
        assertThat(conf.resolve("sallyport.schema.json"))
                .content()
                .isEqualTo(Sallyport.run(folder, "schema").out());
    }

    /** Exit code 1, and this one line; a path may stand before it. */
    private void refused(String line, String... arguments) throws Exception {
        Sallyport.Ended ended = Sallyport.run(folder, arguments);

        assertThat(ended.err()).startsWith("sallyport: ").endsWith(line + "\n").containsOnlyOnce("\n");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.code()).isEqualTo(1);
    }

    static String[] good() {
        return new String[] {
            "dns: {enabled: false}",
            "proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: \"127.0.0.1:0\", upstream_deny_cidrs: [], redact_responses: swapped}",
            "tls: {ca_cert: ca.crt, ca_key: ca.key}",
            "metrics: {listen: \"127.0.0.1:0\"}",
            "transforms: [{name: allowlist, config: {domains: [localhost]}}]"
        };
    }

    private void write(String... lines) throws Exception {
        Files.writeString(folder.resolve("proxy.yaml"), String.join("\n", lines) + "\n");
    }
}
