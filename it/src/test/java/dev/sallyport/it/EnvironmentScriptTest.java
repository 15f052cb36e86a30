package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.Wire;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The script of {@code sallyport.internal/env.sh}, evaluated twice by a real shell; then real clients fetch a page over
 * TLS that the proxy terminates.
 */
class EnvironmentScriptTest {

    private static final String URL = "https://sallyport.internal/ca.pem";

    private static final String JAVA = """
            import java.net.URI;
            class Fetch {
                public static void main(String[] at) throws Exception {
                    try (var in = URI.create(at[0]).toURL().openStream()) {
                        System.out.write(in.readAllBytes());
                        System.out.flush();
                    }
                }
            }
            """;

    /** As {@code docs/trust.md} has it for a proxy that knows its users. */
    private static final String KNOWN = """
            import java.net.*;
            import java.net.http.*;
            class Known {
                public static void main(String[] at) throws Exception {
                    Authenticator user = new Authenticator() {
                        @Override
                        protected PasswordAuthentication getPasswordAuthentication() {
                            return getRequestorType() == RequestorType.PROXY
                                    ? new PasswordAuthentication(at[2], at[3].toCharArray())
                                    : null;
                        }
                    };
                    if (at[1].equals("client")) {
                        try (HttpClient client = HttpClient.newBuilder().authenticator(user).build()) {
                            System.out.println(client.send(HttpRequest.newBuilder(URI.create(at[0])).build(),
                                    HttpResponse.BodyHandlers.ofString()).body());
                        }
                    } else {
                        Authenticator.setDefault(user);
                        try (var in = URI.create(at[0]).toURL().openStream()) {
                            System.out.println(new String(in.readAllBytes()));
                        }
                    }
                }
            }
            """;

    /** Node follows the proxy variables of the environment from version 24 on; CONNECT is CONNECT before, too. */
    private static final String NODE = """
            const at = new URL(process.env.https_proxy);
            require('http').request({host: at.hostname, port: at.port, method: 'CONNECT', path: 'sallyport.internal:443'})
              .on('connect', (answer, socket) => {
                require('https').get('%s', {defaultPort: 443, createConnection: () =>
                    require('tls').connect({socket, servername: 'sallyport.internal'})},
                  page => page.pipe(process.stdout)).on('error', e => console.log(e.message));
              }).end();
            """.formatted(URL);

    @TempDir
    Path folder;

