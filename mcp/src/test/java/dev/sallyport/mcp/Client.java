package dev.sallyport.mcp;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.Upstream;
import java.util.List;
import java.util.Map;

/** A client of one server that goes through the interceptor. */
final class Client implements AutoCloseable {

    static final String URL = "https://mcp.example.com/mcp";

    private final TransformHarness harness;

    private Client(TransformHarness harness) {
        this.harness = harness;
    }

    /** @param policy the fields of the server besides its name and rules, in YAML flow style */
    static Client of(String policy, Upstream upstream) {
        return new Client(
                TransformHarness.of(yaml(policy, "")).upstream(upstream).start());
    }

    /** @param more fields of the section, each line indented by two */
    static Client of(String policy, String more, Upstream upstream) {
        return new Client(
                TransformHarness.of(yaml(policy, more)).upstream(upstream).start());
    }

    static String yaml(String policy, String more) {
        return "mcp:\n" + more + "  servers:\n    - {name: s, rules: [{host: mcp.example.com}], " + policy + "}\n";
    }

    static Upstream accepts() {
        return request -> TestResponse.status(202);
    }

    /** Answers with what it was asked. */
    static Upstream echoes() {
        return (ForwardedRequest request) -> TestResponse.ok(request.body()).header("Content-Type", "application/json");
    }

    static Upstream json(String body) {
        return request -> TestResponse.ok(body).header("Content-Type", "application/json");
    }

    static Upstream events(String... pieces) {
        return request -> TestResponse.status(200)
                .header("Content-Type", "text/event-stream")
                .chunks(pieces);
    }

    static String call(String id, String tool, String arguments) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":" + arguments + "}}";
    }

    static String request(String id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    static String list(String id) {
        return request(id, "tools/list", "{}");
    }

    ExchangeResult post(String body) {
        return send(TestRequest.post(URL, "application/json", body));
    }

    ExchangeResult send(TestRequest request) {
        return harness.send(request);
    }

    long count(String tool, String decision) {
        return harness.meters().count("mcp.decisions", "s", tool, decision);
    }

    /** The messages of an audit record. */
    @SuppressWarnings("unchecked") // objects have string keys
    static List<Map<String, Object>> messages(ExchangeResult result) {
        return result.audit().get("mcp") instanceof Map<?, ?> group
                ? (List<Map<String, Object>>) group.get("messages")
                : List.of();
    }

    @Override
    public void close() {
        harness.close();
    }
}
