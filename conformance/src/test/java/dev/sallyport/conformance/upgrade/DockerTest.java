package dev.sallyport.conformance.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.OriginFiles;
import dev.sallyport.conformance.Programs;
import dev.sallyport.testsupport.TestDnsServer;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code docker exec -i}, which switches to {@code tcp} behind a request with a body. It asks no proxy for that, whatever
 * variables say, so that the name has to lead it: in a mount namespace of its own, where a file of hosts says so.
 */
class DockerTest {

    private static final String HOST = "docker.test";
    private static final String ORIGIN_ADDRESS = "127.0.0.2";
    private static final String PROXY_ADDRESS = "127.0.0.3";

    @TempDir
    Path folder;

    private final byte[] sent = new byte[1 << 20];
    private TestDnsServer names;
    private OriginFiles files;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Programs.work("docker", "--version"), "docker is not installed");
        assumeTrue(Programs.work("unshare", "--mount", "true"), "needs mount namespaces");
        new Random(4711).nextBytes(sent);
        files = new OriginFiles(folder, HOST);
        names = new TestDnsServer().address(HOST, ORIGIN_ADDRESS, 60);
        Files.writeString(folder.resolve("hosts"), PROXY_ADDRESS + " " + HOST + "\n");
        Files.writeString(
                folder.resolve("config.json"),
                "{\"HttpHeaders\": {\"Authorization\": \"Bearer " + UpgradeGates.PLACEHOLDER + "\"}}");
    }

    @AfterEach
    void stop() {
        if (names != null) {
            names.close();
        }
    }

    private DockerOrigin origin(boolean secure) throws Exception {
        return new DockerOrigin(InetAddress.getByName(ORIGIN_ADDRESS), secure ? files.context() : null);
    }

    /** Steering changes no port: the proxy listens at that of the origin. */
    private Gate gate(DockerOrigin origin, boolean secure, String rule) throws Exception {
        return UpgradeGates.start(
                folder,
                names,
                Files.readString(files.certificate),
                HOST,
                rule,
                Map.of(
                        secure ? "SALLYPORT_PROXY_HTTPS_LISTEN" : "SALLYPORT_PROXY_HTTP_LISTEN",
                        PROXY_ADDRESS + ":" + origin.port()));
    }

    private Programs.Ended exec(Gate gate, DockerOrigin origin, boolean secure) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind hosts /etc/hosts && exec \"$@\"",
                "sh",
                "docker",
                "--config",
                folder.toString(),
                "--host",
                "tcp://" + HOST + ":" + origin.port()));
        if (secure) {
            command.addAll(List.of("--tlsverify", "--tlscacert", gate.caFile().toString()));
        }
        command.addAll(List.of("exec", "-i", "box", "cat"));
        return Programs.runAny(folder, Map.of("HOME", folder.toString()), sent, command);
    }

    private static JsonNode recordOfStart(Gate gate) throws InterruptedException {
        JsonNode record = gate.record();
        while (!record.at("/audit/path").asText().endsWith("/start")) {
            record = gate.record();
        }
        return record;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void execCarriesBytesBothWaysAndTheEndOfTheInput(boolean secure) throws Exception {
        try (DockerOrigin origin = origin(secure);
                Gate gate = gate(origin, secure, ", upgrade: [tcp]")) {
            Programs.Ended ended = exec(gate, origin, secure);

            assertThat(ended.err()).isEqualTo(DockerOrigin.end(sent.length));
            assertThat(ended.out()).isEqualTo(sent);
            assertThat(ended.code()).isEqualTo(DockerOrigin.EXIT_CODE);
            assertThat(origin.seen)
                    .allMatch(seen -> seen.endsWith(" Bearer " + UpgradeGates.VALUE))
                    .anyMatch(seen -> seen.contains("/exec/1/start HTTP/1.1 [tcp] "));
            JsonNode record = recordOfStart(gate);
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/request_bytes").asInt()).isGreaterThan(sent.length);
            assertThat(record.has("error")).isFalse();
        }
    }

    /** It shows the status alone; a daemon without the field would start the command and wait for its input. */
    @Test
    void execEndsAtOnceWhereNoRuleListsTheProtocol() throws Exception {
        try (DockerOrigin origin = origin(false);
                Gate gate = gate(origin, false, "")) {
            Programs.Ended ended = exec(gate, origin, false);

            assertThat(ended.err()).contains("unable to upgrade to tcp, received 403");
            assertThat(ended.code()).isNotZero();
            assertThat(origin.seen).noneMatch(seen -> seen.contains("/exec/1/start"));
            assertThat(recordOfStart(gate).path("upgrade_dropped").asText()).isEqualTo("tcp");
        }
    }
}