    private TestCertificates certificates;

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            curl    | curl -fsS URL
            python3 | python3 -c "import urllib.request,sys; sys.stdout.write(urllib.request.urlopen('URL').read().decode())"
            node    | node fetch.js
            java    | "$JAVA_HOME/bin/java" Fetch.java URL
            """)
    void setsUp(String tool, String command) throws Exception {
        assumeTrue(installed(tool), tool + " is not installed");
        Files.writeString(folder.resolve("Fetch.java"), JAVA);
        Files.writeString(folder.resolve("fetch.js"), NODE);
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String output = shell("eval \"$(cat env.sh)\"; eval \"$(cat env.sh)\"; " + command.replace("URL", URL));

            assertThat(output).contains(Files.readString(certificates.caCert).strip());
        }
    }

    @Test
    void setsUpGit() throws Exception {
        assumeTrue(installed("git"), "git is not installed");
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String output = shell("eval \"$(cat env.sh)\"; git ls-remote https://sallyport.internal/x || true");

            assertThat(output).contains("repository 'https://sallyport.internal/x/' not found");
        }
    }

    /** The registry is the proxy's own site, which has no such page. Behind a proxy npm looks at its cafile alone. */
    @Tag("long")
    @Test
    void setsUpNpmThatHasACafileOfItsOwn() throws Exception {
        assumeTrue(installed("npm"), "npm is not installed");
        Files.writeString(folder.resolve(".npmrc"), "cafile=" + certificates.originPem + "\n");
        String ping = "npm ping --registry=https://sallyport.internal/ --fetch-retries=0 2>&1 || true";
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String before = shell("eval \"$(cat env.sh)\"; unset npm_config_cafile; " + ping);
            String output = shell("eval \"$(cat env.sh)\"; " + ping);

            assertThat(before).contains("CERT").doesNotContain("404");
            assertThat(output).contains("404").doesNotContain("CERT");
        }
    }

    /** Maven 3.9 looks at no property of Java's unless it is told to. */
    @Test
    @Tag("long")
    void setsUpMaven() throws Exception {
        assumeTrue(installed("mvn"), "mvn is not installed");
        Files.writeString(folder.resolve("settings.xml"), """
                <settings>
                  <localRepository>%s</localRepository>
                  <mirrors><mirror><id>site</id><mirrorOf>*</mirrorOf><url>https://sallyport.internal/</url></mirror></mirrors>
                </settings>
                """.formatted(folder.resolve("repository")));
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String output = shell("eval \"$(cat env.sh)\"; mvn -B -s settings.xml org.example:nothing:1.0:run || true");

            // 3.8 says so in its own words, 3.9 shows the problem document.
            assertThat(output).containsAnyOf("Could not find artifact", "urn:sallyport:not_found");
        }
    }

    @Tag("long")
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            curl              | curl -fsS URL
            HttpURLConnection | "$JAVA_HOME/bin/java" Known.java URL url 'al ice' 'p@ss:word'
            HttpClient        | "$JAVA_HOME/bin/java" Known.java URL client 'al ice' 'p@ss:word'
            """)
    void carriesTheUserThatItIsGiven(String client, String command) throws Exception {
        assumeTrue(installed("curl"), "curl is not installed");
        Files.writeString(folder.resolve("Known.java"), KNOWN);
        try (TestProxy proxy = withUsers()) {
            fetchScript(proxy, "Proxy-Authorization: Basic YWwgaWNlOnBAc3M6d29yZA==");
            String user = "SALLYPORT_PROXY=http://al%20ice:p%40ss%3Aword@127.0.0.1:"
                    + proxy.proxy().tunnelAddress().getPort() + "; ";
            String evaluated = "eval \"$(cat env.sh)\"; ";
            String fetch = command.replace("URL", URL);

            // Once without a user before, as somebody does who had to be told.
            String output = shell(
                    evaluated + user + evaluated + evaluated + fetch + "; echo \"[$JAVA_TOOL_OPTIONS]$https_proxy\"");
            String without = shell(evaluated + fetch + " 2>&1 || true");

            assertThat(output)
                    .contains(Files.readString(certificates.caCert).strip())
                    .containsOnlyOnce("the proxy asks for credentials")
                    .contains("-Djdk.http.auth.tunneling.disabledSchemes=]http://al%20ice:p%40ss%3Aword@127.0.0.1:")
                    .containsOnlyOnce("p%40ss");
            assertThat(without)
                    .contains("SALLYPORT_PROXY=http://al%20ice:PASSWORD@127.0.0.1:"
                            + proxy.proxy().tunnelAddress().getPort() + "\n")
                    .doesNotContain("BEGIN CERTIFICATE");
        }
    }

    private TestProxy withUsers() throws Exception {
        TestSecrets passwords = new TestSecrets().set("ALICE", "p@ss:word");
        return TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(PluginCatalog.of(List.of(), List.of(passwords)))
                .proxyLines(
                        "auth:", "  required: true", "  users: [{name: al ice, password: {type: test, name: ALICE}}]")
                .start();
    }

    /** Without the script the same client refuses: it is the script that makes the difference. */
    @Test
    void nothingIsTrustedWithoutIt() throws Exception {
        assumeTrue(installed("curl"), "curl is not installed");
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            String way = "http://127.0.0.1:" + proxy.proxy().tunnelAddress().getPort();

            assertThat(shell("curl -sS -x " + way + " " + URL + " || true")).contains("certificate");
        }
    }

    @Test
    void keepsTheRootsOfTheSystemAndWhatWasSetBefore() throws Exception {
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);
            Files.writeString(folder.resolve("roots.pem"), "# roots of this system\n");

            String output = shell("SSL_CERT_FILE=\"$HOME/roots.pem\"; no_proxy=intranet; "
                    + "JAVA_TOOL_OPTIONS=-Dkept=yes; SALLYPORT_CA_DIR=\"$HOME/a folder\"; "
                    + "eval \"$(cat env.sh)\"; eval \"$(cat env.sh)\"; "
                    + "echo \"$no_proxy|$NODE_EXTRA_CA_CERTS|$JAVA_TOOL_OPTIONS\"; cat \"$SSL_CERT_FILE\"; set");

            assertThat(output)
                    .contains("intranet|" + folder + "/a folder/ca.pem|-Dkept=yes ")
                    .contains("# roots of this system\n\n"
                            + Files.readString(certificates.caCert).strip())
                    .containsOnlyOnce("\nGIT_SSL_CAINFO=")
                    .doesNotContain("\nsallyport_");
        }
    }

    @Test
    void namesTheRootsToToolsThatKeepTheirOwn() throws Exception {
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String output =
                    shell("eval \"$(cat env.sh)\"; for name in CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE HTTPLIB2_CA_CERTS"
                            + " NIX_SSL_CERT_FILE HEX_CACERTS_PATH PERL_LWP_SSL_CA_FILE; do"
                            + " printenv $name | xargs tail -n 1; done");

            assertThat(output).isEqualTo("-----END CERTIFICATE-----\n".repeat(5));
        }
    }

    @Test
    void saysWhatItCouldNotDo() throws Exception {
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            String output =
                    shell("SALLYPORT_CA_DIR=/dev/null/x; eval \"$(cat env.sh)\"; echo \"[${SSL_CERT_FILE:-}]\"");

            assertThat(output).contains("could not be written", "[]");
        }
    }

    @Test
    void passesTheLinter() throws Exception {
        assumeTrue(installed("shellcheck"), "shellcheck is not installed");
        try (TestProxy proxy =
                TestProxy.builder(folder).certificates(certificates).start()) {
            fetchScript(proxy);

            assertThat(shell("shellcheck -s sh env.sh && echo clean")).isEqualTo("clean\n");
        }
    }

    private void fetchScript(TestProxy proxy, String... lines) throws IOException {
        try (Wire client = proxy.tunnel()) {
            String script = client.send("GET http://sallyport.internal/env.sh HTTP/1.1\r\nHost: sallyport.internal\r\n"
                            + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n")
                    .message()
                    .body();
            Files.writeString(folder.resolve("env.sh"), script);
        }
    }

    /** Everything that a shell with nothing but the necessary in its environment says. */
    private String shell(String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
        environment.clear();
        environment.put("PATH", path);
        environment.put("HOME", folder.toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        if (!process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("no end of: " + command);
        }
        return Files.readString(folder.resolve("output"), StandardCharsets.UTF_8);
    }

    private static boolean installed(String tool) {
        for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(folder, tool))) {
                return true;
            }
        }
        return false;
    }
}
