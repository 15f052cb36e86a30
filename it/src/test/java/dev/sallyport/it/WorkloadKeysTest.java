package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Passwords that tell by themselves whose they are, and credentials that are nobody's. */
@Timeout(120)
class WorkloadKeysTest {

    @TempDir
    Path folder;

    private TestOrigin origin;
    private TestProxy proxy;

    @BeforeEach
    void open() throws Exception {
        origin = TestOrigin.of(peer -> {
            while (true) {
                peer.readHead();
                peer.send(TestOrigin.ok("hello"));
            }
        });
        proxy = TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .proxyLines("upstream_deny_cidrs: []")
                .sections("transforms: []\n")
                .start();
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
        origin.close();
    }

    private static byte[] digest(String password) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.UTF_8));
    }

    private static WorkloadSpec.Builder keyed(String workload, String user, String key) throws Exception {
        return WorkloadSpec.builder(workload).keyWithDigest(user, digest(key));
    }

    private void apply(PipelineUpdate.Builder update) throws Exception {
        Tenants.applyAll(proxy, update);
    }

    private Wire.Message get(String... lines) throws Exception {
        try (Wire client = proxy.tunnel()) {
            return client.send("GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: " + origin.authority() + "\r\n"
                            + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n")
                    .message();
        }
    }

    private String workload() throws Exception {
        return proxy.record().at("/audit/workload").asText();
    }

    @Test
    void aKeyIsTheSameUserUnderAnyName() throws Exception {
        apply(PipelineUpdate.builder()
                .upsert(keyed("a", "key-1", "the-key").build())
                .upsert(WorkloadSpec.builder("b")
                        .userWithDigest("bob", digest("his"))
                        .build()));

        for (String name : new String[] {"key-1", "anything", "", "bob"}) {
            assertThat(get(Tenants.basic(name, "the-key")).status()).as(name).isEqualTo(200);
            assertThat(workload()).as(name).isEqualTo("a");
        }
        assertThat(get(Tenants.basic("bob", "his")).status()).isEqualTo(200);
        assertThat(workload()).isEqualTo("b");
        assertThat(get(Tenants.basic("anything", "his")).status()).isEqualTo(407);
        assertThat(get(Tenants.basic("key-1", "his")).status()).isEqualTo(407);
    }

    @Test
    void aKeyThatTwoUsersHaveOpensNothingUnderOtherNames() throws Exception {
        apply(PipelineUpdate.builder()
                .upsert(keyed("a", "key-1", "the-key").build())
                .upsert(keyed("b", "key-2", "the-key").build()));

        assertThat(get(Tenants.basic("x", "the-key")).status()).isEqualTo(407);
        assertThat(get(Tenants.basic("key-2", "the-key")).status()).isEqualTo(200);

        apply(PipelineUpdate.builder().remove("a"));
        assertThat(get(Tenants.basic("x", "the-key")).status()).isEqualTo(200);
    }

    /** A key is taken from a workload while a tunnel of its user is open. */
    @Test
    void aKeyThatIsTakenAwayOpensNothingAndItsTunnelsEnd() throws Exception {
        apply(PipelineUpdate.builder()
                .upsert(keyed("a", "key-1", "the-key")
                        .keyWithDigest("key-2", digest("another"))
                        .build()));
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: x", Tenants.basic("x", "the-key")));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");

            apply(PipelineUpdate.builder().upsert(keyed("a", "key-2", "another").build()));

            assertThat(get(Tenants.basic("x", "the-key")).status()).isEqualTo(407);
            assertThat(get(Tenants.basic("x", "another")).status()).isEqualTo(200);
            assertThat(tunnel.readToEnd()).isEmpty();
        }
    }

    @Test
    void credentialsThatAreNobodysAreIgnoredUnlessTheyAreToBeChecked() throws Exception {
        assertThat(get(Tenants.basic("x", "y")).status()).isEqualTo(200);

        apply(PipelineUpdate.builder().checkCredentials());

        assertThat(get(Tenants.basic("x", "y")).status()).isEqualTo(407);
        assertThat(get().status()).isEqualTo(200);
    }
}
