package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.proxy.Proxy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two control planes on one PostgreSQL, and a proxy that all accounts share: its stream comes from one of them, and a load
 * balancer sends its acknowledgements to either.
 */
@Tag("long")
@Timeout(120)
class SharedReplicasTest {

    private static final String NONE = "\"problems\": []";

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TestControl one;
    private TestControl other;
    private Api alice;
    private Api bob;
    private FeedStream stream;

    @BeforeEach
    void open() throws Exception {
        String url = Database.newPostgres();
        String yaml = TestControl.NO_LIMITS + "  encryption: {key_file: \"" + folder.resolve("shared.key") + "\"}\n";
        one = TestControl.replica(url, yaml);
        other = TestControl.replica(url, yaml);
        alice = one.newAccount();
        bob = one.newAccount();
        stream = FeedStream.open(other.address(), one.addShared("eu-1", "eu"));
        Set<String> awaited = new HashSet<>(List.of(organization(alice), organization(bob)));
        while (!awaited.isEmpty()) {
            FeedStream.Event event = stream.next("accounts");
            awaited.removeAll(accounts(event));
            stream.acknowledgeAccounts(one.address(), event, NONE);
        }
    }

    @AfterEach
    void close() {
        stream.close();
        other.close();
        one.close();
        threads.close();
    }

    private static String organization(Api api) {
        return api.get("/v1/me").json().at("/organization/id").asText();
    }

    private static List<String> accounts(FeedStream.Event event) {
        return event.data().path("accounts").findValuesAsText("account");
    }

    private static void rule(Api api, String host) {
        assertThat(api.post("/v1/egress/rules", "{\"host\": \"" + host + "\"}").status())
                .isEqualTo(201);
    }

    private static String failed(Api api) {
        return NONE + ", \"failed\": [\"" + organization(api) + "\"]";
    }

    private static String problem(Api api, String message) {
        return "\"problems\": [{\"account\": \"" + organization(api)
                + "\", \"pointer\": \"/transforms/0\", \"message\": \"" + message + "\"}]";
    }

    /** The next event with something of an account; what comes before is acknowledged at the other replica. */
    private FeedStream.Event of(Api api) throws Exception {
        FeedStream.Event event = stream.next("accounts");
        while (!accounts(event).contains(organization(api))) {
            stream.acknowledgeAccounts(one.address(), event, NONE);
            event = stream.next("accounts");
        }
        return event;
    }

    private static JsonNode part(FeedStream.Event event, Api api) {
        for (JsonNode part : event.data().path("accounts")) {
            if (part.path("account").asText().equals(organization(api))) {
                return part;
            }
        }
        throw new AssertionError("nothing of it in " + event.data());
    }

    @Test
    void whatChangesAtOneReachesAProxyAtTheOther() throws Exception {
        rule(alice, "a.example");
        assertThat(of(alice).data().toString()).contains("a.example");

        Api carol = one.newAccount();
        FeedStream.Event come = of(carol);
        assertThat(part(come, carol).path("keys")).hasSize(1);
        stream.acknowledgeAccounts(one.address(), come, NONE);

        one.revokeShared("eu-1");
        assertThat(stream.next("revoked").name()).isEqualTo("revoked");
    }

    /** Each change waits for the acknowledgement of the one before, wherever that was told. */
    @Test
    void changesAreAppliedWhenTheOtherReplicaWasToldSo() throws Exception {
        Api here = new Api(other.address(), alice.key(), null);
        for (int i = 0; i < 5; i++) {
            Future<FeedStream.Event> proxy = threads.submit(() -> {
                FeedStream.Event event = of(alice);
                stream.acknowledgeAccounts(one.address(), event, NONE);
                return event;
            });

            Api.Reply reply =
                    here.post("/v1/egress/rules?wait=applied&timeout=30s", "{\"host\": \"h" + i + ".example\"}");

            assertThat(reply.header("Sallyport-Applied")).isEqualTo("true");
            assertThat(proxy.get().data().toString()).contains("h" + i + ".example");
        }
    }

    @Test
    void anAccountThatCouldNotBeUsedComesAgainWholeOverTheSameConnection() throws Exception {
        rule(alice, "a.example");

        stream.acknowledgeAccounts(one.address(), of(alice), failed(alice));

        FeedStream.Event again = of(alice);
        assertThat(accounts(again)).as("it alone").containsExactly(organization(alice));
        assertThat(part(again, alice).path("pipeline").asText()).contains("a.example");
        assertThat(part(again, alice).path("keys")).hasSize(1);
    }

    /** The acknowledgement of the next event covers that of the one before, which the other replica has. */
    @Test
    void whatCouldNotBeUsedIsKnownWhenTheNextEventIsAcknowledgedHere() throws Exception {
        rule(alice, "a.example");
        FeedStream.Event hers = of(alice);
        rule(bob, "b.example");
        FeedStream.Event his = stream.next("accounts");
        assertThat(accounts(his)).containsExactly(organization(bob));

        stream.acknowledgeAccounts(one.address(), hers, failed(alice));
        stream.acknowledgeAccounts(other.address(), his, NONE);

        FeedStream.Event again = of(alice);
        assertThat(accounts(again)).containsExactly(organization(alice));
        assertThat(part(again, alice).path("pipeline").asText()).contains("a.example");
    }

    private List<String> problems() {
        List<Proxy> proxies = one.sharedProxies();
        assertThat(proxies).hasSize(1);
        return proxies.getFirst().problems().stream()
                .map(Proxy.Problem::message)
                .toList();
    }

    /** Whatever was told to whom before, the last word counts. */
    @Test
    void problemsAreThoseOfTheLastAcknowledgement() throws Exception {
        rule(alice, "a.example");
        stream.acknowledgeAccounts(other.address(), of(alice), problem(alice, "broken"));
        assertThat(problems()).containsExactly("broken");

        rule(alice, "b.example");
        stream.acknowledgeAccounts(one.address(), of(alice), NONE);
        assertThat(problems()).isEmpty();

        rule(alice, "c.example");
        stream.acknowledgeAccounts(other.address(), of(alice), problem(alice, "broken"));
        assertThat(problems()).containsExactly("broken");
    }
}
