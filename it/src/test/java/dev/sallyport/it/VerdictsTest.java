package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each thing that a transform can say, nothing included, in each place where it is asked: one answer lets go on. */
class VerdictsTest {

    private static final String DENIED = "HTTP/1.1 403 ";
    private static final String BROKEN = "HTTP/1.1 500 ";

    @TempDir
    Path folder;

    /** Says this of tunnels, and nothing against requests. */
    private record Porter(Function<ConnectContext, Admission> says) implements InlineTransform {

        @Override
        @SuppressWarnings("NullAway") // a transform that breaks its contract
        public Admission onConnect(ConnectContext context) {
            return says.apply(context);
        }

        @Override
        public Decision decide(RequestContext context) {
            return Decision.proceed();
        }
    }

    private static final Porter CLOSED = new Porter(context -> Admission.refuse("closed", "No."));

    private String tunnel(Transform... transforms) throws Exception {
        return tunnel(Capabilities.none(), transforms);
    }

    private String tunnel(Capabilities capabilities, Transform... transforms) throws Exception {
        TestProxy.Builder builder = TestProxy.builder(folder);
        for (int i = 0; i < transforms.length; i++) {
            builder.transform("t" + i, capabilities, transforms[i]);
        }
        try (TestProxy proxy = builder.start();
                Wire client = proxy.tunnel()) {
            return client.send(head("CONNECT localhost:443 HTTP/1.1", "Host: localhost:443"))
                    .readHead();
        }
    }

    @Test
    void aTunnelOpensWhenAllPass() throws Exception {
        Porter passes = new Porter(context -> Admission.pass());

        assertThat(tunnel(passes, passes)).startsWith("HTTP/1.1 200 ");
        assertThat(tunnel(passes, CLOSED)).startsWith(DENIED);
    }

