package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A provider on the loopback interface that speaks both wire formats, as its script says. */
final class ModelServer implements AutoCloseable {

    static final int PATIENCE_SECONDS = Patience.SECONDS;
    static final JsonMapper JSON = JsonMapper.builder().build();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Semaphore arrivals = new Semaphore(0);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;
    private volatile Script script = Script.verdict("ALLOW", "fine");

    /** What a provider got. */
    record Asked(String path, String key, String version, JsonNode body) {

        /** The system prompt, in whichever format. */
        String system() {
            return path.endsWith("/messages")
                    ? body.path("system").textValue()
                    : body.path("messages").path(0).path("content").textValue();
        }

        /** What the model reads as the user's message: the last one. */
        String user() {
            JsonNode messages = body.path("messages");
            return messages.path(messages.size() - 1).path("content").textValue();
        }
    }

    /** What a provider does. */
    interface Script {
        void answer(HttpExchange exchange, ModelServer server) throws Exception;

        /** A verdict as the provider writes it. */
        static Script verdict(String decision, String reason) {
            return (exchange, server) -> send(
                    exchange,
                    200,
                    exchange.getRequestURI().getPath().endsWith("/messages")
                            ? tool(decision, reason)
                            : chat("{\"decision\":\"" + decision + "\",\"reason\":\"" + reason + "\"}", "stop"));
        }

        /** One answer to all, whatever it is. */
        static Script text(int status, String body) {
            return (exchange, server) -> send(exchange, status, body);
        }

        /** No answer until the server closes. */
        static Script silence() {
            return (exchange, server) -> {
                server.closed.await();
                exchange.close();
            };
        }

        /** The beginning of an answer that is announced longer. */
        static Script brokenOff() {
            return (exchange, server) -> {
                exchange.sendResponseHeaders(200, 1_000);
                exchange.getResponseBody().write("{\"content\":[{\"type\":\"te".getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
                throw new IOException("broken off on purpose");
            };
        }
    }

    ModelServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try {
                asked.add(new Asked(
                        exchange.getRequestURI().getPath(),
                        String.valueOf(exchange.getRequestHeaders().getFirst("x-api-key"))
                                + exchange.getRequestHeaders().getFirst("Authorization"),
                        String.valueOf(exchange.getRequestHeaders().getFirst("anthropic-version")),
                        JSON.readTree(exchange.getRequestBody().readAllBytes())));
                arrivals.release();
                script.answer(exchange, this);
            } catch (Exception e) {
                exchange.close();
            }
        });
        server.start();
    }

    void script(Script next) {
        script = next;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Waits for one more question. */
    void awaitQuestion() throws InterruptedException {
        if (!arrivals.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("nothing was asked");
        }
    }

    /** Everything that was asked so far. */
    List<Asked> asked() {
        return List.copyOf(asked);
    }

    static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Retry-After", "7");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** A reply of the Messages API with the verdict as input of the tool. */
    static String tool(String decision, String reason) {
        ObjectNode reply = messages("tool_use");
        ObjectNode use =
                reply.withArray("content").addObject().put("type", "tool_use").put("name", "verdict");
        use.put("id", "toolu_1").putObject("input").put("decision", decision).put("reason", reason);
        return reply.toString();
    }

    /** A reply of the Messages API with text. */
    static String text(String text, String stopReason) {
        ObjectNode reply = messages(stopReason);
        reply.withArray("content").addObject().put("type", "text").put("text", text);
        return reply.toString();
    }

    private static ObjectNode messages(String stopReason) {
        ObjectNode reply = JSON.createObjectNode();
        reply.put("id", "msg_1").put("type", "message").put("role", "assistant").put("stop_reason", stopReason);
        reply.putObject("usage").put("input_tokens", 321).put("output_tokens", 12);
        return reply;
    }

    /** A reply of chat completions. */
    static String chat(String content, String finishReason) {
        ObjectNode reply = JSON.createObjectNode();
        reply.put("object", "chat.completion");
        ObjectNode choice = reply.withArray("choices").addObject().put("index", 0);
        choice.put("finish_reason", finishReason);
        choice.putObject("message")
                .put("role", "assistant")
                .put("content", content)
                .putNull("refusal");
        reply.putObject("usage").put("prompt_tokens", 321).put("completion_tokens", 12);
        return reply.toString();
    }

    /** A reply of chat completions in which the model refuses, whatever else it says. */
    static String refusal(String content) {
        return chat(content, "stop").replace("\"refusal\":null", "\"refusal\":\"I cannot help with that.\"");
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
