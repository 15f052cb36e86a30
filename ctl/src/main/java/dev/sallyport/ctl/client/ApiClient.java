package dev.sallyport.ctl.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A client of one control plane, over HTTP/1.1. Follows no redirect, so that a key goes to no other server. For one thread. */
public final class ApiClient implements AutoCloseable {

    private static final int ATTEMPTS = 4;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final String EVENTS = "text/event-stream";
    private static final int LONGEST_ERROR = 1 << 20;

    private final Target target;
    private final HttpClient http;
    private final Pause pause;

    private ApiClient(Target target, HttpClient http, Pause pause) {
        this.target = target;
        this.http = http;
        this.pause = pause;
    }

    /** Makes a client; connects to nothing yet. */
    public static ApiClient of(Target target, Pause pause) throws Problem {
        HttpClient.Builder http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(target.patience());
        if (target.caCert() != null) {
            http.sslContext(Trust.in(target.caCert()));
        }
        return new ApiClient(target, http.build(), pause);
    }

    /** The server. */
    public URI server() {
        return target.server();
    }

    /**
     * Sends a request, and again where that does no harm: when the server asks for it (429, 503 with {@code
     * Retry-After}), and after a connection that broke. Blocks.
     *
     * @throws ApiRefusal for an error that the control plane answered
     * @throws Unreachable when none answered
     */
    public Reply send(Call call) throws Problem, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Duration wait;
            try {
                return once(call);
            } catch (ApiRefusal refusal) {
                wait = again(call, refusal);
                if (wait == null || attempt == ATTEMPTS) {
                    throw refusal;
                }
            } catch (Unreachable unreachable) {
                if (!unreachable.isBroken() || !call.isRepeatable() || attempt == ATTEMPTS) {
                    throw unreachable;
                }
                wait = SOON;
            }
            pause.sleep(wait);
        }
    }

    /** When to try again; null for never. */
    private static @Nullable Duration again(Call call, ApiRefusal refusal) {
        if (refusal.code().equals("idempotency_in_progress")) {
            return SOON;
        }
        boolean undone = refusal.status() == 429 || (refusal.status() == 503 && call.isRepeatable());
        Duration after = refusal.retryAfter();
        return undone && after != null && after.compareTo(LONGEST) <= 0 ? after : null;
    }

    /** As {@link #send}, once only. */
    public Reply once(Call call) throws Problem, InterruptedException {
        HttpResponse<byte[]> response = exchange(call, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() / 100 != 2) {
            throw refusal(response, response.body());
        }
        JsonNode document = parse(response.body());
        if (document == null || (response.statusCode() != 204 && document.isMissingNode())) {
            throw notOurs(response, "without JSON");
        }
        return new Reply(response.statusCode(), response.headers(), document);
    }

    /** Sends a request whose answer is anything, once only. */
    public byte[] bytes(Call call) throws Problem, InterruptedException {
        HttpResponse<byte[]> response = exchange(call, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() / 100 != 2) {
            throw refusal(response, response.body());
        }
        return response.body();
    }

    /** Sends a request whose answer are events, once only. */
    public EventStream follow(Call call) throws Problem, InterruptedException {
        HttpResponse<InputStream> response = exchange(call, HttpResponse.BodyHandlers.ofInputStream());
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (response.statusCode() == 200 && type.startsWith(EVENTS)) {
            return new EventStream(response.body(), target.server().toString());
        }
        try (InputStream body = response.body()) {
            if (response.statusCode() / 100 == 2) {
                throw notOurs(response, "without events");
            }
            throw refusal(response, body.readNBytes(LONGEST_ERROR));
        } catch (IOException e) {
            throw unreachable(e, target.patience());
        }
    }

    private Problem refusal(HttpResponse<?> response, byte[] body) {
        JsonNode document = parse(body);
        JsonNode error = document == null ? MissingNode.getInstance() : document.path("error");
        if (!error.path("code").isTextual()) {
            return notOurs(response, "without a reason");
        }
        return ApiRefusal.of(target.server().toString(), response.statusCode(), error, retryAfter(response));
    }

    private Unreachable notOurs(HttpResponse<?> response, String how) {
        return new Unreachable(
                target.server() + " answered " + response.statusCode() + " " + how
                        + " (expected: the API of a control plane)",
                false);
    }

    /** Missing for nothing, null for what is no JSON. */
    private static @Nullable JsonNode parse(byte[] body) {
        if (body.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return Json.parse(body);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static @Nullable Duration retryAfter(HttpResponse<?> response) {
        String seconds = response.headers().firstValue("Retry-After").orElse("");
        return seconds.matches("[0-9]{1,6}") ? Duration.ofSeconds(Long.parseLong(seconds)) : null;
    }

    private <T> HttpResponse<T> exchange(Call call, HttpResponse.BodyHandler<T> handler)
            throws Unreachable, InterruptedException {
        Duration limit = target.patience().plus(call.patience());
        CompletableFuture<HttpResponse<T>> answer = http.sendAsync(request(call), handler);
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw late(limit);
        } catch (ExecutionException e) {
            throw unreachable(e.getCause() instanceof IOException fault ? fault : new IOException(e), limit);
        } finally {
            answer.cancel(true);
        }
    }

    private HttpRequest request(Call call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target.server() + call.target()))
                .header("Accept", "application/json");
        JsonNode body = call.body();
        if (body == null) {
            request.method(call.method(), HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json")
                    .method(call.method(), HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
        }
        call.headers().forEach(request::header);
        if (target.key() != null) {
            request.header("Authorization", "Bearer " + target.key());
        }
        return request.build();
    }

    private Unreachable late(Duration limit) {
        return new Unreachable("no answer from " + target.server() + " within " + limit.toSeconds() + " s", false);
    }

    private Unreachable unreachable(IOException fault, Duration limit) {
        String server = target.server().toString();
        if (fault instanceof HttpConnectTimeoutException) {
            return new Unreachable("no connection to " + server + " within " + limit.toSeconds() + " s", false);
        }
        if (fault instanceof HttpTimeoutException) {
            return late(limit);
        }
        if (fault instanceof ConnectException) {
            boolean unknown = isCausedBy(fault, UnresolvedAddressException.class);
            return new Unreachable(
                    "cannot connect to " + server + (unknown ? ": no such host" : "") + " (expected: a control plane)",
                    false);
        }
        if (fault instanceof SSLException) {
            return new Unreachable(tls(server, fault), false);
        }
        return new Unreachable("the connection to " + server + " broke before it answered", true);
    }

    private static String tls(String server, IOException fault) {
        boolean untrusted = isCausedBy(fault, CertificateException.class)
                || isCausedBy(fault, CertPathBuilderException.class)
                || isCausedBy(fault, CertPathValidatorException.class);
        return untrusted
                ? "the certificate of " + server + " is not trusted (expected: --ca-cert FILE with its authority)"
                : "no TLS with " + server + ": " + fault.getMessage() + " (expected: a control plane with TLS)";
    }

    private static boolean isCausedBy(Throwable fault, Class<? extends Throwable> type) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    /** Ends all connections at once. */
    @Override
    public void close() {
        http.shutdownNow();
    }
}
