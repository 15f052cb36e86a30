package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How lists of transforms are built, shared, replaced and closed. */
class GenerationsTest {

    @TempDir
    Path folder;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Probes factory = new Probes(events);
    private Path file;
    private TestProxy.Builder builder;

    /** What a probe is told: who it is, whether it can be made, what it declares, what it watches, what it lets through. */
    record Probe(String id, boolean broken, boolean injects, boolean discloses, boolean watches, List<Rule> rules) {}

    /** The key of what probes keep. */
    record Kept(String name) {}

    private record Probes(BlockingQueue<String> events) implements TransformFactory<Probe> {

        @Override
        public Descriptor<Probe> descriptor() {
            return Descriptor.of("probe", Probe.class, "Notes what happens to it.");
        }

        @Override
        public Capabilities capabilities(Probe config) {
            Capabilities.Builder capabilities = Capabilities.builder().effectScope(config.rules());
            if (config.injects()) {
                capabilities.effects(Effect.INJECTS_CREDENTIAL);
            }
            if (config.discloses()) {
                capabilities.effects(Effect.DISCLOSES_CONTENT);
            }
            if (config.watches()) {
                capabilities.reads(Part.RESPONSE_BODY);
            }
            return capabilities.build();
        }

        @Override
        public Transform create(Probe config, BuildContext context) throws ConfigException {
            RuleSet rules = context.rules(config.rules());
            context.own(() -> events.add("owned " + config.id()));
            context.keep(new Kept("state"), () -> {
                events.add("kept");
                return (AutoCloseable) () -> events.add("dropped");
            });
            if (config.broken()) {
                throw new ConfigException("/id", "cannot work", "another");
            }
            events.add("made " + config.id());
            return new InlineTransform() {
                @Override
                public Decision decide(RequestContext request) {
                    if (config.watches()) {
                        return Decision.proceed(Edits.none(), watching());
                    }
                    boolean allowed = config.rules().isEmpty() || rules.match(request) >= 0;
                    return allowed ? Decision.proceed() : Decision.reject(403, "no", "No.");
                }

                @Override
                public void close() {
                    events.add("closed " + config.id());
                }
            };
        }
    }

    private static ResponseStep watching() {
        BodyObserver nothing = new BodyObserver() {
            @Override
            public void data(ByteBuffer bytes) {}

            @Override
            public void end(boolean complete) {}
        };
        return ResponseStep.inline(response ->
                ResponseDecision.proceed(Edits.builder().observeBody(nothing).build()));
    }

    @BeforeEach
    void describe() {
        builder = TestProxy.builder(folder).catalog(PluginCatalog.of(List.of(factory), List.of()));
        file = folder.resolve("proxy.yaml");
    }

    private void configure(String... probes) throws Exception {
        StringBuilder yaml = new StringBuilder(builder.yaml()).append("transforms:\n");
        for (String probe : probes) {
            yaml.append("  - name: probe\n    config: {").append(probe).append("}\n");
        }
        Files.writeString(file, yaml.toString());
    }

