package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code SALLYPORT_<SECTION>_<FIELD>} beats the file. */
class OverridesTest {

    @Test
    void theEnvironmentBeatsTheFile() {
        // when
        ProxyConfig config = Load.config(
                Load.VALID + "log: {level: info}\n",
                Map.of(
                        "SALLYPORT_LOG_LEVEL", "debug",
                        "SALLYPORT_PROXY_HTTP_LISTEN", ":8080",
                        "SALLYPORT_PROXY_HTTPS_LISTEN", "disabled",
                        "SALLYPORT_PROXY_MAX_REQUEST_BODY_BYTES", "5",
                        "SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS", "10.0.0.0/8, 192.0.2.0/24",
                        "SALLYPORT_PROXY_LIMITS_DRAIN_TIMEOUT", "5s",
                        "SALLYPORT_MANAGEMENT_LISTEN", "127.0.0.1:1",
                        "SALLYPORT_DNS_ENABLED", "false",
                        "SALLYPORT_MCP_ERROR_CODE", "-1",
                        "PATH", "/bin"));

        // then
        assertThat(config.log().level()).isEqualTo(LogSection.Level.DEBUG);
        assertThat(config.proxy().httpListen()).hasToString(":8080");
        assertThat(config.proxy().httpsListen()).isNull();
        assertThat(config.proxy().maxRequestBodyBytes()).isEqualTo(5);
        assertThat(config.proxy().upstreamDenyCidrs()).hasToString("[10.0.0.0/8, 192.0.2.0/24]");
        assertThat(config.proxy().limits().drainTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.management().listen()).hasToString("127.0.0.1:1");
        assertThat(config.dns().enabled()).isFalse();
        assertThat(((Plugins.Mcp) config.sections().get(0).config()).error().code())
                .isEqualTo(-1);
    }

    @Test
    void theEnvironmentAloneIsEnough() {
        assertThat(Load.config("", Map.of("SALLYPORT_DNS_ENABLED", "false", "SALLYPORT_TLS_MODE", "sni-only"))
                        .tls()
                        .mode())
                .isEqualTo(TlsSection.Mode.SNI_ONLY);
    }

    @Test
    void anEmptyVariableCountsAsUnsetAndBracketsAreTheEmptyList() {
        assertThat(Load.config(Load.VALID, Map.of("SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS", ""))
                        .proxy()
                        .upstreamDenyCidrs())
                .hasSize(4);
        assertThat(Load.config(Load.VALID, Map.of("SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS", "[]"))
                        .proxy()
                        .upstreamDenyCidrs())
                .isEmpty();
    }

    @Test
    void aProblemInAVariableNamesIt() {
        assertThat(Load.problems(
                        Load.VALID,
                        Map.of(
                                "SALLYPORT_PROXY_SNI_UPSTREAM_PORT", "https",
                                "SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS", "10.0.0.0/8,x",
                                "SALLYPORT_LOG_LEVEL", "loud")))
                .containsExactly(
                        "environment:SALLYPORT_LOG_LEVEL: /log/level: unknown value: \"loud\" (expected: one of debug, info, warn, error)",
                        "environment:SALLYPORT_PROXY_SNI_UPSTREAM_PORT: /proxy/sni_upstream_port: not an integer: \"https\""
                                + " (expected: a decimal integer without leading zeros)",
                        "environment:SALLYPORT_PROXY_UPSTREAM_DENY_CIDRS: /proxy/upstream_deny_cidrs/1: not an address range: \"x\""
                                + " (expected: a range such as 10.0.0.0/8 or 2001:db8::/32, or an address)");
    }

    @Test
    void aVariableThatLooksLikeAnOverrideButIsNoneIsAProblem() {
        assertThat(Load.problems(
                        Load.VALID,
                        Map.of(
                                "SALLYPORT_PROXY_HTTP_LISTN", ":1",
                                "SALLYPORT_LGO_LEVEL", "info",
                                "SALLYPORT_METRICS_NAMESPACE_OF_ALL", "x",
                                "SALLYPORT_TRANSFORMS_0_NAME", "x")))
                .containsExactly(
                        "environment:SALLYPORT_LGO_LEVEL: unknown variable (expected: SALLYPORT_LOG_LEVEL?)",
                        "environment:SALLYPORT_METRICS_NAMESPACE_OF_ALL: unknown variable (expected: one of SALLYPORT_METRICS_LISTEN, SALLYPORT_METRICS_NATIVE_HISTOGRAMS)",
                        "environment:SALLYPORT_PROXY_HTTP_LISTN: unknown variable (expected: SALLYPORT_PROXY_HTTP_LISTEN?)",
                        "environment:SALLYPORT_TRANSFORMS_0_NAME: unknown variable (expected: this setting in the file)");
    }

