package dev.sallyport.feed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.audit.ChainHead;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.ConfigException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls of the control plane with the token of this proxy. Thread-safe; blocks. */
final class ControlPlaneConnection implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ControlPlaneConnection.class);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int LONGEST_REFUSAL = 64 * 1024;
    private static final int LONGEST_TEXT = 1000;
    private static final int COMPRESSED = 2048;
    private static final int MOST_PROBLEMS = 100;

    private final HttpClient client;
    private final String url;
    private final String token;
    private final Duration patience;

    private ControlPlaneConnection(HttpClient client, String url, String token, Duration patience) {
        this.client = client;
        this.url = url;
        this.token = token;
        this.patience = patience;
    }

    /**
     * Prepares; connects to nothing yet.
     *
     * @throws ConfigException when the certificates cannot be used
     */
    static ControlPlaneConnection to(ControlPlaneConfig config, String token) throws ConfigException {
        return to(config, token, ANSWER);
    }

    /** {@code patience}: how long an answer may take, other than the stream. */
    static ControlPlaneConnection to(ControlPlaneConfig config, String token, Duration patience)
            throws ConfigException {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(patience);
        Path authorities = config.caCert();
        if (authorities != null) {
            try {
                builder.sslContext(trusting(authorities));
            } catch (IOException | GeneralSecurityException e) {
                throw new ConfigException("/ca_cert", "cannot be used: " + e.getMessage(), "certificates in PEM")
                        .causedBy(e);
            }
        }
        return new ControlPlaneConnection(builder.build(), config.url(), token, patience);
    }

    private static SSLContext trusting(Path pem) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(pem)) {
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + count++, certificate);
            }
            if (count == 0) {
                throw new IOException("no certificate in it");
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /**
     * The answer to a request for the stream.
     *
     * @param code of the error; empty for none
     * @param retryAfter null when the answer has none
     */
    record Stream(int status, String code, @Nullable Duration retryAfter, InputStream body) {}

    /**
     * Asks for the stream of policies, saying what is there already.
     *
     * @param key for which secrets are to be sealed
     */
    Stream follow(Holding held, BootKey key) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                request("/v1/feed").header("Accept", "text/event-stream").header("Sallyport-Key", key.publicKey());
        switch (held) {
            case Holding.Nothing nothing -> request.GET();
            case Holding.OfPipeline(Snapshot snapshot) ->
                request.header("Last-Event-ID", snapshot.epoch() + ":" + snapshot.revision())
                        .header("Sallyport-Snapshot", snapshot.hash())
                        .header("Sallyport-Pipeline", snapshot.pipelineHash());
            case Holding.OfAccounts accounts ->
                request.header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(accounts.json()));
        }
        HttpResponse<InputStream> response =
                client.send(request.timeout(patience).build(), HttpResponse.BodyHandlers.ofInputStream());
        String code = "";
        if (response.statusCode() != 200) {
            code = code(bounded(response.body()));
        }
        return new Stream(response.statusCode(), code, retryAfter(response), response.body());
    }

    /** The beginning of an answer, within the time that one may take: the timeout of a request ends with the head. */
    private byte[] bounded(InputStream answer) throws IOException {
        try (InputStream body = answer) {
            CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> closeQuietly(body));
            return body.readNBytes(LONGEST_REFUSAL);
        }
    }

    private static void closeQuietly(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            LOG.debug("closing an answer: {}", e.toString());
        }
    }

    private static String code(byte[] body) throws IOException {
        try {
            return Pipelines.JSON.readTree(body).at("/error/code").asText();
        } catch (JsonProcessingException e) {
            return ""; // something between that answers in its own words
        }
    }

    private static @Nullable Duration retryAfter(HttpResponse<?> response) {
        return response.headers()
                .firstValue("Retry-After")
                .filter(value -> value.matches("[0-9]{1,4}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(null);
    }

    /**
     * What does not work of what came.
     *
     * @param account whose it is; empty for the organization of the proxy
     */
    record Fault(String account, ConfigProblem problem) {

        static List<Fault> of(String account, List<ConfigProblem> problems) {
            return problems.stream().map(problem -> new Fault(account, problem)).toList();
        }
    }

    /**
     * Says what was applied, and what of it does not work.
     *
     * @param revision its number in the epoch
     * @param stream what the control plane calls the connection; empty when it does not
     * @param failed the accounts of which nothing could be made
     */
    void acknowledge(String epoch, long revision, String stream, List<Fault> problems, Set<String> failed)
            throws IOException, InterruptedException {
        ObjectNode body = Pipelines.JSON.createObjectNode().put("epoch", epoch).put("revision", revision);
        if (!stream.isEmpty()) {
            body.put("stream", stream);
        }
        ArrayNode list = body.putArray("problems");
        problems.stream().limit(MOST_PROBLEMS).forEach(fault -> {
            ConfigProblem problem = fault.problem();
            ObjectNode told = list.addObject()
                    .put("pointer", shortened(problem.pointer()))
                    .put("message", shortened(problem.message() + " (expected: " + problem.expected() + ")"));
            if (!fault.account().isEmpty()) {
                told.put("account", fault.account());
            }
        });
        if (!failed.isEmpty()) {
            failed.forEach(body.putArray("failed")::add);
        }
        HttpRequest request = json("/v1/feed/acknowledgements")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build();
        HttpResponse<Void> response =
                whole("the acknowledgement", client.sendAsync(request, HttpResponse.BodyHandlers.discarding()));
        if (response.statusCode() != 204) {
            throw new IOException("the acknowledgement was answered with " + response.statusCode());
        }
    }

    private <T> HttpResponse<T> whole(String what, CompletableFuture<HttpResponse<T>> answer)
            throws IOException, InterruptedException {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException(what + " was not answered in time", e);
        } catch (ExecutionException e) {
            throw new IOException(what + " was not answered: " + e.getCause(), e.getCause());
        }
    }

    /**
     * The answer to events, or to a head.
     *
     * @param code of the error; empty for none
     * @param position the number up to which the control plane has all events; -1 where it does not say
     * @param retryAfter null when the answer has none
     */
    record Receipt(
            int status,
            String code,
            long position,
            @Nullable Duration retryAfter) {}

    /** Sends events, in the form of {@link EventText}, compressed if they are many. */
    Receipt deliver(byte[] events) throws IOException, InterruptedException {
        HttpRequest.Builder request = json("/v1/feed/events");
        if (events.length >= COMPRESSED) {
            request.header("Content-Encoding", "gzip").POST(HttpRequest.BodyPublishers.ofByteArray(gzip(events)));
        } else {
            request.POST(HttpRequest.BodyPublishers.ofByteArray(events));
        }
        HttpResponse<InputStream> response = whole(
                "a batch of events", client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
        byte[] answer = bounded(response.body());
        long position = -1;
        String code = "";
        if (response.statusCode() == 200) {
            position = position(answer);
        } else {
            code = code(answer);
        }
        return new Receipt(response.statusCode(), code, position, retryAfter(response));
    }

    /** Says where the chain of audit records has got to; 204 when it is kept. */
    Receipt tell(ChainHead head) throws IOException, InterruptedException {
        ObjectNode body =
                Pipelines.JSON.createObjectNode().put("note", head.note()).put("key", head.key());
        HttpRequest request = json("/v1/feed/heads")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build();
        HttpResponse<InputStream> response = whole(
                "the head of the audit log", client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream()));
        return new Receipt(response.statusCode(), code(bounded(response.body())), -1, retryAfter(response));
    }

    private static long position(byte[] body) throws IOException {
        try {
            return Pipelines.JSON.readTree(body).path("position").asLong(-1);
        } catch (JsonProcessingException e) {
            return -1;
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    /** At most 1000 characters, of which the last is whole. */
    private static String shortened(String text) {
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        boolean half = Character.isHighSurrogate(text.charAt(LONGEST_TEXT - 1));
        return text.substring(0, half ? LONGEST_TEXT - 1 : LONGEST_TEXT);
    }

    /** Names this proxy at this control plane; shows nothing of the token. */
    byte[] identity() {
        try {
            return MessageDigest.getInstance("SHA-256").digest((url + "\n" + token).getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder json(String path) {
        return request(path).header("Content-Type", "application/json");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", "Bearer " + token);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
