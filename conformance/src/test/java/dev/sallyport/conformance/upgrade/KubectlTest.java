package dev.sallyport.conformance.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.OriginFiles;
import dev.sallyport.conformance.Programs;
import dev.sallyport.testsupport.TestDnsServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kubectl exec -i} through a tunnel: it switches to SPDY/3.1, and newer ones to a WebSocket where they can. */
class KubectlTest {

    private static final String HOST = "kube.test";

    @TempDir
    Path folder;

    private final byte[] sent = new byte[1 << 20];
    private TestDnsServer names;
    private OriginFiles files;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Programs.work("kubectl", "version", "--client"), "kubectl is not installed");
        new Random(4711).nextBytes(sent);
        files = new OriginFiles(folder, HOST);
        names = new TestDnsServer().address(HOST, "127.0.0.1", 60);
    }

    @AfterEach
    void stop() {
        if (names != null) {
            names.close();
        }
    }

    private Gate gate(String rule) throws Exception {
        return UpgradeGates.start(folder, names, Files.readString(files.certificate), HOST, rule, Map.of());
    }

    private Programs.Ended exec(Gate gate, KubernetesOrigin origin) throws Exception {
        return Programs.runAny(
                folder,
                Map.of("HOME", folder.toString(), "HTTPS_PROXY", "http://127.0.0.1:" + gate.tunnelPort()),
                sent,
                List.of(
                        "kubectl",
                        "--kubeconfig=/dev/null",
                        "--server=https://" + HOST + ":" + origin.port(),
                        "--certificate-authority=" + gate.caFile(),
                        "--token=" + UpgradeGates.PLACEHOLDER,
                        "exec",
                        "-i",
                        "box",
                        "--",
                        "cat"));
    }

    private static JsonNode recordOfSwitch(Gate gate) throws InterruptedException {
        JsonNode record = gate.record();
        while (record.at("/audit/status_code").asInt() != 101) {
            record = gate.record();
        }
        return record;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void execCarriesBytesBothWaysAndTheEndOfTheInput(boolean webSockets) throws Exception {
        try (KubernetesOrigin origin = new KubernetesOrigin(files.context(), webSockets);
                Gate gate = gate(", upgrade: [spdy/3.1]")) {
            Programs.Ended ended = exec(gate, origin);

            assertThat(ended.err())
                    .contains(KubernetesOrigin.end(sent.length))
                    .contains("exit code " + KubernetesOrigin.EXIT_CODE);
            assertThat(ended.out()).isEqualTo(sent);
            assertThat(ended.code()).isEqualTo(KubernetesOrigin.EXIT_CODE);
            assertThat(origin.seen)
                    .allMatch(seen -> seen.endsWith(" Bearer " + UpgradeGates.VALUE))
                    .anyMatch(seen -> seen.endsWith("/exec [SPDY/3.1] Bearer " + UpgradeGates.VALUE)
                            || (webSockets && seen.endsWith("/exec [websocket] Bearer " + UpgradeGates.VALUE)));
            JsonNode record = recordOfSwitch(gate);
            assertThat(record.at("/audit/request_bytes").asInt()).isGreaterThan(sent.length);
            assertThat(record.has("error")).isFalse();
        }
    }

    @Test
    void execNamesTheOptionWhereNoRuleListsTheProtocol() throws Exception {
        try (KubernetesOrigin origin = new KubernetesOrigin(files.context(), false);
                Gate gate = gate("")) {
            Programs.Ended ended = exec(gate, origin);

            assertThat(ended.err()).contains("unable to upgrade connection", "must say upgrade: [spdy/3.1]");
            assertThat(ended.code()).isNotZero();
            assertThat(origin.seen).noneMatch(seen -> seen.startsWith("POST "));
        }
    }
}
