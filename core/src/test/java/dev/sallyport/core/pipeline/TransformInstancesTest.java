package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.upstream.Offline;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which entries share an instance, and when it is closed. */
class TransformInstancesTest {

    private record Config(String name) {}

    private record Prebuilt(String name) implements PrebuiltConfig {}

    /** What was made and closed, in order. */
    private final List<String> told = new ArrayList<>();

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final EngineSourceContext lent = new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
        throw new UnsupportedOperationException("no network");
    });
    private final SecretStore secrets = new SecretStore(Map.of(), lent, timers);
    private final TransformInstances instances = new TransformInstances();

    private final class Made implements InlineTransform {

        private final String name;

        Made(String name) {
            this.name = name;
            told.add("make " + name);
        }

        @Override
        public Decision decide(RequestContext request) {
            return Decision.proceed();
        }

        @Override
        public void close() {
            told.add("close " + name);
            if (name.equals("closes badly")) {
                throw new IllegalStateException("x");
            }
        }
    }

    private class Factory<C extends Record> implements TransformFactory<C> {

        private final Class<C> type;
        private final Capabilities capabilities;

        Factory(Class<C> type, Capabilities capabilities) {
            this.type = type;
            this.capabilities = capabilities;
        }

        @Override
        public Descriptor<C> descriptor() {
            return Descriptor.of("given", type, "A test's own.");
        }

        @Override
        public Capabilities capabilities(C config) {
            return capabilities;
        }

        @Override
        public Transform create(C config, BuildContext context) throws ConfigException {
            String name = config instanceof Config own ? own.name() : ((Prebuilt) config).name();
            if (name.equals("breaks")) {
                throw new ConfigException("/name", "broken", "another");
            }
            return new Made(name);
        }
    }

    private TransformEntry<Config> entry(String name, Capabilities capabilities, int line) {
        return new TransformEntry<>(
                new Factory<>(Config.class, capabilities),
                new Config(name),
                new Location("test", line, 0),
                "/transforms/" + line);
    }

    private TransformEntry<Config> entry(String name) {
        return entry(name, Capabilities.none(), 0);
    }

    private InstanceContext.EngineServices services(PipelineSettings settings) {
        TransformServices lent = new TransformServices(
                Clock.systemUTC(),
                timers,
                call -> {
                    throw new UnsupportedOperationException("no network");
                },
                host -> CompletableFuture.failedFuture(new IOException("no names")),
                new Offline(),
                secrets,
                new MeterRegistry(OpenTelemetry.noop()),
                new BlockingStepExecutor(1),
                List.of(),
                Map.of());
        return new InstanceContext.EngineServices(
                lent, new SharedTransformState(), settings, TransformMaker.PLAIN, false);
    }

    private static PipelineSettings limits(long request, long response) {
        return new PipelineSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), new BodyCaps(request, response));
    }

    private TransformInstances.Instance acquire(TransformEntry<?> entry, PipelineSettings settings, String... others)
            throws ConfigException {
        return instances.acquire(entry, services(settings), Set.of(others));
    }

    private TransformInstances.Instance acquire(TransformEntry<?> entry) throws ConfigException {
        return acquire(entry, PipelineFixture.settings());
    }

    @AfterEach
    void close() {
        secrets.close();
        lent.close();
        timers.shutdownNow();
    }

    @Test
    void equalEntriesShareOneWhereverTheyStand() throws ConfigException {
        TransformInstances.Instance first = acquire(entry("a", Capabilities.none(), 1));

        assertThat(acquire(entry("a", Capabilities.none(), 2))).isSameAs(first);
        assertThat(acquire(entry("b"))).isNotSameAs(first);
        assertThat(told).containsExactly("make a", "make b");
    }

    @Test
    void theLastUserClosesItAndTheNextMakesAnother() throws ConfigException {
        TransformInstances.Instance first = acquire(entry("a"));
        acquire(entry("a"));
        instances.release(first);
        assertThat(told).containsExactly("make a");

        instances.release(first);
        assertThat(told).containsExactly("make a", "close a");

        assertThat(acquire(entry("a"))).isNotSameAs(first);
        assertThat(told).containsExactly("make a", "close a", "make a");
    }

    @Test
    void otherLimitsNeedAnother() throws ConfigException {
        TransformInstances.Instance first = acquire(entry("a"), limits(1, 2));

        assertThat(acquire(entry("a"), limits(1, 2))).isSameAs(first);
        assertThat(acquire(entry("a"), limits(2, 2))).isNotSameAs(first);
        assertThat(acquire(entry("a"), limits(1, 1))).isNotSameAs(first);
    }

    @Test
    void whatWasMadeBeforehandKnowsNoLimits() throws ConfigException {
        TransformEntry<Prebuilt> prebuilt = new TransformEntry<>(
                new Factory<>(Prebuilt.class, Capabilities.none()),
                new Prebuilt("a"),
                new Location("test", 0, 0),
                "/transforms/0");

        assertThat(acquire(prebuilt, limits(1, 1))).isSameAs(acquire(prebuilt, limits(2, 2)));
    }

    @Test
    void placeholdersOfOthersConcernOnlyThoseWhoShowContent() throws ConfigException {
        Capabilities showing =
                Capabilities.builder().effects(Effect.DISCLOSES_CONTENT).build();
        TransformInstances.Instance quiet = acquire(entry("a"), PipelineFixture.settings(), "P");
        TransformInstances.Instance shown = acquire(entry("b", showing, 0), PipelineFixture.settings(), "P");

        assertThat(acquire(entry("a"), PipelineFixture.settings(), "Q")).isSameAs(quiet);
        assertThat(acquire(entry("b", showing, 0), PipelineFixture.settings(), "Q"))
                .isNotSameAs(shown);
    }

    @Test
    void oneThatCannotBeMadeIsTriedAgain() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> acquire(entry("breaks"))).isInstanceOf(ConfigException.class);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void oneWhoseScopeIsWrongIsNotLeftBehind() {
        Capabilities wrong =
                Capabilities.builder().scope(List.of(Rule.cidr("10.0.0.0/99"))).build();

        assertThatThrownBy(() -> acquire(entry("a", wrong, 0))).isInstanceOf(ConfigException.class);

        assertThat(told.stream().filter("make a"::equals).count())
                .isEqualTo(told.stream().filter("close a"::equals).count());
    }

    @Test
    void oneThatClosesBadlyIsGoneAllTheSame() throws ConfigException {
        TransformInstances.Instance first = acquire(entry("closes badly"));
        instances.release(first);

        assertThat(acquire(entry("closes badly"))).isNotSameAs(first);
    }

    @Test
    void theScopeIsWhatWasDeclaredAndNoneIsEverywhere() throws ConfigException {
        Capabilities scoped =
                Capabilities.builder().scope(List.of(Rule.host("a.test"))).build();

        assertThat(acquire(entry("a")).scope()).isNull();
        assertThat(acquire(entry("b", scoped, 0)).scope()).isNotNull();
    }
}
