package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testsupport.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Everything that is wrong with a configuration, in one report and one form: the check, the start and the reload. */
@Timeout(60)
class OneReportTest {

    private static final String LISTENERS = """
            dns: {enabled: false}
            metrics: {listen: disabled}
            proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0"}
            """;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void make() {
        file = folder.resolve("f.yaml");
        assertThat(new TestCertificates(folder).caKey).exists();
    }

    /** A transform that fails as it is told to. */
    private static final class Holder implements TransformFactory<Holder.Held> {

        record Held(
                @JsonProperty(required = true) List<SecretRef> tokens,
                String fail,
                @Nullable Path file) {}

        @Override
        public Descriptor<Held> descriptor() {
            return Descriptor.of("holder", Held.class, "Holds secrets.");
        }

        @Override
        public void doubts(Held settings, Problems doubts) {
            if (settings.fail().equals("doubtful")) {
                doubts.add("/fail", "doubtful", "certainty");
            }
        }

        @Override
        public Map<String, Path> files(Held settings) {
            return settings.file() == null ? Map.of() : Map.of("/file", settings.file());
        }

        @Override
        public Transform create(Held settings, BuildContext context) throws ConfigException {
            if (!settings.fail().isEmpty()) {
                throw new ConfigException("/fail", "told to fail", "nothing");
            }
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    /** A source that has nothing. */
    private static final class Empty implements SecretSourceFactory<Empty.Variable> {

        record Variable(@JsonProperty(required = true) String var) {}

        @Override
        public Descriptor<Variable> descriptor() {
            return Descriptor.of("env", Variable.class, "Has nothing.");
        }

        @Override
        public SecretSource create(Variable settings, SourceContext context) throws ConfigException {
            if (settings.var().isEmpty()) {
                throw new ConfigException("/var", "an empty name", "the name of a variable");
            }
            return new SecretSource() {
                @Override
                public String name() {
                    return settings.var();
                }

                @Override
                public SecretValue read() throws SecretException {
                    throw new SecretException(settings.var() + " is not set");
                }
            };
        }
    }

    /** Lets through what it says. */
    private static final class Gate implements TransformFactory<Gate.Admitted> {

        record Admitted(List<Rule> rules) {}

        @Override
        public Descriptor<Admitted> descriptor() {
            return Descriptor.of("gate", Admitted.class, "Lets through what it says.");
        }

        @Override
        public Capabilities capabilities(Admitted settings) {
            return Capabilities.builder().admits(settings.rules()).build();
        }

        @Override
        public Transform create(Admitted settings, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private static PluginCatalog catalog() {
        return PluginCatalog.of(List.of(new Holder(), new Gate()), List.of(new Empty()));
    }

    /** What all three say of a file, with its path left out. */
    private List<String> report(String yaml, Map<String, String> environment) throws IOException {
        Files.writeString(file, yaml);
        List<String> started = startProblems(environment);
        List<String> reloaded = reloadProblems(yaml, environment);
        assertThat(reloaded).isEqualTo(started);
        return started.stream().map(this::shortened).toList();
    }

    private List<String> checked(String yaml, Map<String, String> environment) throws IOException {
        Files.writeString(file, yaml);
        ConfigResult result = EgressProxy.check(ConfigLoader.load(file, environment, catalog()));
        return result instanceof ConfigResult.Invalid invalid
                ? invalid.problems().stream()
                        .map(ConfigProblem::toString)
                        .map(this::shortened)
                        .toList()
                : List.of();
    }

    private String shortened(String line) {
        return line.replace(folder + "/", "");
    }

    private EgressProxy.Builder builder(Map<String, String> environment) {
        return EgressProxy.builder()
                .config(file)
                .catalog(catalog())
                .environment(environment)
                .loops(1);
    }

    private List<String> startProblems(Map<String, String> environment) {
        try (EgressProxy proxy = builder(environment).build()) {
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);
            return refused == null ? List.of() : refused.problems();
        }
    }

    /** Starts with a good file, then reads the bad one. */
    private List<String> reloadProblems(String yaml, Map<String, String> environment) throws IOException {
        Files.writeString(file, good());
        try (EgressProxy proxy = builder(Map.of()).build()) {
            proxy.start();
            Files.writeString(file, yaml);
            if (!environment.isEmpty()) {
                return startProblems(environment); // the environment of a process does not change
            }
            return proxy.reload() instanceof ReloadResult.Refused refused
                    ? refused.problems().stream().map(ConfigProblem::toString).toList()
                    : List.of();
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> warned(String yaml) throws IOException {
        Files.writeString(file, yaml);
        return EgressProxy.check(ConfigLoader.load(file, Map.of(), catalog())).warnings().stream()
                .map(ConfigProblem::toString)
                .map(this::shortened)
                .toList();
    }

    @Test
    void whatIsAllowedAndProbablyNotMeantIsAWarning() throws Exception {
        assertThat(warned(good() + "transforms: [{name: holder, config: {tokens: [], fail: doubtful}}]\n"))
                .containsExactly("f.yaml:7:56: /transforms/0/config/fail: doubtful (expected: certainty)");
    }

    @Test
    void aPipelineThatLimitsNothingIsToldAndRefusedByAStrictCheck() throws Exception {
        String nothing = "nothing limits where requests may go: no transform here refuses any destination"
                + " (expected: an allowlist, or another transform that refuses what it does not know)";
        String any = "transforms: [{name: gate, config: {rules: [{host: '*'}]}}]\n";
        String some = "transforms: [{name: gate, config: {rules: [{host: a.test}]}}]\n";

        assertThat(warned(good())).containsExactly("f.yaml:1:1: /transforms: " + nothing);
        assertThat(warned(good() + any)).containsExactly("f.yaml:7:13: /transforms: " + nothing);
        assertThat(warned(good() + some)).isEmpty();

        String strict = good().replace("proxy: {", "proxy: {lint: strict, ");
        assertThat(report(strict + any, Map.of())).containsExactly("f.yaml:7:13: /transforms: " + nothing);
        assertThat(report(strict + some, Map.of())).isEmpty();
    }

    private String good() {
        return LISTENERS + "tls:\n  ca_cert: ca.pem\n  ca_key: ca.key\n";
    }

    @Test
    void aTypoAndBadCertificatesAreToldTogetherEachAtItsPlace() throws Exception {
        // given
        Files.writeString(folder.resolve("garbage.pem"), "nothing of the kind");
        String yaml = LISTENERS + """
                tls:
                  ca_cert: missing.pem
                  ca_key: garbage.pem
                  upstream_ca: garbage.pem
                log: {levle: info}
                """;

        // when, then
        List<String> expected = List.of(
                "f.yaml:5:12: /tls/ca_cert: missing.pem: no such file (expected: a PEM file)",
                "f.yaml:6:11: /tls/ca_key: garbage.pem: no private key block, found: none"
                        + " (expected: PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY in PEM)",
                "f.yaml:7:16: /tls/upstream_ca: garbage.pem: no certificate block, found: none (expected: CERTIFICATE in PEM)",
                "f.yaml:8:7: /log/levle: unknown key \"levle\" (expected: level?)");
        assertThat(checked(yaml, Map.of())).isEqualTo(expected);
        assertThat(report(yaml, Map.of())).isEqualTo(expected);
    }

    @Test
    void certificatesAreCheckedForWhatTheyAre() throws Exception {
        // given: the origin's certificate is none of an authority, and its key is another
        String yaml = LISTENERS + "tls: {ca_cert: origin.pem, ca_key: ca.key, cert_cache_size: 0}\n";

        assertThat(checked(yaml, Map.of()))
                .containsExactly(
                        "f.yaml:4:16: /tls/ca_cert: origin.pem: not a CA certificate (expected: basic constraints with CA:TRUE)",
                        "f.yaml:4:36: /tls/ca_key: ca.key: the key does not belong to the certificate origin.pem",
                        "f.yaml:4:61: /tls/cert_cache_size: out of range: 0 (expected: at least 1)");
    }

    @Test
    void anEncryptedKeyIsToldAtItsPlace() throws Exception {
        Files.writeString(
                folder.resolve("locked.key"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");

        assertThat(report(LISTENERS + "tls:\n  ca_cert: ca.pem\n  ca_key: locked.key\n", Map.of()))
                .containsExactly("f.yaml:6:11: /tls/ca_key: locked.key: the private key is encrypted"
                        + " (expected: a key without passphrase)");
    }

    @Test
    void certificatesThatAVariableNamesAreToldThere() throws Exception {
        Map<String, String> environment =
                Map.of("SALLYPORT_TLS_CA_CERT", "nowhere.pem", "SALLYPORT_TLS_CA_KEY", "ca.key");

        assertThat(checked(LISTENERS, environment))
                .containsExactly("environment:SALLYPORT_TLS_CA_CERT: /tls/ca_cert: nowhere.pem: no such file"
                        + " (expected: a PEM file)");
        assertThat(report(LISTENERS, environment)).isEqualTo(checked(LISTENERS, environment));
    }

    @Test
    void whatTheApplicationChecksIsToldAtTheStartAndAtAReload() throws Exception {
        Files.writeString(file, good());
        AtomicReference<List<ConfigProblem>> wrong = new AtomicReference<>(List.of());
        try (EgressProxy proxy =
                builder(Map.of()).configCheck(loaded -> wrong.get()).build()) {
            proxy.start();
            List<ConfigProblem> found = List.of(new ConfigProblem(new Location("f", 1, 2), "/x", "wrong", "right"));
            wrong.set(found);

            assertThat(proxy.reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems()).isEqualTo(found));
            assertThat(proxy.generation()).isEqualTo(1);
            try (EgressProxy second =
                    builder(Map.of()).configCheck(loaded -> wrong.get()).build()) {
                assertThatThrownBy(second::start)
                        .isInstanceOf(StartException.class)
                        .hasMessage("f:1:2: /x: wrong (expected: right)");
            }
        }
    }

    @Test
    void secretsThatCannotBeReadAreToldWhereTheyStand() throws Exception {
        String yaml = good() + """
                transforms:
                  - name: holder
                    config:
                      tokens:
                        - {type: env, var: ONE}
                        - type: env
                          var: ""
                """;

        assertThat(checked(yaml, Map.of())).isEmpty();
        assertThat(report(yaml, Map.of()))
                .containsExactly(
                        "f.yaml:11:11: /transforms/0/config/tokens/0: ONE is not set",
                        "f.yaml:13:16: /transforms/0/config/tokens/1/var: an empty name (expected: the name of a variable)");
    }

    @Test
    void filesThatATransformCannotReadAreToldBeforeItIsMade() throws Exception {
        String yaml = good() + """
                transforms:
                  - {name: holder, config: {tokens: [], file: nowhere/key.json}}
                  - {name: holder, config: {tokens: [], file: .}}
                  - {name: holder, config: {tokens: [], file: ca.key}}
                """;

        List<String> expected = List.of(
                "f.yaml:8:47: /transforms/0/config/file: nowhere/key.json: no such file"
                        + " (expected: a file that this user may read)",
                "f.yaml:9:47: /transforms/1/config/file: " + folder
                        + ": a folder (expected: a file that this user may read)");
        assertThat(checked(yaml, Map.of())).isEqualTo(expected);
        assertThat(report(yaml, Map.of())).isEqualTo(expected);
    }

    @Test
    void whatAFactoryRefusesIsToldWhereItStands() throws Exception {
        String yaml = good() + "transforms:\n  - name: holder\n    config:\n      tokens: []\n      fail: now\n";

        assertThat(report(yaml, Map.of()))
                .containsExactly("f.yaml:11:13: /transforms/0/config/fail: told to fail (expected: nothing)");
    }
}
