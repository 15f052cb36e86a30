package dev.sallyport.server.init;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/spec/decisions.md, section 18: where a registry is meant, the tool is asked. */
class RegistriesTest {

    @TempDir
    private Path folder;

    private FakeTools fakes;

    @BeforeEach
    void prepare() throws Exception {
        fakes = new FakeTools(folder);
    }

    @ParameterizedTest
    @EnumSource
    void a_tool_that_is_missing_is_said_to_be(PackageManager manager) throws Exception {
        assertThat(ask(manager).line())
                .isEqualTo(manager.option() + " is not installed here, so nothing is let through for it");
        assertThat(ask(manager).registries()).isEmpty();
    }

    @Test
    void npm() throws Exception {
        fakes.with("npm", "[ \"$*\" = 'config get registry' ] && echo https://user:word@npm.example.com:8443/api/npm/");

        assertThat(ask(PackageManager.NPM).line()).isEqualTo("npm: npm.example.com:8443 (npm config get registry)");
    }

    @Test
    void a_tool_that_fails_or_says_nothing_of_use() throws Exception {
        fakes.with("npm", "exit 1")
                .with("go", "echo off; echo off")
                .with("pip", "exit 2")
                .with("apt-get", "echo file:/x");

        assertThat(ask(PackageManager.NPM).line())
                .isEqualTo("npm does not say its registry (npm config get registry), so nothing is let through for it"
                        + " (--allow HOST does)");
        assertThat(ask(PackageManager.GO).line()).startsWith("go uses no module proxy (go env GOPROXY), so nothing");
        assertThat(ask(PackageManager.PIP).line()).startsWith("pip does not say its index (pip config list), so");
        assertThat(ask(PackageManager.APT).line()).startsWith("apt has no source that is reached over HTTP");
    }

    @Test
    void pip_that_is_configured() throws Exception {
        fakes.with("pip", """
                [ "$*" = 'config list' ] || exit 1
                echo "global.timeout='60'"
                echo "global.index-url='https://pypi.example.com/simple'"
                echo ":env:.extra-index-url='https://one.example.com/simple https://two.example.com/simple'"
                """);

        assertThat(ask(PackageManager.PIP).line())
                .isEqualTo("pip: pypi.example.com, one.example.com, two.example.com (pip config list); the host of its"
                        + " files is not known, since the index could not be asked (pip install --dry-run"
                        + " --report): where it is another one, --allow HOST lets it through");
    }

    @Test
    void pip_says_where_its_index_has_the_files() throws Exception {
        fakes.with("pip", """
                case "$*" in
                    'config list') echo "global.index-url='https://pypi.example.com/simple'" ;;
                    *--report*) echo '{"version":"1","install":[{"download_info":{"url":'
                        echo '"https://user:word@files.example.com:8443/packages/pip-99.0-py3-none-any.whl"}}]}' ;;
                    *) exit 1 ;;
                esac
                """);

        assertThat(ask(PackageManager.PIP).line())
                .isEqualTo("pip: pypi.example.com, files.example.com:8443 (pip config list, pip install --dry-run"
                        + " --report)");
    }

