package dev.sallyport.benchmarks;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.mcp.McpConfig;
import dev.sallyport.mcp.McpFactory;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Trace;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Judges a call of 2 KiB with conditions on three arguments; and filters streams of 1 MiB, which come in pieces of 16 KiB, of
 * events of 400 bytes or 40 KiB in which nothing is to be changed. Of a stream, operations a second are MiB a second.
 */
@State(Scope.Benchmark)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class McpBenchmark {

    private static final int CALL = 2048;
    private static final int STREAM = 1 << 20;
    private static final String URL = "https://mcp.example.com/mcp";

    private InlineTransform mcp = context -> Decision.proceed();
    private RequestContext allowed = request("");
    private RequestContext denied = allowed;
    private ResponseContext events = new Events(allowed);
    private ResponseStep.Inline response = context -> ResponseDecision.proceed();
    private Pieces shortEvents = new Pieces(new byte[0]);
    private Pieces longEvents = shortEvents;
    private Pieces parsedEvents = shortEvents;

    @Setup
    public void prepare() throws ConfigException {
        McpConfig.Tool tool = new McpConfig.Tool(
                "create_issue",
                List.of(
                        new McpConfig.When("owner", "our-team", null, null),
                        new McpConfig.When("labels.0", null, List.of("bug", "question"), null),
                        new McpConfig.When("title", null, null, "^\\[agent\\] ")),
                null);
        McpConfig.Server server = new McpConfig.Server(
                "s", List.of(Rule.host("mcp.example.com")), List.of(tool), false, null, null, true, false);
        McpConfig config = new McpConfig(
                new McpConfig.ErrorAnswer(-32001, "blocked by the service policy"),
                null,
                4 << 20,
                new McpConfig.Limits("64KiB", 1000),
                List.of(server));
        mcp = (InlineTransform) new McpFactory().create(config, new SampleContext());
        allowed = request(call("create_issue"));
        denied = request(call("delete_repository"));
        events = new Events(allowed);
        response = (ResponseStep.Inline) Objects.requireNonNull(((Decision.Continue) judge(allowed)).then());
        String text = "The tool \\\"search\\\" found that tools are useful. ";
        shortEvents = new Pieces(stream(400, text));
        longEvents = new Pieces(stream(40 << 10, text));
        parsedEvents = new Pieces(stream(400, "It lists {\\\"tools\\\": []}. "));
    }

    private static RequestContext request(String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        TestRequest post = TestRequest.post(URL, "application/json", body);
        return new ReadRequest(TestContext.of(post), bytes);
    }

    private static String call(String tool) {
        String begin = "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{\"owner\":\"our-team\",\"labels\":[\"bug\",\"agent\"],\"draft\":false,"
                + "\"title\":\"[agent] It does not start\",\"body\":\"";
        String end = "\"},\"_meta\":{\"progressToken\":17}}}";
        StringBuilder text = new StringBuilder(begin);
        while (text.length() < CALL - end.length()) {
            text.append("Started it as documented.\\n");
        }
        return text.append(end).toString();
    }

    private static byte[] stream(int event, String text) {
        StringBuilder stream = new StringBuilder();
        while (stream.length() + event + text.length() + 200 < STREAM) {
            int begin = stream.length();
            stream.append("event: message\nid: 1763\ndata: {\"jsonrpc\":\"2.0\",\"id\":17,\"result\":{\"content\":"
                    + "[{\"type\":\"text\",\"text\":\"");
            while (stream.length() - begin < event) {
                stream.append(text);
            }
            stream.append("\"}]}}\n\n");
        }
        stream.append(":".repeat(STREAM - 2 - stream.length())).append("\n\n");
        return stream.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Decision judge(RequestContext context) {
        Decision.Read read = (Decision.Read) mcp.decide(context);
        return ((RequestStep.Inline) read.then()).apply(context);
    }

    /** From the head to the verdict, body read. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public Decision allowedCall() {
        return judge(allowed);
    }

    /** The same, with the answer to the client. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public Decision deniedCall() {
        return judge(denied);
    }

    /** Events of 400 bytes. */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    public long shortEvents() {
        return shortEvents.through(filter());
    }

    /** Events of 40 KiB, none of which comes in one piece. */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    public long longEvents() {
        return longEvents.through(filter());
    }

    /** Events of 400 bytes that have to be parsed, for they mention a list. */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    public long parsedEvents() {
        return parsedEvents.through(filter());
    }

    private BodyRewriter filter() {
        ResponseDecision.Continue decision = (ResponseDecision.Continue) response.apply(events);
        return ((Edit.RewriteBody) decision.edits().list().getFirst()).rewriter();
    }

    /** The head of a stream of events. */
    private record Events(RequestContext of) implements ResponseContext, ResponseHead {

        @Override
        public String exchangeId() {
            return of.exchangeId();
        }

        @Override
        public Destination destination() {
            return of.destination();
        }

        @Override
        public RequestHead request() {
            return of.head();
        }

        @Override
        public ResponseHead head() {
            return this;
        }

        @Override
        public boolean answeredLocally() {
            return false;
        }

        @Override
        public Body body() {
            throw new IllegalStateException("body");
        }

        @Override
        public Trace trace() {
            return of.trace();
        }

        @Override
        public Duration remaining() {
            return of.remaining();
        }

        @Override
        public int status() {
            return 200;
        }

        @Override
        public String reason() {
            return "OK";
        }

        @Override
        public Headers headers() {
            HeaderBlock headers = new HeaderBlock(1);
            headers.append("Content-Type", "text/event-stream");
            return headers;
        }

        @Override
        public OptionalLong contentLength() {
            return OptionalLong.empty();
        }
    }
}