    @Test
    void whatHasNoVariableBelongsInTheFile() {
        String inFile = ": unknown variable (expected: this setting in the file)";
        assertThat(Load.problems(
                        Load.VALID,
                        Map.of(
                                "SALLYPORT_TRANSFORMS", "x",
                                "SALLYPORT_WORKLOADS", "x",
                                "SALLYPORT_DNS_RECORDS", "x",
                                "SALLYPORT_PROXY_AUTH_USERS_0_NAME", "x")))
                .containsExactly(
                        "environment:SALLYPORT_DNS_RECORDS" + inFile,
                        "environment:SALLYPORT_PROXY_AUTH_USERS_0_NAME" + inFile,
                        "environment:SALLYPORT_TRANSFORMS" + inFile,
                        "environment:SALLYPORT_WORKLOADS" + inFile);
        assertThat(Load.problems(Load.VALID, Map.of("SALLYPORT_METRICS", "x")))
                .containsExactly("environment:SALLYPORT_METRICS: unknown variable"
                        + " (expected: one of SALLYPORT_METRICS_LISTEN, SALLYPORT_METRICS_NATIVE_HISTOGRAMS)");
    }

    @Test
    void whatAnOptionalBlockLacksIsToldOfTheVariableThatMadeIt() {
        assertThat(Load.problems(Load.VALID, Map.of("SALLYPORT_PROXY_AUTH_REQUIRED", "true")))
                .singleElement()
                .asString()
                .startsWith("environment:SALLYPORT_PROXY_AUTH_REQUIRED: /proxy/auth/users: missing field \"users\"");
        assertThat(Load.problems("", Map.of("SALLYPORT_DNS_ENABLED", "false", "SALLYPORT_TLS_MODE", "mitm")))
                .isNotEmpty()
                .allMatch(problem -> problem.startsWith("f.yaml:1:1: /tls"));
    }

    @Test
    void otherVariablesOfTheSamePrefixAreWarnings() {
        ConfigResult result = Load.result(
                Load.VALID,
                Map.of(
                        "SALLYPORT_QUARTERLY_BUDGET", "1",
                        "SALLYPORT_HOME", "/x",
                        "SALLYPORT_SERVER", "http://127.0.0.1:8090",
                        "SALLYPORT_API_KEY", "k"));
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(ConfigReport.of(result.warnings()))
                .isEqualTo("environment:SALLYPORT_QUARTERLY_BUDGET: unknown variable, ignored"
                        + " (expected: SALLYPORT_<SECTION>_<FIELD>)\n");
    }

    @Test
    void variablesOfAWorkloadsShellAndOfCtlAreNoOverrides() {
        ConfigResult result = Load.result(
                Load.VALID,
                Map.of(
                        "SALLYPORT_PROXY", "http://127.0.0.1:3128",
                        "SALLYPORT_CA_DIR", "/home/ada/.sallyport",
                        "SALLYPORT_ROOTS", "/etc/ssl/certs/ca-certificates.crt",
                        "SALLYPORT_SSH", "/usr/bin/ssh",
                        "SALLYPORT_PROXY_TOKEN", "sp_proxy_x"));
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void variablesThatKubernetesSetsForServicesAreNoOverrides() {
        ConfigResult result = Load.result(
                Load.VALID,
                Map.of(
                        "SALLYPORT_SERVICE_HOST", "10.0.0.1",
                        "SALLYPORT_SERVICE_PORT_HTTP", "80",
                        "SALLYPORT_PORT", "tcp://10.0.0.1:80",
                        "SALLYPORT_PROXY_PORT", "tcp://10.0.0.1:80",
                        "SALLYPORT_PROXY_SERVICE_HOST", "10.0.0.1",
                        "SALLYPORT_PROXY_PORT_443_TCP_ADDR", "10.0.0.1"));
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void aVariableThatTheFileNamesIsNoOverride() {
        String text = Load.VALID + "management: {listen: ':1', api_key_env: SALLYPORT_MANAGEMENT_API_KEY}\n";
        assertThat(Load.problems(text, Map.of("SALLYPORT_MANAGEMENT_API_KEY", "s3cret")))
                .isEmpty();
    }

    @Test
    void aVariableCannotMendWhatIsNoMapping() {
        assertThat(Load.problems(Load.VALID + "log: loud\n", Map.of("SALLYPORT_LOG_LEVEL", "info")))
                .containsExactly("f.yaml:3:6: /log: wrong type: a string (expected: a mapping)");
    }

    @Test
    void everyFieldThatIsAScalarHasAVariable() {
        assertThat(new Overrides(Plugins.catalog(), new Findings()).targets().keySet())
                .contains(
                        "SALLYPORT_DNS_PROXY_IP",
                        "SALLYPORT_DNS_PASSTHROUGH",
                        "SALLYPORT_TLS_CA_CERT",
                        "SALLYPORT_TLS_UPSTREAM_CA",
                        "SALLYPORT_PROXY_AUTH_REQUIRED",
                        "SALLYPORT_PROXY_RELOAD_LONG_LIVED",
                        "SALLYPORT_PROXY_UPSTREAM_CONNECT_TIMEOUT",
                        "SALLYPORT_LOG_AUDIT_SLOTS")
                .noneMatch(name -> name.contains("TRANSFORMS") || name.contains("USERS"));
    }
}