    @Test
    void whoAdmitsIsNotAskedAfter() throws Exception {
        assertThat(tunnel(new Porter(context -> Admission.admit()), CLOSED)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void whoSaysNothingOfATunnelHasNotAdmittedIt() throws Exception {
        assertThat(tunnel(new Porter(context -> null))).startsWith(BROKEN);
    }

    @Test
    void whoThrowsHasNotAdmittedATunnel() throws Exception {
        assertThat(tunnel(new Porter(context -> {
                    throw new IllegalStateException("top secret");
                })))
                .startsWith(BROKEN)
                .doesNotContain("top secret");
        assertThat(tunnel(new Porter(context -> {
                    throw new NoClassDefFoundError("Missing");
                })))
                .startsWith(BROKEN);
    }

    @Test
    void theRecordOfARefusedTunnelSaysWhoNotedWhatAndWhoRefused() throws Exception {
        Porter notes = new Porter(context -> {
            context.trace().annotate("seen", context.target().host());
            return Admission.pass();
        });
        try (TestProxy proxy = TestProxy.builder(folder)
                        .transform("silent", new Porter(context -> Admission.pass()))
                        .transform("notes", notes)
                        .transform("closed", CLOSED)
                        .start();
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT localhost:443 HTTP/1.1", "Host: localhost:443"))
                    .readHead();

            assertThat(proxy.record().get("request_transforms"))
                    .extracting(step -> step.get("name").asText() + " "
                            + step.get("action").asText() + " " + step.get("annotations"))
                    .containsExactly("notes allow {\"seen\":\"localhost\"}", "closed reject {\"code\":\"closed\"}");
        }
    }

    /** The next one is asked all the same. */
    @Test
    void anObserverThatFailsDecidesNothing() throws Exception {
        Capabilities watching = Capabilities.builder().observer().build();

        assertThat(tunnel(watching, new Porter(context -> null))).startsWith("HTTP/1.1 200 ");
        assertThat(tunnel(watching, new Porter(context -> null), CLOSED)).startsWith(DENIED);
    }

    // Requests.

    private Wire.Message request(Capabilities capabilities, Transform transform) throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("done"));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("asked", capabilities, transform)
                        .start()) {
            Wire.Message message = proxy.get(origin, "/");
            boolean reached = origin.connections() > 0;
            return new Wire.Message(message.head() + "\r\nreached: " + reached, message.body(), message.trailers());
        }
    }

    private static Decision nothing() {
        return nil();
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // a transform that breaks its contract
    private static <T> T nil() {
        return null;
    }

    static Stream<Arguments> silence() {
        return Stream.of(
                Arguments.of("inline", (InlineTransform) request -> nothing()),
                Arguments.of("blocking", (BlockingTransform) request -> nothing()),
                Arguments.of("no stage", (Transform) request -> nil()),
                Arguments.of("async", (Transform) request -> CompletableFuture.completedFuture(nothing())),
                Arguments.of(
                        "later", (InlineTransform) request -> Decision.later(RequestStep.inline(later -> nothing()))),
                Arguments.of(
                        "later, async", (InlineTransform) request -> Decision.later(RequestStep.async(later -> nil()))),
                Arguments.of("later, blocking", (InlineTransform)
                        request -> Decision.later(RequestStep.blocking(later -> nothing()))),
                Arguments.of("no step", (InlineTransform) request -> new Decision.Later(nil(), false)),
                Arguments.of("read", (InlineTransform)
                        request -> Decision.read(Buffered.whole(), RequestStep.inline(read -> nothing()))),
                Arguments.of("read, no step", (InlineTransform) request -> Decision.read(Buffered.whole(), nil())),
                Arguments.of("no edits", (InlineTransform) request -> new Decision.Continue(nil(), nil(), false)),
                Arguments.of("no answer", (InlineTransform) request -> new Decision.Respond(nil())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("silence")
    void whoSaysNothingOfARequestHasNotLetItPass(String name, Transform transform) throws Exception {
        assertThat(request(TestProxy.everything(), transform).head())
                .startsWith(BROKEN)
                .endsWith("reached: false");
    }

    @Test
    void oneDecisionLetsARequestPass() throws Exception {
        assertThat(request(TestProxy.everything(), (InlineTransform) request -> Decision.proceed())
                        .head())
                .startsWith("HTTP/1.1 200 ")
                .endsWith("reached: true");
        assertThat(request(TestProxy.everything(), (InlineTransform) request -> Decision.reject(451, "no", "No."))
                        .head())
                .startsWith("HTTP/1.1 451 ")
                .endsWith("reached: false");
        assertThat(request(TestProxy.everything(), (InlineTransform)
                                request -> Decision.respond(StubResponse.json("{}")))
                        .body())
                .isEqualTo("{}");
    }

    @Test
    void answersOfATransformsOwnAreDeclared() throws Exception {
        StubResponse answer = StubResponse.json("{\"from\":\"here\"}");
        Decision.Reject reject = Decision.reject(403, "no", "No.");
        InlineTransform replacing = request ->
                Decision.proceed(Edits.none(), ResponseStep.inline(response -> ResponseDecision.replace(answer)));
        InlineTransform refusing = request -> Decision.proceed(
                Edits.none(),
                ResponseStep.inline(
                        response -> ResponseDecision.refuse(403, "no", "No.").with(answer)));

        for (InlineTransform transform : new InlineTransform[] {
            request -> Decision.respond(answer), request -> reject.with(answer), replacing, refusing
        }) {
            assertThat(request(Capabilities.none(), transform))
                    .satisfies(message -> assertThat(message.head()).startsWith(BROKEN))
                    .satisfies(message -> assertThat(message.body()).doesNotContain("here"));
            assertThat(request(TestProxy.everything(), transform).body()).isEqualTo("{\"from\":\"here\"}");
        }
    }

    @Test
    void aRefusalHasTheStatusThatWasAskedFor() throws Exception {
        StubResponse teapot = StubResponse.status(418).body("short and stout").build();
        Decision.Reject reject = Decision.reject(403, "no", "No.");

        assertThat(request(Capabilities.none(), (InlineTransform) request -> reject.with(teapot)))
                .satisfies(message -> assertThat(message.head()).startsWith("HTTP/1.1 418 "))
                .satisfies(message -> assertThat(message.body()).isEqualTo("short and stout"));
    }

    // Responses.

    static Stream<Arguments> silentSteps() {
        return Stream.of(
                Arguments.of("inline", ResponseStep.inline(response -> nil())),
                Arguments.of("async", ResponseStep.async(response -> CompletableFuture.completedFuture(nil()))),
                Arguments.of("no stage", ResponseStep.async(response -> nil())),
                Arguments.of("blocking", ResponseStep.blocking(response -> nil())),
                Arguments.of(
                        "read",
                        ResponseStep.inline(response ->
                                ResponseDecision.read(Buffered.whole(), ResponseStep.inline(read -> nil())))),
                Arguments.of(
                        "read, no step",
                        ResponseStep.inline(response -> new ResponseDecision.Read(Buffered.whole(), nil()))),
                Arguments.of("no edits", ResponseStep.inline(response -> new ResponseDecision.Continue(nil()))),
                Arguments.of("no answer", ResponseStep.inline(response -> new ResponseDecision.Replace(nil()))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("silentSteps")
    void whoSaysNothingOfAResponseHasNotLetItPass(String name, ResponseStep step) throws Exception {
        Wire.Message message =
                request(TestProxy.everything(), (InlineTransform) request -> Decision.proceed(Edits.none(), step));

        assertThat(message.head()).startsWith(BROKEN).endsWith("reached: true");
        assertThat(message.body()).doesNotContain("done");
    }

    /** The request is still on its way, so that an origin can send more: it is about another response. */
    @Test
    void aVerdictIsAboutTheResponseThatWasJudged() throws Exception {
        ResponseStep step =
                ResponseStep.blocking(response -> response.head().headers().contains("X-Other")
                        ? ResponseDecision.refuse("other", "No.")
                        : ResponseDecision.proceed());
        TestOrigin.Script twice = peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Other: 1\r\n\r\nother");
            peer.readToEnd();
        };
        try (TestOrigin origin = TestOrigin.of(twice);
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("judge", TestProxy.everything(), (InlineTransform)
                                request -> Decision.proceed(Edits.none(), step))
                        .start();
                Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 9"));

            assertThat(client.readHead()).startsWith("HTTP/1.1 200 ").doesNotContainIgnoringCase("x-other");
            assertThat(client.read(5)).isEqualTo("first");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("allow");
        }
    }

    // Interim heads: what is not passed on costs the head, and not the exchange.

    static Stream<Arguments> interimDecisions() {
        return Stream.of(
                Arguments.of(ResponseDecision.proceed(), true),
                Arguments.of(nil(), false),
                Arguments.of(
                        ResponseDecision.read(
                                Buffered.whole(), ResponseStep.inline(read -> ResponseDecision.proceed())),
                        false),
                Arguments.of(ResponseDecision.replace(StubResponse.json("{}")), false),
                Arguments.of(ResponseDecision.refuse("no", "No."), false));
    }

    @ParameterizedTest
    @MethodSource("interimDecisions")
    void oneDecisionLetsAnInterimHeadPass(ResponseDecision decision, boolean passes) throws Exception {
        try (TestOrigin origin =
                        TestOrigin.answering(head("HTTP/1.1 103 Early Hints", "Link: </a>") + TestOrigin.ok("done"));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("asked", TestProxy.everything(), (InlineTransform) request -> Decision.proceed(
                                Edits.none(),
                                ResponseStep.inline(response ->
                                        response.head().status() == 103 ? decision : ResponseDecision.proceed())))
                        .start();
                Wire client = proxy.http()) {
            String first = client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()))
                    .readHead();
            assertThat(first).startsWith(passes ? "HTTP/1.1 103 " : "HTTP/1.1 200 ");
        }
    }
}
