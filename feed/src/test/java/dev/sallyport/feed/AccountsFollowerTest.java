package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shared proxy that comes back says what it has of each account, and goes on with what it is told differs. */
@Timeout(60)
class AccountsFollowerTest {

    private final HeldAccountsTest.Door door = new HeldAccountsTest.Door();
    private final List<JsonNode> acknowledgements = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;
    private ControlPlaneConnection connection;
    private HeldAccounts held;
    private AccountsFollower follower;

    @BeforeEach
    void open() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/feed/acknowledgements", exchange -> {
            acknowledgements.add(Pipelines.JSON.readTree(exchange.getRequestBody()));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        ControlPlaneConfig config = ControlPlanes.at(server.getAddress().getPort());
        connection = ControlPlaneConnection.to(config, "token");
        held = new HeldAccounts(config, door);
        follower = new AccountsFollower(config, held, connection, BootKey.make(), null);
        follower.prepare();
        greet();
    }

    @AfterEach
    void close() {
        connection.close();
        server.stop(0);
    }

    private void greet() {
        follower.greeted(new Follower.Greeting("prx_1", "e", "stream"));
    }

    private void receive(int number, Consumer<ObjectNode> content) throws Exception {
        ObjectNode event = Pipelines.JSON.createObjectNode().put("number", number);
        content.accept(event);
        follower.received(new EventReader.Event("accounts", event.toString()));
    }

    private void receiveBoth() throws Exception {
        ObjectNode one = HeldAccountsTest.json("org_1", "wl_1");
        ObjectNode two = HeldAccountsTest.json("org_2", "wl_2");
        receive(1, event -> {
            event.putArray("only").add("org_1").add("org_2");
            event.putArray("accounts").add(one).add(two);
        });
    }

    private JsonNode named() throws Exception {
        Holding holding = follower.held();
        assertThat(holding).isInstanceOf(Holding.OfAccounts.class);
        return Pipelines.JSON.readTree(((Holding.OfAccounts) holding).json());
    }

    @Test
    void itSaysWhatItHas() throws Exception {
        assertThat(follower.held()).isInstanceOf(Holding.Nothing.class);
        receiveBoth();

        JsonNode named = named();

        assertThat(named.path("epoch").asText()).isEqualTo("e");
        assertThat(named.path("accounts").findValuesAsText("account")).containsExactlyInAnyOrder("org_1", "org_2");
        JsonNode first = named.path("accounts").get(0);
        String hash = HeldAccountsTest.json("org_1").path("hash").asText();
        assertThat(first.path("hash").asText()).as("there are no secrets").isEqualTo(hash);
        assertThat(first.path("pipeline").asText()).isEqualTo(hash);
        assertThat(named.path("accounts").findValuesAsText("callers"))
                .as("two accounts, of other callers each")
                .doesNotHaveDuplicates()
                .allMatch(digest -> digest.matches("[0-9a-f]{64}"));
        assertThat(named.toString()).doesNotContain("example.com").doesNotContain("AAAA");
    }

    /** What was kept on disk is there, and is named; the control plane says that it is right. */
    @Test
    void itServesWhenAllHaveComeOrAreAsTheyWere() throws Exception {
        HeldAccount kept = HeldAccount.of(HeldAccountsTest.json("org_1", "wl_1"));
        held.take(new HeldAccounts.Change(List.of(), List.of(kept)), 1, Instant.now());
        ObjectNode come = HeldAccountsTest.json("org_2", "wl_2");

        receive(1, event -> event.putArray("only").add("org_1").add("org_2"));
        receive(2, event -> event.putArray("kept").add("org_1"));
        assertThat(door.ready).as("one is still to come").isFalse();
        receive(3, event -> event.putArray("accounts").add(come));

        assertThat(door.ready).isTrue();
        assertThat(door.workloads).containsExactlyInAnyOrder("wl_1", "org_1", "wl_2", "org_2");
        assertThat(acknowledgements)
                .extracting(each -> each.path("revision").asInt())
                .containsExactly(1, 2, 3);
        assertThat(acknowledgements).allMatch(each -> !each.has("failed"));
    }

    @Test
    void whatIsNotThereCannotBeKept() throws Exception {
        receiveBoth();
        greet();

        assertThatThrownBy(() -> receive(1, event -> {
                    event.putArray("only").add("org_1").add("org_3");
                    event.putArray("kept").add("org_3");
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("asked for again");
    }
}