    /** A real pip and an index whose files lie under another name. */
    @Test
    void a_pip_of_this_machine_asks_its_index() throws Exception {
        String python = System.getenv("TEST_PYTHON");
        String path = python == null
                ? System.getenv("PATH")
                : String.valueOf(Path.of(python).getParent());
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment
                .keySet()
                .removeIf(name ->
                        name.startsWith("PIP_") || name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        environment.put("PATH", path);
        Tools real = new Tools(environment, folder);
        assumeTrue(real.has("pip") || real.has("pip3"), "needs pip");
        byte[] wheel = wheel();
        HttpServer index = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int port = index.getAddress().getPort();
        index.createContext(
                "/simple/pip/",
                exchange -> answer(
                        exchange,
                        "text/html",
                        ("<a href=\"http://localhost:" + port
                                        + "/files/pip-99.0-py3-none-any.whl\">pip-99.0-py3-none-any.whl</a>")
                                .getBytes(StandardCharsets.UTF_8)));
        index.createContext("/files/", exchange -> answer(exchange, "application/zip", wheel));
        index.start();
        try {
            environment.put("PIP_INDEX_URL", "http://127.0.0.1:" + port + "/simple");
            environment.put("PIP_CONFIG_FILE", "/dev/null");

            Answer answer = PackageManager.PIP.ask(new Tools(environment, folder));

            assertThat(answer.line())
                    .startsWith("pip: 127.0.0.1:" + port + ", localhost:" + port + " (")
                    .endsWith("install --dry-run --report)");
        } finally {
            index.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static byte[] wheel() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            Map<String, String> files = Map.of(
                    "METADATA", "Metadata-Version: 2.1\nName: pip\nVersion: 99.0\n",
                    "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                    "RECORD", "");
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry("pip-99.0.dist-info/" + file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void pip_as_it_comes_says_its_default_in_its_help() throws Exception {
        fakes.with("pip3", """
                case "$*" in
                    'config list') ;;
                    'install --help') printf '  -i, --index-url <url>       Base URL of the Python Package Index (default\\n'
                        printf '                              https://pypi.example.com/simple). This should point to a\\n' ;;
                    *) exit 1 ;;
                esac
                """);

        assertThat(ask(PackageManager.PIP).line()).startsWith("pip: pypi.example.com (pip3 install --help); ");
    }

    @Test
    void go() throws Exception {
        fakes.with(
                "go",
                "[ \"$*\" = 'env GOPROXY GOSUMDB' ] && echo 'https://go.example.com,https://two.example.com|direct' && echo sum.example.com");

        assertThat(ask(PackageManager.GO).line())
                .isEqualTo("go: go.example.com, two.example.com, sum.example.com (go env GOPROXY GOSUMDB); modules' own"
                        + " hosts (direct) are not let through");
    }

    @Test
    void go_with_a_checksum_database_of_ones_own() throws Exception {
        fakes.with("go", "echo https://go.example.com; echo 'sum.example.com+abc+def https://sums.example.com/x'");

        assertThat(ask(PackageManager.GO).line())
                .isEqualTo("go: go.example.com, sums.example.com (go env GOPROXY GOSUMDB)");
    }

    @Test
    void cargo_before_it_has_used_a_registry() throws Exception {
        fakes.with("cargo", "exit 1");

        assertThat(ask(PackageManager.CARGO).line())
                .isEqualTo("cargo names its registry only once it has used it, so nothing is let through for it"
                        + " (--allow HOST does)");
    }

    @Test
    void cargo_by_its_configuration_and_its_cache() throws Exception {
        fakes.with("cargo", "exit 1");
        Files.writeString(fakes.home(".cargo/registry/index/index.example.com-6f17d22bba15001f/config.json"), """
                {"dl": "https://static.example.com/crates/{crate}", "api": "https://api.example.com"}""");

        assertThat(ask(PackageManager.CARGO).line())
                .isEqualTo("cargo: index.example.com, static.example.com (cargo's cache)");

        Files.writeString(fakes.home(".cargo/config.toml"), """
                [registries.ours]
                index = "sparse+https://ours.example.com/index/"
                """);
        assertThat(ask(PackageManager.CARGO).line())
                .isEqualTo("cargo: ours.example.com, index.example.com, static.example.com (cargo's configuration and"
                        + " cache)");

        Files.writeString(fakes.home(".cargo/config.toml"), """
                [source.crates-io]
                replace-with = "mirror"

                [source.mirror]
                registry = "sparse+https://mirror.example.com/index/"
                """);
        assertThat(ask(PackageManager.CARGO).line()).isEqualTo("cargo: mirror.example.com (cargo's configuration)");
    }

    @Test
    void maven_by_its_super_pom() throws Exception {
        maven("<project><repositories><repository><id>central</id><url>https://maven.example.com/maven2</url>"
                + "</repository></repositories></project>");

        assertThat(ask(PackageManager.MAVEN).line())
                .isEqualTo("maven: maven.example.com (its super POM); repositories that a pom.xml names are not let"
                        + " through");
    }

    @Test
    void maven_by_its_settings() throws Exception {
        maven("<project><repositories><repository><url>https://maven.example.com/maven2</url></repository>"
                + "</repositories></project>");
        Path settings = fakes.home(".m2/settings.xml");

        Files.writeString(settings, """
                <settings><profiles><profile><repositories><repository><id>ours</id>
                  <url>https://ours.example.com/maven</url></repository></repositories></profile></profiles></settings>
                """);
        assertThat(ask(PackageManager.MAVEN).line())
                .startsWith("maven: ours.example.com, maven.example.com (its settings and super POM); ");

        Files.writeString(settings, """
                <settings><mirrors><mirror><mirrorOf>external:*, !ours</mirrorOf>
                  <url>https://mirror.example.com/maven</url></mirror>
                  <mirror><mirrorOf>external:http:*</mirrorOf><url>http://0.0.0.0/</url><blocked>true</blocked></mirror>
                  </mirrors></settings>
                """);
        assertThat(ask(PackageManager.MAVEN).line()).startsWith("maven: mirror.example.com (its settings); ");

        Files.writeString(settings, """
                <!DOCTYPE settings [<!ENTITY x SYSTEM "file:///etc/passwd">]>
                <settings><mirrors><mirror><url>https://&x;/</url></mirror></mirrors></settings>
                """);
        assertThat(ask(PackageManager.MAVEN).line()).startsWith("maven: maven.example.com (its super POM); ");
    }

    @Test
    void apt() throws Exception {
        fakes.with(
                "apt-get",
                "[ \"$1 $2\" = 'indextargets --format' ] && printf '%s\\n' http://deb.example.com/debian http://deb.example.com/debian https://sec.example.com/x cdrom:[x]/");

        assertThat(ask(PackageManager.APT).line())
                .isEqualTo("apt: deb.example.com, sec.example.com (apt-get indextargets)");
    }

    /** What real ones print is read too. Cargo and apt may have nothing to say. */
    @Test
    void the_tools_of_this_machine() throws Exception {
        Tools real = new Tools(System.getenv(), folder);
        Map<PackageManager, String> programs = Map.of(
                PackageManager.NPM, "npm",
                PackageManager.GO, "go",
                PackageManager.MAVEN, "mvn");
        List<PackageManager> installed = Stream.of(PackageManager.values())
                .filter(manager -> programs.containsKey(manager) && real.has(programs.get(manager)))
                .toList();
        assumeFalse(installed.isEmpty(), "needs one of npm, go and mvn");

        for (PackageManager manager : installed) {
            assertThat(manager.ask(real).registries())
                    .as(manager.ask(real).line())
                    .isNotEmpty();
        }
    }

    private void maven(String pom) throws Exception {
        Path home = folder.resolve("maven home");
        Path jar = home.resolve("lib/maven-model-builder-3.9.9.jar");
        Files.createDirectories(jar.getParent());
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("org/apache/maven/model/pom-4.0.0.xml"));
            zip.write(pom.getBytes(StandardCharsets.UTF_8));
        }
        fakes.with("mvn", "printf '\\033[1mApache Maven\\033[m\\nMaven home: " + home + "\\nJava version: 21\\n'");
    }

    private Answer ask(PackageManager manager) throws Exception {
        return manager.ask(new Tools(fakes.environment(), folder));
    }
}
