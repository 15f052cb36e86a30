package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.it.CrossAttempts;
import dev.sallyport.it.Tenants;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shared proxy that comes back, with what it held or with what it kept on disk, is sent what differs. */
@Timeout(300)
class SharedResumeTest {

    private static final String VALUE = "secret-of-alice-0123456789";

    /** Of a secret of hers that nobody uses: what is sent again has it, and much more than anything else. */
    private static final int LARGE = 60_000;

    @TempDir
    Path folder;

    private TestCertificates certificates;
    private CrossAttempts attempts;
    private ControlSite site;
    private CountingRelay relay;
    private String token;
    private TestProxy proxy;
    private ControlApi alice;
    private ControlApi bob;
    private CrossAttempts.Tenant hers;

    @BeforeEach
    void begin() throws Exception {
        certificates = new TestCertificates(folder);
        attempts = new CrossAttempts(certificates, head -> Wire.field(head, "X-Key"), "SALLYPORT_PROXY_KEY");
        site = new ControlSite(folder.resolve("control"));
        relay = new CountingRelay(site.port());
        token = site.addShared("eu-1");
        alice = site.signUp();
        bob = site.signUp();
        SharedProxy.open(alice);
        SharedProxy.open(bob);
        secret("KEY", VALUE);
        secret("LARGE", "x".repeat(LARGE));
        hers = SharedProxy.workload(alice, "ci", VALUE);
        start();
        soon(() -> status(hers) == 200);
        assertThat(relay.received()).as("all is sent at first").isGreaterThan(LARGE);
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        relay.close();
        site.close();
        attempts.close();
    }

    private void start() throws Exception {
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, token))
                .proxyLines("upstream_deny_cidrs: []")
                .sections(ControlSite.section(relay.port(), "cache_dir: " + folder.resolve("cache")))
                .start();
        attempts.through(proxy);
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    private void secret(String name, String value) throws Exception {
        alice.send(
                "POST",
                "/v1/secrets",
                "{\"name\": \"" + name + "\", \"secret\": \"" + value + "\", \"env_var\": \"" + name + "\"}",
                201);
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void soon(Condition condition) {
        await().pollInterval(Duration.ofMillis(20)).atMost(Patience.seconds(60)).until(condition::holds);
    }

    private int status(CrossAttempts.Tenant tenant) throws Exception {
        try (Wire client = proxy.tunnel()) {
            return client.send(attempts.get(
                            attempts.plain(), true, attempts.next(), Tenants.basic(tenant.user(), tenant.password())))
                    .message()
                    .status();
        }
    }

    /** Bob's new workload comes in; returns how many bytes the proxy was sent until then. */
    private long sentUntilTheNewWorkloadComesIn(long before, CrossAttempts.Tenant made) throws Exception {
        soon(() -> status(made) == 200);
        assertThat(status(hers)).isEqualTo(200);
        return relay.received() - before;
    }

    @Test
    void aProxyWhoseConnectionIsCutOffIsSentWhatDiffers() throws Exception {
        long before = relay.received();
        relay.cut();

        CrossAttempts.Tenant made = SharedProxy.workload(bob, "late", "");

        assertThat(sentUntilTheNewWorkloadComesIn(before, made)).isLessThan(LARGE / 4);
    }

    @Test
    void aProxyThatStartsWithWhatItKeptIsSentWhatDiffers() throws Exception {
        proxy.close();
        CrossAttempts.Tenant made = SharedProxy.workload(bob, "late", "");
        long before = relay.received();

        start();

        assertThat(sentUntilTheNewWorkloadComesIn(before, made)).isLessThan(LARGE / 4);
        alice.send("POST", "/v1/egress/rules?wait=applied", "{\"host\": \"a.example\"}", 201);
        assertThat(relay.received() - before).as("her secrets are as they were").isLessThan(LARGE / 4);
        assertThat(status(hers)).isEqualTo(200);
    }
}
