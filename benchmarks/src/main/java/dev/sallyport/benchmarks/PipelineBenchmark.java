package dev.sallyport.benchmarks;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.RequestCallbacks;
import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A request's head from its arrival to the verdict, through a pipeline built from a configuration. Each request has a run
 * and an audit record of its own, as in the proxy; nothing is sent.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PipelineBenchmark {

    private static final String ELSEWHERE = "rules: [{host: api.example.com, paths: [/elsewhere/*]}]";
    private static final String MATCHED = "rules: [{host: api.example.com, paths: [/v1/*]}]";

    /** All there are. The first four may match, by their path; the others are for the same host and never do. */
    private static final List<String> ENTRIES = List.of(
            "{name: allowlist, config: {rules: [{host: api.example.com}]}}",
            "{name: annotate, config: {annotations: [{RULES, headers: [User-Agent, X-Request-Id, Traceparent]}]}}",
            "{name: secrets, config: {secrets: [{source: {type: env, var: TOKEN}, "
                    + "replace: {proxy_value: SALLYPORT_PROXY_TOKEN}, RULES}]}}",
            "{name: header_allowlist, config: {headers: [\"/^[a-v]/\", X-Request-Id], RULES}}",
            "{name: body_capture, config: {" + ELSEWHERE + "}}",
            "{name: oauth_token, config: {tokens: [{grant: client_credentials, "
                    + "token_endpoint: \"https://issuer.example.com/token\", client_id: {type: env, var: TOKEN}, "
                    + "client_secret: {type: env, var: TOKEN}, " + ELSEWHERE + "}]}}",
            "{name: svcacct_auth, config: {keyfile: {type: env, var: ACCOUNT}, scopes: [read], " + ELSEWHERE + "}}",
            "{name: sigv4_auth, config: {access_key_id: {type: env, var: TOKEN}, "
                    + "secret_access_key: {type: env, var: TOKEN}, " + ELSEWHERE + "}}",
            "{name: hmac_sign, config: {timestamp: {format: unix_seconds}, signature: {algorithm: sha256,"
                    + " key_encoding: raw, output_encoding: hex, message: \"{{.Path}}\"}, credentials: {secret: {type:"
                    + " env, var: TOKEN}}, headers: [{name: X-Sign, value: \"{{.Signature}}\"}], " + ELSEWHERE + "}}",
            "{name: judge, config: {name: one, prompt: No., " + ELSEWHERE
                    + ", provider: {type: llm_a, model: m, api_key_env: JUDGE_KEY}}}",
            "{name: grpc, config: {name: two, target: \"policy.example.com:9000\", " + ELSEWHERE + "}}");

    /** Transforms in the pipeline. */
    @Param({"0", "5", "11"})
    public int transforms;

    private final SamplePipeline pipeline = new SamplePipeline();
    private final RequestMessage plain =
            head("Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.Et9HFtf9R3GEMA0IICOfFMVXY7kkTX1wr4qCyIf58U");
    private final RequestMessage marked = head("Bearer SALLYPORT_PROXY_TOKEN");
    private final Request request = new Request(pipeline.loop(), plain);
    private Generation none = pipeline.build(List.of());
    private Generation some = none;

    /** An exchange that ends with the verdict. */
    private static final class Request implements RequestCallbacks {

        private final ExchangeFacts facts;
        private RequestMessage head;
        private MutableAuditRecord audit = new MutableAuditRecord("", 0);
        private boolean forwarded;

        Request(EventLoop loop, RequestMessage head) {
            TestContext context = TestContext.of(TestRequest.get("https://api.example.com/v1/keys?page=2"));
            this.facts = new ExchangeFacts(
                    loop, "sample", context.connection(), this, context.destination(), Visibility.FULL);
            this.head = head;
        }

        @Override
        public ExchangeFacts facts() {
            return facts;
        }

        @Override
        public RequestMessage head() {
            return head;
        }

        @Override
        public boolean mayGrow(long bytes) {
            return true;
        }

        @Override
        public MessageBody body() {
            throw new IllegalStateException("the body is not looked at");
        }

        @Override
        public MutableAuditRecord audit() {
            return audit;
        }

        @Override
        public void requireNear(Stage stage, Runnable next) {
            throw new IllegalStateException("the origin speaks TLS");
        }

        @Override
        public void bodyDemanded() {
            throw new IllegalStateException("the body is not looked at");
        }

        @Override
        public void forward() {
            forwarded = true;
        }

        @Override
        public void rejected(Stage stage, Decision.Reject reject) {
            throw new IllegalStateException(stage.name() + ": " + reject.code());
        }

        @Override
        public void responded(Stage stage, StubResponse response) {
            throw new IllegalStateException(stage.name() + " answered");
        }

        @Override
        public void failed(Stage stage, int status, String code, String detail, String error) {
            throw new IllegalStateException(stage.name() + ": " + error);
        }
    }

    @Setup
    public void prepare() {
        none = pipeline.build(pipeline.entries(entries(ELSEWHERE)));
        some = pipeline.build(pipeline.entries(entries(MATCHED)));
        none.acquire(pipeline.loop());
        some.acquire(pipeline.loop());
        noneMatches();
        someMatch();
    }

    private List<String> entries(String rules) {
        return ENTRIES.subList(0, transforms).stream()
                .map(entry -> entry.replace("RULES", rules))
                .toList();
    }

    private static RequestMessage head(String authorization) {
        HeaderBlock headers = new HeaderBlock(24);
        headers.append("Host", "api.example.com");
        for (String[] line : Samples.head()) {
            headers.append(line[0], line[0].equals("Authorization") ? authorization : line[1]);
        }
        return new RequestMessage("GET", "/v1/keys", "page=2", headers, 0);
    }

    /** No placeholder, and rules for this host of which none is for this path. */
    @Benchmark
    public boolean noneMatches() {
        request.head = plain;
        return run(none);
    }

    /** Where there are five or more: three headers recorded, one placeholder swapped, none stripped. */
    @Benchmark
    public boolean someMatch() {
        request.head = marked.copy();
        return run(some);
    }

    private boolean run(Generation generation) {
        request.audit = new MutableAuditRecord("sample", 0);
        request.forwarded = false;
        RequestRun run = generation.request(request);
        run.start();
        if (!request.forwarded) {
            throw new IllegalStateException("no verdict");
        }
        return request.forwarded;
    }

    @TearDown
    public void close() throws Exception {
        pipeline.close();
    }
}
