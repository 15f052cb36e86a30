package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.ChainHead;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the control plane is told of the chain of audit records. */
@Timeout(60)
class HeadReporterTest {

    private final BlockingQueue<JsonNode> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> looks = new LinkedBlockingQueue<>();
    private volatile @Nullable ChainHead head;
    private volatile boolean broken;
    private HttpServer server;
    private ControlPlaneConnection connection;
    private HeadReporter reporter;

    private final class Taps implements AuditTaps {

        @Override
        public void sink(AuditSink added) {}

        @Override
        public int slots() {
            return 1;
        }

        @Override
        public Runnable hold() {
            return () -> {};
        }

        @Override
        public Runnable hold(String organization) {
            return hold();
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }

        @Override
        public @Nullable ChainHead head() throws IOException {
            looks.add(true);
            if (broken) {
                throw new IOException("a disk that is gone");
            }
            return head;
        }
    }

    @BeforeEach
    void begin() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/feed/heads", this::answer);
        server.start();
        ControlPlaneConfig config = ControlPlanes.at(server.getAddress().getPort());
        connection = ControlPlaneConnection.to(config, "token");
        reporter = new HeadReporter(new Taps(), connection, Duration.ofMillis(5));
    }

    private void answer(HttpExchange exchange) throws IOException {
        Integer status = answers.poll();
        String code = Integer.valueOf(409).equals(status) ? "audit_head_conflict" : "overloaded";
        byte[] body =
                ("{\"error\": {\"code\": \"" + code + "\", \"message\": \"m\"}}").getBytes(StandardCharsets.UTF_8);
        told.add(Pipelines.JSON.readTree(exchange.getRequestBody()));
        if (status == null) {
            exchange.sendResponseHeaders(204, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    @AfterEach
    void end() {
        reporter.close();
        connection.close();
        server.stop(0);
    }

    private static ChainHead head(long size, String hash, String time) {
        return new ChainHead("o\n" + size + "\n" + hash + "\ntime " + time + "\n\n\u2014 o x\n", "o+1+k", size);
    }

    private JsonNode next() throws InterruptedException {
        JsonNode next = told.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    /** Until it has looked a few times more. */
    private void looked() throws InterruptedException {
        looks.clear();
        for (int i = 0; i < 3; i++) {
            assertThat(looks.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void eachNewHeadIsToldOnce() throws Exception {
        reporter.start();
        looked();
        assertThat(told).isEmpty();

        head = head(1, "a", "1");
        JsonNode first = next();
        assertThat(first.path("note").asText()).startsWith("o\n1\na\n");
        assertThat(first.path("key").asText()).isEqualTo("o+1+k");
        head = head(1, "a", "2"); // signed anew, without new records
        looked();
        assertThat(told).isEmpty();
        head = head(2, "b", "3");
        assertThat(next().path("note").asText()).startsWith("o\n2\nb\n");
    }

    @Test
    void whatContradictsIsNotToldAgain() throws Exception {
        answers.add(409);
        head = head(2, "a", "1");
        reporter.start();

        next();
        looked();
        assertThat(told).isEmpty();
        head = head(3, "b", "2");
        assertThat(next().path("note").asText()).startsWith("o\n3\nb\n");
    }

    @Test
    void whatFailsIsToldAgain() throws Exception {
        answers.add(503);
        answers.add(429);
        broken = true;
        reporter.start();
        looked();
        head = head(1, "a", "1");
        broken = false;

        next();
        next();
        assertThat(next().path("note").asText()).startsWith("o\n1\na\n");
        looked();
        assertThat(told).isEmpty();
    }
}
