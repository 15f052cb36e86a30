package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.explain.MaskedEdit;
import dev.sallyport.core.explain.TransformOutcome;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code EgressProxy.explain}: a verdict, and nothing else (docs/spec/decisions.md, section 13). */
class ExplainTest {

    @TempDir
    Path folder;

    private static ExplainRequest.Builder get(String url) {
        return ExplainRequest.builder("GET", url);
    }

    private Explanation explain(ExplainRequest.Builder request, Capabilities capabilities, Transform transform)
            throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .transform("t", capabilities, transform)
                .start()) {
            Explanation explanation = proxy.proxy().explain(request.build());
            assertThat(proxy.closeAndRecords()).as("records").isEmpty();
            return explanation;
        }
    }

    private Explanation explain(String url, InlineTransform transform) throws Exception {
        return explain(get(url), TestProxy.everything(), transform);
    }

    @Test
    void a_request_that_all_let_pass() throws Exception {
        Explanation explanation = explain("https://api.example.com/v1?a=b", request -> Decision.proceed());

        assertThat(explanation.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(explanation.status()).isZero();
        assertThat(explanation.destination())
                .isEqualTo(new Explanation.Target("api.example.com", 443, true, List.of()));
        assertThat(explanation.transforms()).extracting(TransformOutcome::name).containsExactly("t", "sentinel");
    }

    @Test
    void a_switch_to_a_protocol_that_no_rule_lists_is_refused() throws Exception {
        ExplainRequest.Builder request =
                get("https://api.example.com/").header("Connection", "Upgrade").header("Upgrade", "tcp");

        Explanation explanation =
                explain(request, TestProxy.everything(), (InlineTransform) asked -> Decision.proceed());

        assertThat(explanation.verdict()).isEqualTo(Verdict.REJECT);
        assertThat(explanation.code()).isEqualTo("upgrade_not_allowed");
    }

    private Explanation responding(ResponseStep step) throws Exception {
        Explanation explanation = explain("https://api.example.com/", request -> Decision.proceed(Edits.none(), step));
        assertThat(explanation.verdict()).isEqualTo(Verdict.ALLOW);
        return explanation;
    }

    @Test
    void what_a_response_would_get_in_any_case_is_shown() throws Exception {
        Edits edits = Edits.builder()
                .setHeader("X-Seen", "yes")
                .sensitive()
                .setHeader("X-Key", "s3cret-value")
                .build();

        Explanation explanation = responding(ResponseStep.inline(response -> ResponseDecision.proceed(edits)));

        assertThat(explanation.response()).singleElement().satisfies(outcome -> {
            assertThat(outcome.name()).isEqualTo("t");
            assertThat(outcome.action()).isEqualTo("allow");
            assertThat(outcome.edits())
                    .containsExactly(
                            new MaskedEdit("set_header", "X-Seen", "yes"),
                            new MaskedEdit("set_header", "X-Key", "***"));
        });
    }

    @Test
    void what_the_response_decides_is_not_known() throws Exception {
        Explanation looking = responding(ResponseStep.inline(response ->
                response.head().status() == 200 ? ResponseDecision.proceed() : ResponseDecision.refuse("odd", "Odd.")));
        assertThat(looking.response()).singleElement().satisfies(outcome -> {
            assertThat(outcome.action()).isEqualTo("undecidable");
            assertThat(outcome.detail()).isEqualTo("the response decides");
        });

        Explanation reading = responding(ResponseStep.inline(response ->
                ResponseDecision.read(Buffered.whole(4096), ResponseStep.inline(body -> ResponseDecision.proceed()))));
        assertThat(reading.response().getFirst().detail())
                .isEqualTo("its body decides, of which up to 4096 bytes are read");

        Explanation asking = responding(ResponseStep.async(response -> {
            throw new AssertionError("it is not run");
        }));
        assertThat(asking.response().getFirst().action()).isEqualTo("undecidable");
    }

    @Test
    void the_secrets_that_are_removed_from_the_response_are_named() throws Exception {
        Edits edits = Edits.builder()
                .sensitive()
                .setHeader("Authorization", "Bearer s3cret-value")
                .credential(Credential.of("API_TOKEN", "s3cret-value"))
                .build();

        Explanation explanation = explain("https://api.example.com/", request -> Decision.proceed(edits));
        assertThat(explanation.redacted()).containsExactly("API_TOKEN");

        Edits kept = Edits.builder()
                .sensitive()
                .setHeader("Authorization", "Bearer s3cret-value")
                .credential(Credential.of("API_TOKEN", "s3cret-value").redact(RedactResponse.OFF))
                .build();
        assertThat(explain("https://api.example.com/", request -> Decision.proceed(kept))
                        .redacted())
                .isEmpty();
    }

    @Test
    void a_refusal_names_who_refused_and_by_which_rule() throws Exception {
        Explanation explanation = explain(
                "https://api.example.com/",
                request -> Decision.reject(451, "unlawful", "No.").byRule(2));

        assertThat(explanation.verdict()).isEqualTo(Verdict.REJECT);
        assertThat(explanation.status()).isEqualTo(451);
        assertThat(explanation.code()).isEqualTo("unlawful");
        assertThat(explanation.detail()).isEqualTo("No.");
        assertThat(explanation.decidedBy()).isEqualTo("t");
        assertThat(explanation.rule().pointer()).isEqualTo("/given/0/rules/2");
        assertThat(explanation.rule()).hasToString("EgressProxy.Builder");
    }

    @Test
    void a_local_answer() throws Exception {
        Explanation explanation = explain(
                "http://api.example.com/",
                request -> Decision.respond(StubResponse.status(202).build()));

        assertThat(explanation.verdict()).isEqualTo(Verdict.STUB);
        assertThat(explanation.status()).isEqualTo(202);
        assertThat(explanation.decidedBy()).isEqualTo("t");
    }

    @Test
    void a_transform_that_breaks_is_an_error() throws Exception {
        Explanation explanation = explain("http://api.example.com/", request -> {
            throw new IllegalStateException("boom");
        });

        assertThat(explanation.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(explanation.status()).isEqualTo(500);
        assertThat(explanation.code()).isEqualTo("transform_failed");
    }

    @Test
    void the_body_is_judged() throws Exception {
        InlineTransform reader = request -> Decision.read(
                Buffered.whole(),
                RequestStep.inline(read -> Decision.reject(
                        400, "seen", StandardCharsets.UTF_8.decode(read.body().bytes()) + " seen")));

        Explanation explanation = explain(
                ExplainRequest.builder("POST", "http://api.example.com/").body("abc".getBytes(StandardCharsets.UTF_8)),
                TestProxy.everything(),
                reader);

        assertThat(explanation.detail()).isEqualTo("abc seen");
    }

    @Test
    void sensitive_edits_are_masked_and_others_shown() throws Exception {
        Edits edits = Edits.builder()
                .setHeader("X-Plain", "shown")
                .sensitive()
                .setHeader("Authorization", "s3cret")
                .build();

        Explanation explanation = explain("https://api.example.com/", request -> Decision.proceed(edits));

        assertThat(explanation.transforms().getFirst().edits())
                .extracting(edit -> edit.edit() + " " + edit.name() + " " + edit.value())
                .containsExactly("set_header X-Plain shown", "set_header Authorization ***");
        assertThat(explanation.toString()).doesNotContain("s3cret");
    }

    // Who would be asked.

    private static final Capabilities ASKING = Capabilities.builder()
            .effects(Effect.CALLS_OUT, Effect.ANSWERS_LOCALLY)
            .build();

    /** Counts its calls. */
    private static final class Asking implements Transform {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public CompletionStage<Decision> onRequest(RequestContext context) {
            calls.incrementAndGet();
            return CompletableFuture.completedFuture(Decision.reject(403, "asked", "No."));
        }
    }

    @Test
    void a_step_that_calls_out_is_not_run() throws Exception {
        Asking asking = new Asking();

        Explanation explanation = explain(get("http://api.example.com/"), ASKING, asking);

        assertThat(explanation.verdict()).isEqualTo(Verdict.UNDECIDABLE);
        assertThat(explanation.status()).isZero();
        assertThat(explanation.code()).isEqualTo("not_asked");
        assertThat(explanation.decidedBy()).isEqualTo("t");
        assertThat(explanation.transforms().getFirst().action()).isEqualTo("undecidable");
        assertThat(asking.calls).hasValue(0);
    }

    @Test
    void a_live_explanation_runs_it() throws Exception {
        Asking asking = new Asking();

        Explanation explanation = explain(get("http://api.example.com/").live(true), ASKING, asking);

        assertThat(explanation.code()).isEqualTo("asked");
        assertThat(asking.calls).hasValue(1);
    }

    @Test
    void a_step_off_the_loop_that_calls_nobody_is_run() throws Exception {
        BlockingTransform computing = request -> Decision.reject(403, "computed", "No.");

        assertThat(explain(get("http://api.example.com/"), Capabilities.none(), computing)
                        .code())
                .isEqualTo("computed");
    }

    // The destination.

    @Test
    void a_literal_that_the_dial_guard_denies() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: [\"192.0.2.0/24\"]")
                .start()) {
            Explanation denied =
                    proxy.proxy().explain(get("http://192.0.2.7:8080/").build());
            Explanation own = proxy.proxy()
                    .explain(get("http://127.0.0.1:"
                                    + proxy.proxy().httpAddress().getPort() + "/")
                            .build());
            Explanation other = proxy.proxy().explain(get("http://192.0.3.7/").build());

            assertThat(denied.verdict()).isEqualTo(Verdict.ERROR);
            assertThat(denied.status()).isEqualTo(502);
            assertThat(denied.code()).isEqualTo("upstream_denied");
            assertThat(own.code()).isEqualTo("upstream_denied");
            assertThat(other.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(other.destination().addresses()).containsExactly("192.0.3.7");
        }
    }

    @Test
    void a_name_is_resolved_only_live() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: [\"127.0.0.0/8\", \"::1/128\"]")
                .start()) {
            Explanation dry = proxy.proxy().explain(get("http://localhost/").build());
            Explanation live =
                    proxy.proxy().explain(get("http://localhost/").live(true).build());

            assertThat(dry.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(dry.destination().addresses()).isEmpty();
            assertThat(live.verdict()).isEqualTo(Verdict.ERROR);
            assertThat(live.code()).isEqualTo("upstream_denied");
        }
    }

    @Test
    void nothing_is_sent_live_either() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("never"));
                TestProxy proxy = TestProxy.builder(folder).start()) {
            Explanation live = proxy.proxy()
                    .explain(get("http://localhost:" + origin.port() + "/")
                            .live(true)
                            .build());

            assertThat(live.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(live.destination().addresses()).contains("127.0.0.1");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void a_credential_without_tls_to_a_name_is_open_and_to_a_literal_known() throws Exception {
        InlineTransform injector = request -> Decision.proceed(
                Edits.builder().sensitive().setHeader("Authorization", "s3cret").build());

        Explanation named = explain("http://api.example.com/", injector);
        assertThat(named.verdict()).isEqualTo(Verdict.UNDECIDABLE);
        assertThat(named.transforms())
                .extracting(outcome -> outcome.name() + " " + outcome.action())
                .containsExactly("t undecidable", "sentinel allow");
        assertThat(explain("http://127.0.0.1/", injector).verdict()).isEqualTo(Verdict.ALLOW);
        Explanation far = explain("http://203.0.113.1/", injector);
        assertThat(far.verdict()).isEqualTo(Verdict.REJECT);
        assertThat(far.code()).isEqualTo("plaintext_credential");
        assertThat(far.decidedBy()).isEqualTo("t");
    }

    // The way.

    private record Porter(Admission says) implements InlineTransform {

        @Override
        public Admission onConnect(ConnectContext context) {
            return says;
        }

        @Override
        public Decision decide(RequestContext context) {
            return Decision.proceed();
        }
    }

    @Test
    void the_tunnel_is_asked_for_first() throws Exception {
        Porter closed = new Porter(Admission.refuse("closed", "No.").byRule(1));

        Explanation inside = explain(get("https://api.example.com/"), Capabilities.none(), closed);
        Explanation itself =
                explain(ExplainRequest.builder("CONNECT", "api.example.com:8443"), Capabilities.none(), closed);
        Explanation plain = explain(get("http://api.example.com/"), Capabilities.none(), closed);

        assertThat(inside.code()).isEqualTo("closed");
        assertThat(inside.transforms()).singleElement().satisfies(outcome -> {
            assertThat(outcome.phase()).isEqualTo("connect");
            assertThat(outcome.action()).isEqualTo("reject");
            assertThat(outcome.rule().pointer()).isEqualTo("/given/0/rules/1");
        });
        assertThat(itself.code()).isEqualTo("closed");
        assertThat(itself.destination().port()).isEqualTo(8443);
        assertThat(plain.verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void in_sni_only_the_host_is_all_that_is_judged() throws Exception {
        InlineTransform seen = request -> Decision.reject(
                403, "seen", request.visibility() + " " + request.head().method() + request.destination());
        try (TestProxy proxy = TestProxy.builder(folder)
                .tlsLines("mode: sni-only")
                .transform("t", seen)
                .start()) {
            assertThat(proxy.proxy()
                            .explain(get("https://api.example.com/secret").build())
                            .detail())
                    .isEqualTo("HOST_ONLY api.example.com:443");
            assertThat(proxy.proxy()
                            .explain(get("http://api.example.com/").build())
                            .detail())
                    .isEqualTo("FULL GETapi.example.com:80");
            assertThat(proxy.proxy().explain(get("https://192.0.2.1/").build()).code())
                    .isEqualTo("no_server_name");
        }
    }

    @Test
    void an_answer_to_tls_that_is_passed_through_is_a_refusal() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy = TestProxy.builder(folder)
                .tlsLines(
                        "ca_cert: " + certificates.caCert,
                        "ca_key: " + certificates.caKey,
                        "passthrough: [passed.example.com]")
                .transform("t", request -> Decision.respond(StubResponse.json("{}")))
                .start()) {
            Explanation passed =
                    proxy.proxy().explain(get("https://passed.example.com/").build());
            Explanation read =
                    proxy.proxy().explain(get("https://read.example.com/").build());

            assertThat(passed.verdict()).isEqualTo(Verdict.REJECT);
            assertThat(passed.code()).isEqualTo("stub_not_possible");
            assertThat(read.verdict()).isEqualTo(Verdict.STUB);
        }
    }

    @Test
    void who_sends_it() throws Exception {
        InlineTransform seen = request -> Decision.reject(
                403,
                "seen",
                request.connection().principal() + " "
                        + request.connection().peer().getAddress().getHostAddress());
        try (TestProxy proxy = TestProxy.builder(folder)
                .proxyLines(
                        "upstream_deny_cidrs: []",
                        "auth: {users: [{name: ci, password: {type: test, name: pw}}], required: true}")
                .catalog(PluginCatalog.of(List.of(), List.of(new TestSecrets().set("pw", "password"))))
                .transform("t", seen)
                .start()) {
            ExplainRequest.Builder nobody = get("https://api.example.com/");
            ExplainRequest.Builder user =
                    get("https://api.example.com/").user("ci").source(InetAddress.getByName("192.0.2.9"), 0);

            Explanation refused = proxy.proxy().explain(nobody.build());
            Explanation known = proxy.proxy().explain(user.build());

            assertThat(refused.status()).isEqualTo(407);
            assertThat(refused.code()).isEqualTo("proxy_authentication_required");
            assertThat(known.detail()).isEqualTo("Principal[user:ci by proxy_auth {user=ci}] 192.0.2.9");
            assertThat(known.workload()).isEqualTo("user:ci");
            assertThatThrownBy(() -> proxy.proxy()
                            .explain(get("https://api.example.com/").user("x").build()))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("user: no such user (expected: one of proxy.auth.users)");
        }
    }

    // Beside traffic.

    @Test
    void a_reload_changes_the_explanation_and_given_transforms_stay() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        AtomicInteger asked = new AtomicInteger();
        TestProxy.Builder builder = TestProxy.builder(folder).transform("t", request -> {
            asked.incrementAndGet();
            return Decision.proceed();
        });
        Files.writeString(file, builder.yaml());
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("done"));
                TestProxy proxy = builder.start(file)) {
            assertThat(proxy.proxy().explain(get("http://192.0.2.7/").build()).verdict())
                    .isEqualTo(Verdict.ALLOW);

            Files.writeString(
                    file,
                    builder.proxyLines("upstream_deny_cidrs: [\"192.0.2.0/24\"]")
                            .yaml());
            proxy.proxy().reload();

            assertThat(proxy.proxy().explain(get("http://192.0.2.7/").build()).code())
                    .isEqualTo("upstream_denied");
            // The transform that serves traffic has not been closed with an explainer; the proxy's closing checks that.
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            assertThat(asked.get()).isEqualTo(3);
        }
    }

    @Test
    void explanations_under_way_do_not_keep_a_proxy_open() throws Exception {
        CompletableFuture<Decision> never = new CompletableFuture<>();
        CountedStart started = new CountedStart(never);
        TestProxy proxy = TestProxy.builder(folder)
                .transform("t", Capabilities.none(), started)
                .start();
        Thread explaining = Thread.ofPlatform().start(() -> {
            try {
                proxy.proxy().explain(get("http://api.example.com/").build());
            } catch (InterruptedException | InvalidRequestException | RuntimeException e) {
                Thread.currentThread().interrupt();
            }
        });
        started.begun.join();

        explaining.interrupt();
        explaining.join();
        proxy.close();

        assertThat(never).isCancelled();
    }

    @Test
    void closing_a_proxy_gives_up_what_is_being_explained() throws Exception {
        CompletableFuture<Decision> never = new CompletableFuture<>();
        CountedStart started = new CountedStart(never);
        TestProxy proxy = TestProxy.builder(folder)
                .transform("t", Capabilities.none(), started)
                .start();
        CompletableFuture<Explanation> explained = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                explained.complete(
                        proxy.proxy().explain(get("http://api.example.com/").build()));
            } catch (InterruptedException | InvalidRequestException | RuntimeException e) {
                explained.completeExceptionally(e);
            }
        });
        started.begun.join();

        proxy.close();

        assertThat(never).isCancelled();
        assertThatThrownBy(explained::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    /** Tells when it is asked. */
    private record CountedStart(CompletableFuture<Decision> answer, CompletableFuture<Void> begun)
            implements Transform {

        CountedStart(CompletableFuture<Decision> answer) {
            this(answer, new CompletableFuture<>());
        }

        @Override
        public CompletionStage<Decision> onRequest(RequestContext context) {
            begun.complete(null);
            return answer;
        }
    }

    // What cannot be explained.

    @Test
    void requests_that_are_none() {
        assertThatThrownBy(() -> ExplainRequest.builder("G T", "api.example.com/")
                        .header("a b", "c")
                        .header("X", "a\nb")
                        .header("Proxy-Authorization", "Basic abc")
                        .header("Content-Length", "3")
                        .user("u")
                        .workload("w")
                        .build())
                .isInstanceOfSatisfying(
                        InvalidRequestException.class,
                        fault -> assertThat(fault.problems())
                                .extracting(InvalidRequestException.Problem::toString)
                                .containsExactly(
                                        "method: not a method (expected: GET, POST, ...)",
                                        "headers: a name that is no token",
                                        "headers: X: a value with a control character",
                                        "headers: Proxy-Authorization: credentials are not needed (expected: the user's name in user)",
                                        "headers: Content-Length: the body's length is known (expected: no such header)",
                                        "user: a user and a workload (expected: one of them)",
                                        "url: no scheme (expected: an http or https URL, such as https://api.example.com/v1)"));
        for (String url : List.of("ftp://a/", "http://", "http://u@a/", "http://a:0/", "http://a/b c", "http://a b/")) {
            assertThatThrownBy(() -> get(url).build())
                    .as(url)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageStartingWith("url: ");
        }
    }

    @Test
    void a_url_is_sent_as_a_client_sends_it() throws Exception {
        InlineTransform seen = request -> Decision.reject(
                403,
                "seen",
                request.head().target() + " " + request.head().headers().first("Host") + " " + request.destination());

        assertThat(explain("HTTPS://B\u00fccher.Example:8443?a=b#c", seen).detail())
                .isEqualTo("/?a=b xn--bcher-kva.example:8443 xn--bcher-kva.example:8443");
        assertThat(explain("http://[2001:DB8::1]/x", seen).detail()).isEqualTo("/x [2001:db8::1] [2001:db8::1]:80");
    }
}
