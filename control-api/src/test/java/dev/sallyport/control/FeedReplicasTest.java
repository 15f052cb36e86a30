package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two control planes on one PostgreSQL, each in a process of its own. */
@Tag("long")
@Timeout(300)
class FeedReplicasTest {

    private static final String NETWORK = "/v1/policies/network";

    @TempDir
    Path folder;

    private ControlProcess one;
    private ControlProcess other;
    private Api api;
    private String self;
    private String token;

    @BeforeEach
    void begin() throws Exception {
        String yaml = TestControl.NO_LIMITS + "  database: {url: \"" + Database.newPostgres() + "\"}\n"
                + "  encryption: {key_file: \"" + folder.resolve("shared.key") + "\"}\n";
        one = new ControlProcess(Files.createDirectory(folder.resolve("one")), yaml);
        other = new ControlProcess(Files.createDirectory(folder.resolve("other")), yaml);
        api = one.newAccount();
        JsonNode made = api.post("/v1/proxies", "{\"name\": \"p\"}").data();
        self = "/v1/proxies/" + made.path("id").asText();
        token = made.path("token").asText();
    }

    @AfterEach
    void end() throws Exception {
        other.close();
        one.close();
    }

    private static String policy(String name) {
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [{\"host\": \"" + name + ".test\"}]}";
    }

    private static List<String> hosts(FeedStream.Event snapshot) {
        return snapshot.pipeline().at("/transforms/0/config/rules").findValuesAsText("host");
    }

    @Test
    void aChangeAtOneReachesAProxyAtTheOther() throws Exception {
        try (FeedStream stream = FeedStream.open(other.address(), token)) {
            stream.take();

            assertThat(api.post(NETWORK, policy("a")).status()).isEqualTo(201);

            assertThat(hosts(stream.take())).containsExactly("a.test");
            api.delete(self);
            stream.next("revoked");
        }
    }

    /** A load balancer may send the stream here, and the acknowledgement there. */
    @Test
    void anAcknowledgementMayComeToAnotherReplicaThanTheStream() throws Exception {
        try (FeedStream stream = FeedStream.open(other.address(), token)) {
            FeedStream.Event first = stream.next("snapshot");

            stream.acknowledgeAt(one.address(), first);

            assertThat(api.get(self).data().path("applied_revision").asLong()).isEqualTo(first.revision());
            assertThat(api.post(NETWORK, policy("a")).status()).isEqualTo(201);
            assertThat(hosts(stream.next("snapshot"))).containsExactly("a.test");
        }
    }

    /** A network that broke leaves the old connection open here, where nobody takes what is sent any more. */
    @Test
    void whatIsKnownOfAnOldConnectionSaysNothingOfTheNewOne() throws Exception {
        try (FeedStream old = FeedStream.open(one.address(), token)) {
            FeedStream.Event first = old.take();
            assertThat(applied()).isEqualTo(first.revision());
            try (FeedStream stream = FeedStream.open(other.address(), token)) {
                FeedStream.Event second = stream.next("snapshot");

                old.acknowledge(first);
                old.next("end"); // the old process has learnt it from the database, at its heartbeat

                assertThat(applied()).as("nothing is in force over the new one").isZero();
                stream.acknowledge(second);
                assertThat(applied()).isEqualTo(second.revision());
            }
        }
    }

    private long applied() {
        return api.get(self).data().path("applied_revision").asLong();
    }

    /** What was answered is there, and reaches proxies at the other one. */
    @Test
    void aReplicaThatIsKilledInMidChangeLosesNothing() throws Exception {
        Set<String> answered = ConcurrentHashMap.newKeySet();
        AtomicBoolean ended = new AtomicBoolean();
        try (FeedStream stream = FeedStream.open(other.address(), token);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            stream.take();
            for (int client = 0; client < 4; client++) {
                String prefix = "c" + client + "-";
                clients.submit(() -> {
                    for (int i = 0; i < 200 && !ended.get(); i++) {
                        try {
                            if (api.post(NETWORK, policy(prefix + i)).status() == 201) {
                                answered.add(prefix + i + ".test");
                            }
                        } catch (UncheckedIOException e) {
                            ended.set(true); // it is dead
                        }
                    }
                });
            }
            await().atMost(Patience.seconds(60)).until(() -> answered.size() >= 40);

            one.kill();

            await().atMost(Patience.seconds(60)).until(ended::get);
            clients.shutdown();
            FeedStream.Event last = stream.take();
            while (!hosts(last).containsAll(answered)) {
                last = stream.take();
            }
            assertThat(answered).hasSizeGreaterThanOrEqualTo(40);
        }
    }
}
