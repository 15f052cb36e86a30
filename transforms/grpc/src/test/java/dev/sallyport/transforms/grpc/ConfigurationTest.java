package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://policy:9000|it begins with the scheme http:// (expected: host:port, such as policy.example.com:9000; tls.enabled enables TLS)",
                "dns:///policy:9000|it begins with the scheme dns:// (expected: host:port, such as policy.example.com:9000; tls.enabled enables TLS)",
                "unix:/run/policy.sock|a Unix socket (expected: host:port, such as policy.example.com:9000)",
                "policy:9000/v1|holds a path (expected: host:port, such as policy.example.com:9000)",
                "policy|it has no port (expected: host:port, such as policy.example.com:9000)",
                "[::1]|it has no port (expected: host:port, such as policy.example.com:9000)",
                "':9000'|it has no host (expected: host:port, such as policy.example.com:9000)",
                "::1:9000|it is an IPv6 address without brackets (expected: [address]:port, such as [2001:db8::1]:9000)",
                "policy:0|the port is invalid (expected: 1 to 65535)",
                "policy:65536|the port is invalid (expected: 1 to 65535)",
                "policy:http|the port is invalid (expected: 1 to 65535)",
                "' '|empty (expected: host:port, such as policy.example.com:9000)"
            })
    void aTargetIsHostAndPort(String target, String problem) {
        assertThat(problems("name: one, target: \"" + target + "\""))
                .singleElement()
                .asString()
                .contains("/transforms/0/config/target: " + problem);
    }

    @ParameterizedTest
    @CsvSource({"policy:9000", "'[::1]:9000'", "192.0.2.1:1", "POLICY.example.com.:65535"})
    void hostsOfAllKindsAreTargets(String target) {
        assertThat(problems("name: one, target: \"" + target + "\"")).isEmpty();
    }

    @Test
    void everythingThatIsWrongIsToldAtOnce() {
        assertThat(problems("name: \"\", target: \"policy\", timeout: 0s, tls: {enabled: true, cert: a.pem}"))
                .extracting(ConfigProblem::pointer)
                .containsExactlyInAnyOrder(
                        "/transforms/0/config/name",
                        "/transforms/0/config/target",
                        "/transforms/0/config/timeout",
                        "/transforms/0/config/tls/key");
    }

    @Test
    void filesWithoutTlsAreAMistake() {
        assertThat(problems("name: one, target: \"policy:9000\", tls: {ca_cert: a.pem, cert: b.pem, key: c.pem}"))
                .hasSize(3)
                .allSatisfy(problem -> assertThat(problem.message()).contains("TLS is not enabled"));
    }

    @Test
    void certificateAndKeyGoTogether() {
        assertThat(problems("name: one, target: \"policy:9000\", tls: {enabled: true, key: b.pem}"))
                .singleElement()
                .asString()
                .contains("/tls/cert: missing although key is set (expected: cert and key together, or neither)");
    }

    @Test
    void twoOfOneNameAreRefused() {
        List<ConfigProblem> problems = TransformHarness.of("""
                transforms:
                  - {name: grpc, config: {name: one, target: "policy:9000"}}
                  - {name: grpc, config: {name: one, target: "policy:9001"}}
                """).problems();

        assertThat(problems).singleElement().asString().contains("/transforms/1/config/name");
    }

    private static List<ConfigProblem> problems(String config) {
        return TransformHarness.of("transforms: [{name: grpc, config: {" + config + "}}]\n")
                .problems();
    }
}
