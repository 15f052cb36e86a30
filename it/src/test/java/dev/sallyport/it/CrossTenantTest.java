package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two workloads with the same placeholder and different secrets on one proxy: 200 cross attempts never get the other's
 * value.
 */
@Timeout(300)
class CrossTenantTest {

    private static final int TIMES = 10;
    private static final CrossAttempts.Tenant ALICE = tenant("alice");
    private static final CrossAttempts.Tenant BOB = tenant("bob");

    @TempDir
    Path folder;

    private CrossAttempts attempts;
    private TestOrigin plain;
    private TestProxy proxy;

    private static CrossAttempts.Tenant tenant(String name) {
        return new CrossAttempts.Tenant(name, Tenants.password(name), Tenants.value(name));
    }

    @BeforeEach
    void open() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        attempts = new CrossAttempts(certificates, head -> Wire.field(head, "X-Key"));
        plain = attempts.plain();
        proxy = TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(Tenants.catalog())
                .proxyLines("upstream_deny_cidrs: []", "proxy_protocol: {from: [127.0.0.50]}")
                .sections("transforms: []\n")
                .start();
        attempts.through(proxy);
        PipelineUpdate.Builder update = PipelineUpdate.builder();
        for (String name : new String[] {"alice", "bob"}) {
            Tenants.secret(update, name)
                    .upsert(Tenants.user(name)
                            .pipeline(Tenants.pipeline(name, "127.0.0.1", "localhost"))
                            .build());
        }
        int last = 8;
        for (String name : new String[] {"left", "right"}) {
            Tenants.secret(update, name)
                    .upsert(WorkloadSpec.builder(name)
                            .sourceCidr("127.0.0." + last)
                            .sourceCidr("192.0.2." + last++)
                            .pipeline(Tenants.pipeline(name, "127.0.0.1", "localhost"))
                            .build());
        }
        Tenants.applyAll(proxy, update);
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
        attempts.close();
    }

    /** A name passes to another workload, with another password, while a tunnel of the former user is open. */
    @Test
    void aTunnelDoesNotPassToAnotherWorkloadWithTheNameOfItsUser() throws Exception {
        try (Wire one = attempts.connected(ALICE, plain);
                Wire other = attempts.socks(ALICE, plain)) {
            one.send(attempts.get(plain, false, attempts.next()));
            assertThat(one.message().status()).isEqualTo(200);
            other.send(attempts.get(plain, false, attempts.next()).replace("127.0.0.1:", "localhost:"));
            assertThat(other.message().status()).isEqualTo(200);

            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder()
                            .remove("alice")
                            .unclaimed(Tenants.pipeline("left", "127.0.0.1", "localhost"))
                            .upsert(WorkloadSpec.builder("bob")
                                    .user("bob", SecretValue.of(Tenants.password("bob")))
                                    .user("alice", SecretValue.of("another-password"))
                                    .pipeline(Tenants.pipeline("bob", "127.0.0.1", "localhost"))
                                    .build()));

            for (Wire kept : List.of(one, other)) {
                String attempt = attempts.next();
                String request = attempts.get(plain, false, attempt);
                kept.send(kept == one ? request : request.replace("127.0.0.1:", "localhost:"));
                Wire.Message answer = kept.message();
                assertThat(answer.status()).as(answer.body()).isEqualTo(403);
                assertThat(answer.body()).contains("unknown_workload");
                attempts.assertNothing(attempt);
            }
        }
    }

    @Test
    void aHandshakeOfSocksIsJudgedByThePasswordInForceWhenItIsShown() throws Exception {
        try (Wire client = proxy.tunnel().send("\5\1\2")) {
            assertThat(client.read(2)).isEqualTo("\5\2");

            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder()
                            .upsert(WorkloadSpec.builder("alice")
                                    .user("alice", SecretValue.of("another-password"))
                                    .pipeline(Tenants.pipeline("alice", "127.0.0.1", "localhost"))
                                    .build()));

            byte[] name = "alice".getBytes(StandardCharsets.UTF_8);
            byte[] secret = Tenants.password("alice").getBytes(StandardCharsets.UTF_8);
            client.send(new byte[] {1, (byte) name.length}).send(name).send(new byte[] {(byte) secret.length});
            client.send(secret);
            assertThat(client.read(2)).isEqualTo("\1\1");
        }
    }

    @Test
    void twoHundredCrossAttemptsNeverGetTheOthersValue() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            attempts.between(i % 2 == 0 ? ALICE : BOB, i % 2 == 0 ? BOB : ALICE, Tenants.PLACEHOLDER);
            addresses();
            proxyProtocol();
        }
        assertThat(attempts.count()).isGreaterThanOrEqualTo(200);
    }

    /** A user at the address of another workload, and that workload itself. */
    private void addresses() throws Exception {
        String attempt = attempts.next();
        try (Wire client = Tenants.from("127.0.0.8", proxy.proxy().tunnelAddress())) {
            client.send(attempts.get(plain, true, attempt, Tenants.as("alice")));
            assertThat(client.message().status()).isEqualTo(403);
        }
        attempts.assertNothing(attempt);
        String left = attempts.next();
        try (Wire client = Tenants.from("127.0.0.8", proxy.proxy().httpAddress())) {
            client.send(attempts.get(plain, false, left));
            assertThat(client.message().status()).isEqualTo(200);
        }
        attempts.assertArrived(left, Tenants.value("left"));
        String right = attempts.next();
        try (Wire client = Tenants.from("127.0.0.9", proxy.proxy().httpAddress())) {
            client.send(attempts.get(plain, false, right));
            assertThat(client.message().status()).isEqualTo(200);
        }
        attempts.assertArrived(right, Tenants.value("right"));
    }

    /** A balancer says who calls; somebody who only claims to be one is not believed. */
    private void proxyProtocol() throws Exception {
        String right = attempts.next();
        try (Wire client = Tenants.from("127.0.0.50", proxy.proxy().httpAddress())) {
            client.send("PROXY TCP4 192.0.2.9 192.0.2.1 1234 80\r\n" + attempts.get(plain, false, right));
            assertThat(client.message().status()).isEqualTo(200);
        }
        attempts.assertArrived(right, Tenants.value("right"));
        String claimed = attempts.next();
        try (Wire client = Tenants.from("127.0.0.8", proxy.proxy().httpAddress())) {
            client.send("PROXY TCP4 192.0.2.9 192.0.2.1 1234 80\r\n" + attempts.get(plain, false, claimed));
            client.readToEnd();
        }
        assertThat(attempts.arrived(claimed)).isNotEqualTo(Tenants.value("right"));
    }
}
