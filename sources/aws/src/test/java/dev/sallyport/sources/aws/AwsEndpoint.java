package dev.sallyport.sources.aws;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.testsupport.AwsSignature;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An endpoint that speaks the JSON protocol of AWS, version 1.1, over HTTP. It answers nobody whose signature, scope or
 * session token is not right. Thread-safe.
 */
final class AwsEndpoint implements AutoCloseable {

    static final String KEY_ID = "AKIATESTTESTTEST";
    static final String SECRET_KEY = "s3cr3t/signing+key/that/nobody/may/see";
    static final String SESSION_TOKEN = "s3ssion-t0ken-that-nobody-may-see";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A request whose signature was right. */
    record Call(String target, JsonNode body) {}

    /** A status and a JSON document. */
    record Answer(int status, String json) {

        static Answer value(String json) {
            return new Answer(200, json);
        }

        /** A refusal in the form of the protocol. */
        static Answer error(int status, String code) {
            return new Answer(
                    status,
                    "{\"__type\": \"com.amazonaws.test#" + code + "\", \"message\": \"" + SESSION_TOKEN
                            + " request 0e9f-77\"}");
        }
    }

    private final String scope;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final Queue<Answer> first = new ConcurrentLinkedQueue<>();
    private volatile Answer standing = Answer.error(500, "NotScripted");
    private volatile boolean silent;

    /** @param service as it stands in the scope of signatures */
    AwsEndpoint(String region, String service) throws IOException {
        scope = "/" + region + "/" + service + "/aws4_request";
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** What comes first, once each. */
    AwsEndpoint first(Answer... answers) {
        first.addAll(List.of(answers));
        return this;
    }

    /** What comes otherwise. */
    AwsEndpoint always(Answer answer) {
        standing = answer;
        return this;
    }

    /** Takes requests and says nothing. */
    AwsEndpoint silent() {
        silent = true;
        return this;
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    /** What was wrong with requests. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String fault = fault(exchange, body);
            if (!fault.isEmpty()) {
                faults.add(fault);
                send(exchange, Answer.error(400, "InvalidSignatureException"));
                return;
            }
            calls.add(new Call(exchange.getRequestHeaders().getFirst("X-Amz-Target"), JSON.readTree(body)));
            if (silent) {
                closing.await();
            }
            Answer next = first.poll();
            send(exchange, next == null ? standing : next);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private String fault(HttpExchange exchange, byte[] body) throws GeneralSecurityException {
        Headers headers = exchange.getRequestHeaders();
        AwsSignature signature = AwsSignature.of(headers);
        Map<String, Boolean> checks = Map.of(
                "method", exchange.getRequestMethod().equals("POST"),
                "content type", "application/x-amz-json-1.1".equals(headers.getFirst("Content-Type")),
                "session token", SESSION_TOKEN.equals(headers.getFirst("X-Amz-Security-Token")),
                "host", url().equals("http://" + headers.getFirst("Host")),
                "key", signature.keyId().equals(KEY_ID),
                "scope", signature.scope().endsWith(scope),
                "signed headers", signature.covers("host", "x-amz-date", "x-amz-target", "x-amz-security-token"),
                "signature", signature.isOf(exchange.getRequestURI().getRawPath(), headers, body, SECRET_KEY));
        return checks.entrySet().stream()
                .filter(check -> !check.getValue())
                .map(Map.Entry::getKey)
                .sorted()
                .reduce("", (one, other) -> one.isEmpty() ? other : one + ", " + other);
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] bytes = answer.json().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.1");
        exchange.getResponseHeaders().set("x-amzn-RequestId", "0e9f-77");
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.close();
    }
}
