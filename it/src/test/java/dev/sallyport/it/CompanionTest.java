package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.CompanionFactory;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ProxyInfo;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import io.opentelemetry.api.OpenTelemetry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What stands beside a proxy is started, told of reloads and closed with it. */
@Timeout(60)
class CompanionTest {

    @TempDir
    Path folder;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final BlockingQueue<ReloadResult> reloads = new LinkedBlockingQueue<>();
    private final BlockingQueue<ProxyInfo> proxies = new LinkedBlockingQueue<>();
    private final BlockingQueue<Noting> companions = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> listened = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream spooled = new ByteArrayOutputStream();
    private volatile boolean ready = true;

    /** What a companion is told: its word, where it fails, the port that it says it listens on, and one to look at. */
    record Echo(
            @JsonProperty(defaultValue = "hello") String reply,
            String fails,
            @JsonProperty(defaultValue = "0") int port,
            @JsonProperty(defaultValue = "0") int watched,
            @Nullable Path needed) {}

    private final class Factory implements CompanionFactory<Echo> {

        private final String section;

        Factory(String section) {
            this.section = section;
        }

        @Override
        public String section() {
            return section;
        }

        @Override
        public Class<Echo> configType() {
            return Echo.class;
        }

        @Override
        public String summary() {
            return "Answers what it was told.";
        }

        @Override
        public Map<String, Path> files(Echo config) {
            return config.needed() == null ? Map.of() : Map.of("/needed", config.needed());
        }

        @Override
        public void doubts(Echo config, Problems doubts) {
            if (config.reply().equals("hm")) {
                doubts.add("/reply", "says little", "a word");
            }
        }

        @Override
        public boolean deliversPolicy(Echo config) {
            return config.reply().equals("policy");
        }

        @Override
        public Companion create(Echo config, CompanionContext context) throws ConfigException {
            fail(config, "create");
            if (config.fails().equals("to be")) {
                return none();
            }
            if (config.fails().equals("to be quiet")) {
                tap(context.audit());
            }
            Noting made = new Noting(section, config, context);
            companions.add(made);
            return made;
        }
    }

    private void tap(AuditTaps audit) {
        audit.sink(AuditSinks.stream(spooled));
        audit.listen((record, line) -> {
            throw new IllegalStateException("broken");
        });
        Runnable once = audit.listen((record, line) -> listened.add("gone"));
        once.run();
        audit.listen((record, line) ->
                listened.add(StandardCharsets.UTF_8.decode(line).toString()));
    }

