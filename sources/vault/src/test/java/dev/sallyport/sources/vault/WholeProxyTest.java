package dev.sallyport.sources.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.testkit.SourceGate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sources inside a proxy: its client carries the calls, values are renewed, kept and told about. */
@Timeout(60)
class WholeProxyTest {

    private static final List<SecretSourceFactory<?>> SOURCES =
            List.of(new VaultConnectSourceFactory(), new VaultSourceFactory());

    private static final String VAULT = "ftz4pm2xxwmwrsd7rjqn7grzfz";

    @TempDir
    Path folder;

    private static ConnectServer set(ConnectServer server, String value) throws Exception {
        return server.clear().vault(VAULT, "Production", """
                        {"id": "2fcbqwe9ndg175zg2dzwftvkpa", "title": "GitHub",
                         "fields": [{"id": "x", "label": "token", "value": "%s"}]}
                        """.formatted(value));
    }

    /** The source, with more fields. */
    private static String source(String type, String more) {
        return "{type: " + type + ", secret_ref: \"op://Production/GitHub/token\"" + more + "}";
    }

    private static Map<String, String> environment(ConnectServer server) {
        return Map.of("VAULT_CONNECT_HOST", server.url(), "VAULT_CONNECT_TOKEN", ConnectServer.TOKEN);
    }

    /** Sends requests until they carry the value; all of them succeed, with a value that was right at some time. */
    private static void awaitValue(SourceGate gate, String before, String after) throws Exception {
        String seen = gate.send();
        while (!seen.equals(after)) {
            assertThat(seen).isEqualTo(before);
            seen = gate.send();
        }
    }

    @Test
    void theServiceLoaderFindsBoth() {
        assertThat(ServiceLoader.load(SecretSourceFactory.class))
                .extracting(found -> found.descriptor().name())
                .contains("vault", "vault_connect");
    }

    @Test
    void requestsCarryTheNewValueOnceTheTtlHasPassedAndNoneFails() throws Exception {
        try (ConnectServer server = set(new ConnectServer(), "one");
                SourceGate gate =
                        new SourceGate(folder, SOURCES, source("vault_connect", ", ttl: 50ms"), environment(server))) {
            assertThat(gate.send()).isEqualTo("one");
            set(server, "two");

            awaitValue(gate, "one", "two");

            server.always(503, "");
            int before = server.requests().size();
            while (server.requests().size() < before + 2) {
                assertThat(gate.send()).isEqualTo("two");
            }
        }
    }

    @Test
    void aReloadKeepsTheValue() throws Exception {
        try (ConnectServer server = set(new ConnectServer(), "one");
                SourceGate gate = new SourceGate(folder, SOURCES, source("vault_connect", ""), environment(server))) {
            int before = server.requests().size();
            set(server, "two");

            assertThat(gate.reload()).isInstanceOf(ReloadResult.Reloaded.class);

            assertThat(gate.send()).isEqualTo("one");
            assertThat(server.requests()).hasSize(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vault_connect", "1password_connect"})
    void aSecretThatCannotBeReadStopsTheStartAtItsPlace(String type) throws Exception {
        try (ConnectServer server = new ConnectServer();
                EgressProxy proxy = SourceGate.proxy(folder, SOURCES, source(type, ""), environment(server))) {
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);

            assertThat(refused.problems())
                    .containsExactly("proxy.yaml:12:14: /transforms/0/config/token: " + type
                            + " op://Production/GitHub/token: there is no vault \"Production\", or the token may not see"
                            + " it");
        }
    }

    @Test
    void whatIsWrongWithTheFieldsIsToldAtTheirPlaces() throws Exception {
        String strange = "{type: vault_connect, secret_ref: \"op://a/b\", host_env: \"A=B\"}";

        try (EgressProxy proxy = SourceGate.proxy(folder, SOURCES, strange, Map.of())) {
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);

            assertThat(refused.problems())
                    .containsExactly(
                            "proxy.yaml:12:48: /transforms/0/config/token/secret_ref: a reference to a secret with 2"
                                    + " parts instead of 3 or 4 (expected: op://<vault>/<item>/[<section>/]<field>)",
                            "proxy.yaml:12:70: /transforms/0/config/token/host_env: not the name of an environment variable"
                                    + " (expected: a name such as VAULT_CONNECT_HOST)");
        }
    }

    /** docs/spec/decisions.md, section 17: sources go out through the parent. */
    @Test
    void theCommandIsToldTheParentProxy() throws Exception {
        Path script = Files.writeString(
                folder.resolve("op"), "#!/bin/sh\nprintf '%s|%s|%s' \"$HTTPS_PROXY\" \"$HTTP_PROXY\" \"$NO_PROXY\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> environment = Map.of(
                "VAULT_SERVICE_ACCOUNT_TOKEN",
                "ops_token",
                "PATH",
                folder + ":" + System.getenv("PATH"),
                "SALLYPORT_PROXY_UPSTREAM_PROXY_HTTPS_PROXY",
                "http://ann:p%40ss@proxy.test:3128",
                "SALLYPORT_PROXY_UPSTREAM_PROXY_NO_PROXY",
                "localhost");

        try (SourceGate gate = new SourceGate(folder, SOURCES, source("vault", ""), environment)) {
            assertThat(gate.send()).isEqualTo("http://ann:p%40ss@proxy.test:3128||localhost");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vault", "1password"})
    void theCommandIsRunAgainWhenTheTtlHasPassed(String type) throws Exception {
        Path script = Files.writeString(folder.resolve("op"), "#!/bin/sh\ncat \"$HOME/value\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("value"), "{\"a\": {\"b\": \"one\"}}");
        Map<String, String> environment = Map.of(
                "VAULT_SERVICE_ACCOUNT_TOKEN",
                "ops_token",
                "HOME",
                folder.toString(),
                "PATH",
                folder + ":" + System.getenv("PATH"));

        try (SourceGate gate =
                new SourceGate(folder, SOURCES, source(type, ", json_key: /a/b, ttl: 50ms"), environment)) {
            assertThat(gate.send()).isEqualTo("one");
            Path next = Files.writeString(folder.resolve("next"), "{\"a\": {\"b\": \"two\"}}");
            Files.move(next, folder.resolve("value"), StandardCopyOption.ATOMIC_MOVE);

            awaitValue(gate, "one", "two");
        }
    }
}
