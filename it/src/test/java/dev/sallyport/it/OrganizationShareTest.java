package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.CompanionFactory;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An organization does not take what others need by having many workloads, or machines at many addresses: all of them
 * together get what one client gets.
 */
@Timeout(120)
class OrganizationShareTest {

    private static final int SLOTS = 64;

    /** More than there are slots: of each share the first slot is always allowed. */
    private static final int WORKLOADS = 80;

    private static final String OTHER_ADDRESS = "127.0.2.1";
    private static final String OTHER = "other";
    private static final String ASKING = head("GET http://a.test/x HTTP/1.1", "Host: a.test");

    @TempDir
    Path folder;

    private final BlockingQueue<CompletableFuture<Decision>> held = new LinkedBlockingQueue<>();
    private final List<Wire> hog = new ArrayList<>();

    private volatile boolean over;
    private volatile @Nullable AuditTaps taps;
    private TestProxy proxy;

    record HolderConfig() {}

    /** Takes what holds organizations back. */
    private final class Holder implements CompanionFactory<HolderConfig> {

        @Override
        public String section() {
            return "holder";
        }

        @Override
        public Class<HolderConfig> configType() {
            return HolderConfig.class;
        }

        @Override
        public String summary() {
            return "Holds organizations back.";
        }

        @Override
        public Companion create(HolderConfig config, CompanionContext context) {
            taps = context.audit();
            return () -> {};
        }
    }

    /** Requests for {@code /held} are at work until the test ends. */
    private final Transform holding = request -> {
        if (request.head().method().equals("CONNECT")) {
            return CompletableFuture.completedFuture(Decision.proceed());
        }
        if (request.head().path().equals("/held") && !over) {
            CompletableFuture<Decision> decision = new CompletableFuture<>();
            held.add(decision);
            return decision;
        }
        return CompletableFuture.completedFuture(Decision.respond(StubResponse.json("{}")));
    };

    @BeforeEach
    void start() throws Exception {
        proxy = TestProxy.builder(folder)
                .catalog(PluginCatalog.of(
                        List.of(new AllowlistFactory(), new SecretsFactory()),
                        List.of(new DeliveredSourceFactory()),
                        List.of(new Holder())))
                .proxyLines("upstream_deny_cidrs: []", "limits:", "  buffered_head_bytes: 1MiB")
                .sections("holder: {}\ntransforms: []\nlog:\n  audit:\n    slots: " + SLOTS + "\n")
                .loops(1)
                .transform(
                        "holding",
                        Capabilities.builder()
                                .effects(Effect.ANSWERS_LOCALLY)
                                .deadline(Duration.ofMinutes(5))
                                .build(),
                        holding)
                .start();
    }

    @AfterEach
    void close() throws IOException {
        over = true;
        held.forEach(decision -> decision.complete(Decision.respond(StubResponse.json("{}"))));
        for (Wire wire : hog) {
            wire.close();
        }
        proxy.close();
    }

    private static WorkloadSpec of(String organization, WorkloadSpec.Builder workload) {
        return workload.attributes(Map.of(WorkloadSpec.ORGANIZATION, organization))
                .build();
    }

    private static String address(int machine) {
        return "127.0.1." + (machine + 1);
    }

    /** Machines of one organization, each at an address of its own, and one of another. */
    private void machines() throws Exception {
        PipelineUpdate.Builder update = PipelineUpdate.builder()
                .upsert(of("org_b", WorkloadSpec.builder(OTHER).sourceCidr(OTHER_ADDRESS)));
        for (int i = 0; i < WORKLOADS; i++) {
            update.upsert(of("org_a", WorkloadSpec.builder("vm" + i).sourceCidr(address(i))));
        }
        Tenants.applyAll(proxy, update);
    }

    /** Those of one organization, and one of another, which their passwords tell. */
    private void users() throws Exception {
        PipelineUpdate.Builder update = PipelineUpdate.builder().upsert(of("org_b", Tenants.user(OTHER)));
        for (int i = 0; i < WORKLOADS; i++) {
            update.upsert(of("org_a", Tenants.user("w" + i)));
        }
        Tenants.applyAll(proxy, update);
    }

    private void awaitAllThatOneClientGets() {
        await().until(() -> held.size() >= SLOTS * 4 / 5 - 2);
    }

    @Test
    void manyMachinesLeaveOthersTheirAnswer() throws Exception {
        machines();
        for (int i = 0; i < WORKLOADS * 2; i++) {
            hog.add(Tenants.from(address(i % WORKLOADS), proxy.proxy().httpAddress())
                    .send(head("GET /held HTTP/1.1", "Host: a.test")));
        }
        awaitAllThatOneClientGets();

        for (int i = 0; i < 50; i++) {
            try (Wire polite = Tenants.from(OTHER_ADDRESS, proxy.proxy().httpAddress())) {
                polite.send(head("GET /x HTTP/1.1", "Host: a.test"));
                assertThat(polite.readHead()).startsWith("HTTP/1.1 200");
            }
        }
        assertThat(held.size()).as("what the organization holds").isLessThanOrEqualTo(SLOTS * 4 / 5);
    }