    @Test
    void aCompanionGetsEveryRecordAndItsSinkEveryLine() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok("hello"));
                TestProxy proxy = proxy("echo: {fails: to be quiet}\n").start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(proxy.get(origin, "/" + i).status()).isEqualTo(200);
                String id = proxy.record().get("exchange_id").asText();
                assertThat(listened.poll(Patience.SECONDS, TimeUnit.SECONDS))
                        .startsWith("{")
                        .contains(id);
            }
            AuditTaps late = companions.remove().context.audit();
            assertThatThrownBy(() -> late.sink(AuditSinks.none())).isInstanceOf(IllegalStateException.class);
        }
        assertThat(spooled.toString(StandardCharsets.UTF_8).lines()).hasSize(3).allMatch(line -> line.startsWith("{"));
    }

    private static void fail(Echo config, String where) throws ConfigException {
        if (config.fails().equals(where)) {
            throw new ConfigException("/fails", "fails to " + where, "another word");
        }
        if (config.fails().equals("crash in " + where)) {
            throw new IllegalStateException("broken");
        }
    }

    private final class Noting implements Companion {

        private final String name;
        private final Echo config;
        private final CompanionContext context;

        Noting(String name, Echo config, CompanionContext context) {
            this.name = name;
            this.config = config;
            this.context = context;
        }

        @Override
        public void prepare() throws ConfigException {
            events.add("prepared " + name);
            look();
            fail(config, "prepare");
        }

        private void look() {
            if (config.watched() != 0) {
                events.add(isOpen(config.watched()) ? "open" : "closed");
            }
        }

        @Override
        public List<InetSocketAddress> addresses() {
            if (config.fails().equals("to resolve")) {
                return List.of(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
            }
            return config.port() == 0
                    ? List.of()
                    : List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), config.port()));
        }

        @Override
        public void started(ProxyInfo proxy) throws ConfigException {
            events.add("started " + name);
            look();
            proxies.add(proxy);
            fail(config, "started");
        }

        @Override
        public void reloaded(ReloadResult result) {
            reloads.add(result);
            if (config.fails().equals("reloaded")) {
                throw new IllegalStateException("broken");
            }
            if (config.fails().equals("to wait")) {
                proxies.remove().reload();
            }
        }

        @Override
        public boolean ready() {
            if (config.fails().equals("ready")) {
                throw new IllegalStateException("broken");
            }
            return ready;
        }

        @Override
        public void close() {
            events.add("closed " + name);
            if (config.fails().equals("close")) {
                throw new IllegalStateException("broken");
            }
            if (config.fails().equals("to hurry")) {
                try {
                    assertThat(new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS))
                            .isFalse();
                    events.add("done " + name);
                } catch (InterruptedException e) {
                    events.add("interrupted " + name);
                }
            }
            if (config.fails().equals("never closes")) {
                try {
                    Thread.sleep(TimeUnit.HOURS.toMillis(1));
                } catch (InterruptedException e) {
                    events.add("interrupted " + name);
                }
            }
        }
    }

    /** Notes when the transforms are closed. */
    private final class Last implements InlineTransform {

        @Override
        public Decision decide(RequestContext context) {
            return Decision.proceed();
        }

        @Override
        public void close() {
            events.add("closed transforms");
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T none() {
        return null;
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private TestProxy.Builder proxy(String sections) {
        return TestProxy.builder(folder)
                .catalog(PluginCatalog.of(List.of(), List.of(), List.of(new Factory("echo"), new Factory("aside"))))
                .sections(sections);
    }

    private List<String> told() {
        List<String> told = new ArrayList<>();
        events.drainTo(told);
        return told;
    }

    private void refused(String sections, String... problems) {
        assertThatThrownBy(() -> proxy(sections).transform("last", new Last()).start())
                .isInstanceOfSatisfying(StartException.class, e -> {
                    assertThat(e.problems()).hasSize(problems.length);
                    for (int i = 0; i < problems.length; i++) {
                        assertThat(e.problems().get(i)).startsWith("test.yaml:").contains(problems[i]);
                    }
                });
    }

    @Test
    void aCompanionLivesWithItsProxy() throws Exception {
        try (TestProxy proxy = proxy("echo: {}\naside: {}\n").start()) {
            assertThat(told()).containsExactly("prepared aside", "prepared echo", "started aside", "started echo");
            ProxyInfo seen = proxies.take();
            assertThat(seen.address(ListenerKind.TUNNEL))
                    .isEqualTo(proxy.proxy().tunnelAddress());
            assertThat(seen.generation()).isEqualTo(1);
            assertThat(seen.ready()).isTrue();
        }
        assertThat(told()).containsExactly("closed echo", "closed aside");
    }

    @Test
    void listenersOpenBetweenItsTwoCallsAndTransformsOutliveIt() throws Exception {
        int port = Ports.unused();
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(
                file,
                proxy("echo: {watched: " + port + "}\n")
                        .yaml()
                        .replace("http_listen: 127.0.0.1:0", "http_listen: 127.0.0.1:" + port));
        try (TestProxy proxy = proxy("").transform("last", new Last()).start(file)) {
            assertThat(proxy.proxy().ready()).isTrue();
            assertThat(told()).containsExactly("prepared echo", "closed", "started echo", "open");
        }
        assertThat(told()).containsExactly("closed echo", "closed transforms");
    }

    @Test
    void itIsLentVariablesTheFolderAndTelemetry() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, proxy("echo: {}\n").yaml());
        try (TestProxy proxy = proxy("")
                .environment(Map.of("WORD", "hi", "SALLYPORT_ECHO_REPLY", "hey"))
                .start(file)) {
            assertThat(proxy.proxy().ready()).isTrue();
            Noting made = companions.take();
            assertThat(made.config.reply()).isEqualTo("hey");
            assertThat(made.context.environment("WORD")).isEqualTo("hi");
            assertThat(made.context.environment("NONE")).isNull();
            assertThat(made.context.folder()).isEqualTo(folder.toAbsolutePath());
            assertThat(made.context.file()).isEqualTo(file);
            assertThat(made.context.program()).isEmpty();
            assertThat(made.context.isGiven("/echo/reply"))
                    .as("by the environment")
                    .isTrue();
            assertThat(made.context.isGiven("/echo/port")).as("a default").isFalse();
            assertThat(made.context.telemetry()).isSameAs(OpenTelemetry.noop());
            assertThat(proxies.take().dnsAddress()).isNull();
            assertThat(made.context.toString()).doesNotContain("hi");
        }
    }

    @Test
    void aSectionThatIsNotThereMakesNoCompanion() throws Exception {
        try (TestProxy proxy = proxy("").start()) {
            assertThat(proxy.proxy().ready()).isTrue();
        }
        assertThat(events).isEmpty();
    }

    @Test
    void filesAndDoubtsOfItsSectionAreLookedAt() throws Exception {
        refused("echo: {needed: /none.pem}\n", "/echo/needed: /none.pem: no such file");
        try (TestProxy proxy = proxy("echo: {reply: hm}\n").start()) {
            assertThat(proxy.proxy().warnings())
                    .anySatisfy(line -> assertThat(line).contains("/echo/reply: says little (expected: a word)"));
        }
    }

    @Test
    void nothingNeedsToLimitRequestsInTheFileWhereACompanionDeliversThePolicy() throws Exception {
        assertThat(warned("word")).contains("nothing limits where requests may go");
        assertThat(warned("policy")).doesNotContain("nothing limits where requests may go");
    }

    private String warned(String reply) throws IOException {
        Path file = folder.resolve("checked.yaml");
        Files.writeString(file, """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0"}
                tls: {mode: sni-only}
                echo: {reply: %s}
                """.formatted(reply));
        PluginCatalog catalog = PluginCatalog.of(List.of(), List.of(), List.of(new Factory("echo")));
        return EgressProxy.check(ConfigLoader.load(file, Map.of(), catalog))
                .warnings()
                .toString();
    }

    @Test
    void whatCannotBeMadeIsToldInOneReportAndNothingIsLeft() {
        refused(
                "echo: {fails: create}\naside: {fails: crash in create}\n",
                "/echo/fails: fails to create (expected: another word)",
                "/aside: ");
        assertThat(told()).containsExactly("closed transforms");
    }

    @Test
    void whoWasMadeWhenAnotherCouldNotBeIsClosedUnprepared() {
        refused("echo: {fails: create}\naside: {}\n", "/echo/fails: fails to create (expected: another word)");
        assertThat(told()).containsExactly("closed aside", "closed transforms");
    }

    @Test
    void whatAFactoryMayNotDoIsToldAsItsFault() {
        refused("echo: {fails: to be}\n", "failed in create: java.lang.NullPointerException: no companion");
        refused(
                "echo: {fails: to resolve}\n",
                "failed in addresses: java.lang.IllegalArgumentException: nowhere.invalid");
    }

    @Test
    void whoFailsToPrepareKeepsTheListenersClosed() {
        refused(
                "echo: {fails: prepare}\naside: {fails: crash in prepare}\n",
                "/echo/fails: fails to prepare (expected: another word)",
                "/aside: ");
        assertThat(told())
                .containsExactly("prepared aside", "prepared echo", "closed echo", "closed aside", "closed transforms");
    }

    @Test
    void whoThrowsAtTheStartEndsIt() {
        refused("echo: {fails: crash in started}\n", "failed in started");
        assertThat(told()).containsExactly("prepared echo", "started echo", "closed echo", "closed transforms");
        assertThat(proxies.remove().ready()).isFalse();
    }

    @Test
    void aCompanionThatIsNotReadyKeepsTrafficAway() throws Exception {
        try (TestProxy proxy = proxy("echo: {}\n").start()) {
            ready = false;
            assertThat(proxy.proxy().ready()).isFalse();
            ready = true;
            assertThat(proxy.proxy().ready()).isTrue();
        }
        try (TestProxy proxy = proxy("echo: {fails: ready}\n").start()) {
            assertThat(proxy.proxy().ready()).isFalse();
        }
    }

    @Test
    void clientsAreNotConnectedToACompanion() throws Exception {
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(TestOrigin.ok("hello")))) {
            try (TestProxy proxy = proxy("echo: {}\n").start()) {
                assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            }
            try (TestProxy proxy =
                    proxy("echo: {port: " + origin.port() + "}\n").start()) {
                Wire.Message answer = proxy.get(origin, "/");
                assertThat(answer.status()).isEqualTo(502);
                assertThat(answer.body()).contains("upstream_denied");
            }
        }
    }

    @Test
    void aReloadKeepsTheCompanionAndSaysWhatNeedsARestart() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, proxy("echo: {reply: one}\n").yaml());
        TestProxy.Builder builder = proxy("");
        try (TestProxy proxy = builder.start(file)) {
            told();
            ProxyInfo seen = proxies.take();

            // when its section changes
            Files.writeString(file, proxy("echo: {reply: two}\n").yaml());
            assertThat(restart(proxy.proxy().reload())).containsExactly("/echo/reply");
            assertThat(restart(reloads.take())).containsExactly("/echo/reply");

            // when it is wrong
            Files.writeString(file, proxy("echo: {port: x}\n").yaml());
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems())
                                    .extracting(ConfigProblem::pointer)
                                    .containsExactly("/echo/port"));
            assertThat(reloads.take()).isInstanceOf(ReloadResult.Refused.class);

            // when it goes, and the companion is who asks
            Files.writeString(file, proxy("aside: {}\n").yaml());
            assertThat(restart(seen.reload())).containsExactly("/aside", "/echo");
            assertThat(seen.generation()).isEqualTo(3);
            assertThat(events).isEmpty();
        }
        assertThat(told()).containsExactly("closed echo");
    }

    private static List<String> restart(ReloadResult result) {
        assertThat(result).isInstanceOf(ReloadResult.Reloaded.class);
        return ((ReloadResult.Reloaded) result).restartRequired();
    }

    @Test
    void whoFailsLaterHoldsUpNobody() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(
                file, proxy("echo: {fails: reloaded}\naside: {fails: close}\n").yaml());
        try (TestProxy proxy = proxy("").start(file)) {
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(reloads).hasSize(2);
            told();
        }
        assertThat(told()).containsExactly("closed echo", "closed aside");
    }

    @Test
    void aReloadFromWithinAReloadIsRefused() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, proxy("echo: {fails: to wait}\n").yaml());
        try (TestProxy proxy = proxy("").start(file)) {
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(proxy.proxy().generation()).isEqualTo(2);
            assertThat(reloads).hasSize(1);
            assertThat(proxies).isEmpty();
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
        }
    }

    @Test
    void aThreadThatIsInterruptedGivesCompanionsAMomentToClose() throws Exception {
        EgressProxy proxy =
                proxy("echo: {fails: to hurry}\naside: {fails: to hurry}\n").build();
        proxy.start();
        told();
        Thread.currentThread().interrupt();
        proxy.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(told()).containsExactly("closed echo", "done echo", "closed aside", "done aside");
    }

    @Tag("long")
    @Test
    void theEndDoesNotWaitForWhoNeverCloses() throws Exception {
        TestProxy proxy = proxy("echo: {fails: never closes}\naside: {}\n").start();
        InetSocketAddress address = proxy.proxy().httpAddress();
        told();
        proxy.close();
        assertThat(proxy.proxy().endedHard()).isTrue();
        assertThat(events.take()).isEqualTo("closed echo");
        assertThat(List.of(events.take(), events.take())).containsExactlyInAnyOrder("interrupted echo", "closed aside");
        assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()).close())
                .isInstanceOf(java.net.ConnectException.class);
    }
}