    private List<String> next(int count) throws InterruptedException {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(events.poll(Patience.SECONDS, TimeUnit.SECONDS));
        }
        return list;
    }

    @Test
    void instancesSurviveAReloadThatKeepsTheirConfigurationAndCloseInReverse() throws Exception {
        configure("id: a", "id: b", "id: c");
        try (TestProxy proxy = builder.start(file)) {
            assertThat(next(4)).containsExactly("kept", "made a", "made b", "made c");
            configure("id: c", "id: d");
            proxy.proxy().reload();
            assertThat(next(5)).containsExactly("made d", "closed b", "owned b", "closed a", "owned a");
            assertThat(events).isEmpty();
        }
        assertThat(next(5)).containsExactly("closed d", "owned d", "closed c", "dropped", "owned c");
        assertThat(events).isEmpty();
    }

    @Test
    void aBuildThatFailsClosesWhatItMadeAndTellsEveryProblem() throws Exception {
        configure("id: a");
        try (TestProxy proxy = builder.start(file)) {
            next(2);
            configure("id: a", "id: b", "id: c, broken: true", "id: d, broken: true");
            ReloadResult result = proxy.proxy().reload();

            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems())
                                    .extracting(problem -> problem.pointer())
                                    .containsExactly("/transforms/2/config/id", "/transforms/3/config/id"));
            assertThat(next(5)).containsExactly("made b", "owned c", "owned d", "closed b", "owned b");
            assertThat(events).isEmpty();
            assertThat(proxy.proxy().generation()).isEqualTo(1);
        }
    }

    @Test
    void anExchangeKeepsItsGenerationUntilItsHeadsAreOut() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        configure("id: a");
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    asked.countDown();
                    answer.await();
                    peer.send(TestOrigin.ok("x"));
                    peer.readToEnd();
                });
                TestProxy proxy = builder.start(file);
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            asked.await();
            configure("id: b");
            proxy.proxy().reload();
            assertThat(next(3)).containsExactly("kept", "made a", "made b");
            assertThat(events.poll(200, TimeUnit.MILLISECONDS)).isNull();
            answer.countDown();
            client.message();
            assertThat(next(2)).containsExactly("closed a", "owned a");
        }
    }

    /** An event stream that sends one event, and another when it is told to. */
    private static TestOrigin.Script events(CountDownLatch more) {
        return peer -> {
            peer.readHead();
            peer.send(head("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"));
            peer.chunk("data: 1\n\n");
            more.await();
            peer.chunk("data: 2\n\n").send("0\r\n\r\n");
            peer.readToEnd();
        };
    }

    @Test
    void anUntouchedEventStreamOutlivesItsGeneration() throws Exception {
        CountDownLatch more = new CountDownLatch(1);
        configure("id: a");
        try (TestOrigin origin = TestOrigin.of(events(more));
                TestProxy proxy = builder.start(file);
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            client.readThrough("data: 1\n\n\r\n");

            // when
            configure("id: b");
            proxy.proxy().reload();

            // then
            assertThat(next(5)).containsExactly("kept", "made a", "made b", "closed a", "owned a");
            more.countDown();
            assertThat(client.chunks()).isEqualTo("data: 2\n\n");
        }
    }

    @Test
    void anEventStreamThatIsWatchedKeepsItsGenerationUntilItEnds() throws Exception {
        CountDownLatch more = new CountDownLatch(1);
        configure("id: a, watches: true");
        try (TestOrigin origin = TestOrigin.of(events(more));
                TestProxy proxy = builder.start(file);
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            client.readThrough("data: 1\n\n\r\n");

            // when
            configure("id: b");
            proxy.proxy().reload();

            // then
            assertThat(next(3)).containsExactly("kept", "made a", "made b");
            assertThat(events.poll(200, TimeUnit.MILLISECONDS)).isNull();
            more.countDown();
            assertThat(client.chunks()).isEqualTo("data: 2\n\n");
            assertThat(next(2)).containsExactly("closed a", "owned a");
        }
    }

    @Test
    void aQuestionableOrderIsAWarningAndAnErrorWhenStrict() throws Exception {
        configure("id: a, injects: true", "id: b, discloses: true");
        try (TestProxy proxy = builder.start(file)) {
            assertThat(proxy.proxy().warnings())
                    .anySatisfy(warning -> assertThat(warning)
                            .startsWith(file + ":")
                            .endsWith(": /transforms/1/config: transforms[1] (probe) sees requests after transforms[0]"
                                    + " (probe) has put credentials in; they are masked; exchange the two"
                                    + " entries"));
            Files.writeString(file, Files.readString(file).replace("proxy:\n", "proxy:\n  lint: strict\n"));
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems())
                                    .extracting(problem -> problem.pointer())
                                    .containsExactly("/transforms/1/config"));
        }
    }

    @Test
    void anOrderIsNotQuestionableWhereEffectsCannotMeet() throws Exception {
        configure("id: a, injects: true, rules: [{host: a.test}]", "id: b, discloses: true, rules: [{host: b.test}]");
        try (TestProxy proxy = builder.start(file)) {
            assertThat(proxy.proxy().warnings()).noneMatch(warning -> warning.contains("exchange the two"));
        }
    }

    @Test
    void anEncodedSlashIsRefusedOnlyWhereItDecides() throws Exception {
        configure("id: a, rules: [{host: '*', paths: ['/open/*', '/two/b']}]");
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        seen.add(peer.readHead().lines().findFirst().orElseThrow());
                        peer.send(TestOrigin.ok("x"));
                    }
                });
                TestProxy proxy = builder.start(file)) {
            assertThat(proxy.get(origin, "/open/a%2Fb").status()).isEqualTo(200);
            assertThat(seen.take()).isEqualTo("GET /open/a%2Fb HTTP/1.1");
            assertThat(proxy.get(origin, "/open%2Fb").status()).isEqualTo(200);
            assertThat(seen.take()).isEqualTo("GET /open%2Fb HTTP/1.1");
            Wire.Message refused = proxy.get(origin, "/two%2Fb");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.body()).contains("ambiguous_path", "/transforms/0/config/rules/0 (");
            assertThat(proxy.get(origin, "/shut").status()).isEqualTo(403);
        }
    }
}