    /** Half of them come from the address of the other, which tells nothing. */
    @Test
    void manyWorkloadsThatAuthenticateLeaveOthersTheirAnswer() throws Exception {
        users();
        for (int i = 0; i < WORKLOADS * 2; i++) {
            String from = i % 2 == 0 ? OTHER_ADDRESS : address(i % WORKLOADS);
            Wire client = Tenants.from(from, proxy.proxy().tunnelAddress());
            hog.add(client);
            client.send(head("GET http://a.test/held HTTP/1.1", "Host: a.test", Tenants.as("w" + i % WORKLOADS)));
        }
        awaitAllThatOneClientGets();

        for (int i = 0; i < 50; i++) {
            try (Wire polite = Tenants.from(OTHER_ADDRESS, proxy.proxy().tunnelAddress())) {
                polite.send(head("GET http://a.test/x HTTP/1.1", "Host: a.test", Tenants.as(OTHER)));
                assertThat(polite.readHead()).startsWith("HTTP/1.1 200");
            }
        }
        assertThat(held.size()).as("what the organization holds").isLessThanOrEqualTo(SLOTS * 4 / 5);
    }

    /** A connection of one workload. */
    @FunctionalInterface
    private interface Opener {
        Wire open(int workload) throws Exception;
    }

    /** Sends requests with long heads in the name of one workload after the other, of each until one is refused. */
    private void fillWithHeads(Opener opener) throws Exception {
        for (int i = 0; i < WORKLOADS; i++) {
            boolean taken = true;
            while (taken) {
                int before = held.size();
                Wire client = opener.open(i);
                hog.add(client);
                client.send(longHead("/held"));
                await().pollInterval(Duration.ofMillis(2))
                        .until(() -> held.size() > before || client.in().available() > 0);
                taken = held.size() > before;
            }
        }
        assertThat(held.size()).as("heads that are held").isGreaterThan(20);
    }

    private static String longHead(String path) {
        return head("GET " + path + " HTTP/1.1", "Host: a.test", "X-Long: " + "x".repeat(30_000));
    }

    private static void assertAnswered(Wire polite) throws IOException {
        try (polite) {
            polite.send(longHead("/x"));
            assertThat(polite.readHead()).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void manyMachinesLeaveOthersRoomForHeads() throws Exception {
        machines();

        fillWithHeads(i -> Tenants.from(address(i), proxy.proxy().httpAddress()));

        assertAnswered(Tenants.from(OTHER_ADDRESS, proxy.proxy().httpAddress()));
    }

    private Wire tunnel(String address, String user) throws Exception {
        Wire tunnel = Tenants.from(address, proxy.proxy().tunnelAddress());
        tunnel.send(head("CONNECT a.test:80 HTTP/1.1", "Host: a.test:80", Tenants.as(user)));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
        return tunnel;
    }

    @Test
    void tunnelsOfManyWorkloadsLeaveOthersRoomForHeads() throws Exception {
        users();

        fillWithHeads(i -> tunnel(address(i), "w" + i));

        assertAnswered(tunnel(OTHER_ADDRESS, OTHER));
    }

    private Wire ask(String credentials) throws Exception {
        Wire client = Tenants.from(OTHER_ADDRESS, proxy.proxy().tunnelAddress());
        hog.add(client);
        client.send(credentials.isEmpty() ? ASKING : head("GET http://a.test/x HTTP/1.1", "Host: a.test", credentials));
        return client;
    }

    /** Their events are of the organization: without credentials, nobody fills what it may not fill any more. */
    @Test
    void callersOfNoWorkloadAreHeldBackWithTheOrganizationWhosePoliciesTheyHave() throws Exception {
        Wire early = ask("");
        assertThat(early.readHead()).startsWith("HTTP/1.1 200");
        early.readThrough("{}");
        Tenants.applyAll(
                proxy,
                PipelineUpdate.builder()
                        .unclaimed(PipelineSpec.of("transforms: []"), "org_a")
                        .upsert(of("org_b", Tenants.user(OTHER))));

        Runnable release = Objects.requireNonNull(taps, "taps").hold("org_a");
        early.send(ASKING);
        Wire waits = ask("");
        Wire other = ask(Tenants.as(OTHER));
        assertThat(other.readHead()).startsWith("HTTP/1.1 200");
        Wire another = ask(Tenants.as(OTHER));
        assertThat(another.readHead()).startsWith("HTTP/1.1 200");
        assertThat(waits.in().available()).isZero();
        assertThat(early.in().available()).isZero();

        release.run();

        assertThat(waits.readHead()).startsWith("HTTP/1.1 200");
        assertThat(early.readHead()).startsWith("HTTP/1.1 200");
    }
}
