package dev.sallyport.ctl;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that gives the answers that it was told, in their order, whatever it is asked; then it breaks connections. */
final class StubServer implements AutoCloseable {

    private final HttpServer server;
    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    StubServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    private record Answer(int status, String body, String... headers) {}

    /** A request as it came. */
    record Request(String line, String authorization, String idempotencyKey, String ifMatch) {}

    /** Adds an answer; headers are names and values in turn. */
    synchronized StubServer answer(int status, String body, String... headers) {
        answers.add(new Answer(status, body, headers));
        return this;
    }

    /** Adds a connection that breaks. */
    synchronized StubServer broken() {
        answers.add(new Answer(0, ""));
        return this;
    }

    private synchronized Answer next() {
        return answers.isEmpty() ? new Answer(0, "") : answers.remove();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.add(new Request(
                exchange.getRequestMethod() + " " + exchange.getRequestURI(),
                field(exchange, "Authorization"),
                field(exchange, "Idempotency-Key"),
                field(exchange, "If-Match")));
        exchange.getRequestBody().readAllBytes();
        Answer answer = next();
        try (exchange) {
            if (answer.status() == 0) {
                return;
            }
            for (int i = 0; i < answer.headers().length; i += 2) {
                exchange.getResponseHeaders().add(answer.headers()[i], answer.headers()[i + 1]);
            }
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static String field(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Request> requests() {
        return requests;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
