package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.upstream.Offline;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import io.netty.channel.embedded.EmbeddedChannel;
import io.opentelemetry.api.OpenTelemetry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is judged anew, in which order, and how often. */
class RechecksTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final Pipeline pipeline = new Pipeline();
    /** Whom a workload has taken over, and which. */
    private final Map<String, String> takenOver = new HashMap<>();

    private final Rechecks rechecks = new Rechecks(pipeline, List.of(channel.eventLoop()), this::again);
    private final List<String> judged = new ArrayList<>();
    private EngineSourceContext lent;
    private SecretStore secrets;

    /** Writes down that it was judged, and may end another one. */
    private final class Open extends Recheckable {

        private final String workload;
        private Recheckable ends = this;
        private int credentials;

        Open(String workload) {
            this.workload = workload;
        }

        @Override
        Connection client() {
            return connection(workload);
        }

        @Override
        void recheck(Generation now, Connection caller) {
            judged.add(caller.principal().workload() + now.number());
            if (ends != this) {
                rechecks.remove(ends);
            }
        }

        @Override
        int endIfDeleted() {
            if (credentials > 0) {
                judged.add(workload);
            }
            return credentials;
        }
    }

    private static ConnectionInfo connection(String workload) {
        InetSocketAddress somewhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new ConnectionInfo(
                ListenerKind.HTTP,
                new ConnectionInfo.Endpoints(somewhere, somewhere),
                null,
                "http/1.1",
                null,
                Principal.of(workload, "test"));
    }

    private Connection again(Connection before) {
        String workload = before.principal().workload();
        return connection(takenOver.getOrDefault(workload, workload));
    }

    @BeforeEach
    void begin() {
        HttpCaller nobody = call -> {
            throw new UnsupportedOperationException("no network");
        };
        lent = new EngineSourceContext(Map.of(), Clock.systemUTC(), nobody);
        secrets = new SecretStore(Map.of(), lent, timers);
        swap(nobody);
    }

    private void swap(HttpCaller nobody) {
        GenerationBuilder builder = new GenerationBuilder(new TransformServices(
                Clock.systemUTC(),
                timers,
                nobody,
                host -> {
                    throw new UnsupportedOperationException("no names");
                },
                new Offline(),
                secrets,
                new MeterRegistry(OpenTelemetry.noop()),
                new BlockingStepExecutor(1),
                List.of(channel.eventLoop()),
                Map.of()));
        BodyCaps caps = new BodyCaps(1, 1);
        PipelineSettings settings = new PipelineSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), caps);
        pipeline.swap(Objects.requireNonNull(builder.build(List.of(), settings, problem -> {
            throw new AssertionError(problem.toString());
        })));
    }

    @AfterEach
    void end() {
        channel.runPendingTasks();
        secrets.close();
        lent.close();
        timers.shutdownNow();
        channel.finishAndReleaseAll();
    }

    private Open open(String workload) {
        Open open = new Open(workload);
        rechecks.add(open);
        return open;
    }

    @Test
    void everybodyIsJudgedTheYoungestFirst() {
        open("a");
        Open gone = open("b");
        open("c");
        rechecks.remove(gone);
        rechecks.remove(gone);

        rechecks.begin(Rechecks.EVERYBODY);
        channel.runPendingTasks();

        assertThat(judged).containsExactly("c1", "a1");
    }

    @Test
    void onlyChosenCallersAreJudged() {
        open("a");
        open("b");
        open("a");

        rechecks.begin(caller -> caller.workload().equals("a"));
        channel.runPendingTasks();

        assertThat(judged).containsExactly("a1", "a1");
    }

    @Test
    void whoeverIsTakenOverIsJudgedAsTheOtherWhereThatIsAsked() {
        open("a");
        open("b");
        takenOver.put("b", "c");

        rechecks.begin(caller -> false);
        channel.runPendingTasks();
        assertThat(judged).isEmpty();

        rechecks.begin(caller -> false, true);
        channel.runPendingTasks();
        assertThat(judged).containsExactly("c1");
    }

    @Test
    void whatWasTakenOverIsJudgedWithTheOthersOfItsWorkload() {
        open("b");
        takenOver.put("b", "c");
        rechecks.begin(caller -> false, true);
        channel.runPendingTasks();

        rechecks.begin(caller -> caller.workload().equals("c"));
        rechecks.begin(caller -> caller.workload().equals("b")); // it is theirs no more
        channel.runPendingTasks();
        assertThat(judged).containsExactly("c1", "c1");

        takenOver.clear();
        rechecks.begin(caller -> false, true);
        channel.runPendingTasks();
        assertThat(judged).containsExactly("c1", "c1", "b1");
    }

    @Test
    void aFaultKeepsNothingElseFromBeingJudgedNorLater() {
        for (int i = 0; i < 600; i++) {
            open("a");
        }

        rechecks.begin(caller -> {
            throw new IllegalStateException("a fault");
        });
        channel.runPendingTasks();
        assertThat(judged).isEmpty();

        rechecks.begin(Rechecks.EVERYBODY);
        channel.runPendingTasks();
        assertThat(judged).hasSize(600);
    }

    @Test
    void whatEndsMeanwhileIsNotJudged() {
        Open tunnel = open("tunnel");
        open("inside").ends = tunnel;

        rechecks.begin(Rechecks.EVERYBODY);
        channel.runPendingTasks();

        assertThat(judged).containsExactly("inside1");
    }

    @Test
    void requestsThatComeWhileItIsAtWorkAreJoined() {
        for (int i = 0; i < 600; i++) {
            open(i % 2 == 0 ? "a" : "b");
        }
        for (int i = 0; i < 50; i++) {
            rechecks.begin(caller -> caller.workload().equals("b")); // the first alone takes two turns of the loop
        }
        rechecks.begin(Rechecks.EVERYBODY);

        channel.runPendingTasks();

        // then: once for the first request, and once for all others
        assertThat(judged).hasSize(300 + 600).containsOnly("a1", "b1");
    }

    /** One that carries a thousand credentials takes as long as hundreds that carry none. */
    @Test
    void otherTrafficGoesOnBetweenThoseThatCarryManyCredentials() {
        for (String workload : List.of("c", "b", "a")) {
            open(workload).credentials = 1000;
        }

        rechecks.begin(Rechecks.NOBODY);
        channel.eventLoop().execute(() -> {
            judged.add("other traffic");
            channel.eventLoop().execute(() -> judged.add("more of it"));
        });
        channel.runPendingTasks();

        assertThat(judged).containsExactly("a", "other traffic", "b", "more of it", "c");
    }
}
