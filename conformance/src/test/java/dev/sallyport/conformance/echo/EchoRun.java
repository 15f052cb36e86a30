package dev.sallyport.conformance.echo;

import dev.sallyport.conformance.OriginFiles;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/** One carrier of a credential, through a whole proxy to an origin that sends it back. */
final class EchoRun implements AutoCloseable {

    /** When the value comes back. */
    enum When {
        /** In the response to the request that carried it. */
        AT_ONCE,
        /** In the response to another one, over another connection, from another path. */
        LATER,
        /** The same after the configuration has been read anew. */
        AFTER_RELOAD
    }

    private final Carrier carrier;
    private final EchoOrigin origin;
    private final EgressProxy proxy;
    private final Path config;
    private final SSLContext trust;
    private final List<String> leaks = new ArrayList<>();
    private final Set<String> refused = new TreeSet<>();
    private final Map<String, Integer> runs = new TreeMap<>();
    private When now = When.AT_ONCE;
    private String stored = "";

    /**
     * @param settings of the section {@code proxy}, in YAML flow style, behind a comma
     */
    EchoRun(Path folder, InetAddress address, String settings, Carrier carrier) throws Exception {
        this.carrier = carrier;
        OriginFiles files = new OriginFiles(folder, address);
        this.origin = new EchoOrigin(address, files.context());
        this.config = folder.resolve("proxy.yaml");
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        Files.writeString(
                config, """
                dns: {enabled: false}
                proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []%s}
                tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                metrics: {listen: disabled}
                transforms: %s
                """.formatted(settings, cert, key, files.certificate, carrier.transforms(origin.authority())));
        Map<String, String> environment = new HashMap<>(Carrier.environment());
        environment.replaceAll((name, value) -> value.replace("@ORIGIN@", origin.authority()));
        EgressProxy.Builder builder =
                EgressProxy.builder().config(config).environment(environment).loops(1);
        InlineTransform plugIn = carrier.plugIn();
        if (plugIn != null) {
            builder.transform("plug_in", Carrier.plugInCapabilities(), plugIn);
        }
        trust = Tls.trusting(cert);
        proxy = builder.build();
        proxy.start();
    }

    Carrier carrier() {
        return carrier;
    }

    /** What came back of the value. */
    List<String> leaks() {
        return leaks;
    }

    /** Places whose responses were refused. */
    Set<String> refused() {
        return refused;
    }

    /** How many responses were looked at, by place. */
    Map<String, Integer> runs() {
        return runs;
    }

    /** From now on the value comes back so. It has been sent, and stored, before. */
    void when(When next) throws Exception {
        now = next;
        if (next != When.AT_ONCE && stored.isEmpty()) {
            store(carrier.ask().message().isEmpty() ? Place.Protocol.HTTP1 : Place.Protocol.WEBSOCKET);
            if (fitsCalls()) {
                store(Place.Protocol.GRPC_TLS);
            }
        }
        if (next == When.AFTER_RELOAD) {
            String text = Files.readString(config);
            Files.writeString(config, text + "\nlog: {level: info}\n");
            if (!(proxy.reload() instanceof ReloadResult.Reloaded)) {
                throw new AssertionError("reload: " + proxy.reload());
            }
        }
    }

    private void store(Place.Protocol protocol) throws Exception {
        Place first = Place.ALL.stream()
                .filter(place -> place.protocol() == protocol)
                .findFirst()
                .orElseThrow();
        origin.answers(first, request -> "hello");
        exchange(first, carrier.ask());
        stored = value(origin.seen());
    }

    /**
     * Whether a call of gRPC can carry it: beside its message, whose length is counted; and none that is signed with the
     * length of its content, which calls do not tell.
     */
    private boolean fitsCalls() {
        Ask ask = carrier.ask();
        return ask.message().isEmpty()
                && (ask.body().isEmpty() || !ask.trailers().isEmpty())
                && !carrier.name().startsWith("sigv4_auth");
    }

    /** Whether the value can come back in this place, now. */
    boolean canBe(Place place) {
        if (now == When.AT_ONCE) {
            return switch (place.protocol()) {
                case HTTP1, HTTP2 -> carrier.ask().message().isEmpty();
                case GRPC, GRPC_TLS -> fitsCalls();
                case WEBSOCKET -> carrier.ask().opens();
                case HANDSHAKE ->
                    carrier.ask().opens() && carrier.ask().message().isEmpty();
            };
        }
        return carrier.lasts() && (place.protocol() != Place.Protocol.GRPC_TLS || fitsCalls());
    }

    /**
     * The origin writes something that it makes of the value, if that can stand in this place.
     *
     * @param whole whether it can be read in any case
     */
    void run(String name, UnaryOperator<String> spelling, Place place, boolean whole) throws Exception {
        String foreseen = carrier.value().apply("");
        if (!foreseen.isEmpty() && !suits(name, foreseen, spelling.apply(foreseen), place, whole)) {
            return;
        }
        String[] sent = {stored, ""};
        origin.answers(place, request -> {
            if (now == When.AT_ONCE) {
                sent[0] = value(request);
            }
            String text = spelling.apply(sent[0]);
            sent[1] = place.fits().takes(text) ? text : "";
            return sent[1];
        });
        String seen = exchange(place, now == When.AT_ONCE ? carrier.ask() : Ask.get("/fetch"));
        origin.awaitRequest(seen);
        if (!suits(name, sent[0], sent[1], place, whole)) {
            return;
        }
        runs.merge(place.name(), 1, Integer::sum);
        String leak = Leaks.of(seen, sent[0], carrier.known());
        if (leak != null) {
            leaks.add("%s, %s, %s, in %s: '%s' is in %s".formatted(carrier, now, name, place, leak, shown(seen)));
        }
        if (seen.startsWith("HTTP/1.1 502") || seen.startsWith(":status: 502")) {
            refused.add(place.name());
        }
    }

    private boolean suits(String name, String value, String text, Place place, boolean whole) {
        if (text.isEmpty() || !place.fits().takes(text)) {
            return false;
        }
        boolean readable = Leaks.of(text, value, carrier.known()) != null;
        if (whole && !readable) {
            throw new AssertionError(name + ": cannot be read here: " + text);
        }
        return readable;
    }

    private String value(String request) {
        String value = carrier.value().apply(request);
        if (value.isEmpty() || Leaks.of(request, value, carrier.known()) == null) {
            throw new AssertionError(carrier + ": the origin was not sent the credential but " + request);
        }
        return value;
    }

    private String exchange(Place place, Ask ask) throws IOException {
        if (place.protocol() == Place.Protocol.GRPC_TLS) {
            return securely(ask);
        }
        try (Line line = Line.to(Objects.requireNonNull(proxy.httpAddress()))) {
            if (place.protocol() == Place.Protocol.HTTP2) {
                Http2Line http2 = Http2Line.client(line);
                ask.http2(http2, origin.authority());
                return http2.hear();
            }
            if (place.protocol() == Place.Protocol.GRPC) {
                return call(line, origin.authority(), false, ask);
            }
            boolean webSocket = place.protocol() != Place.Protocol.HTTP1;
            line.send(ask.http1(origin.authority(), webSocket));
            StringBuilder seen = new StringBuilder();
            String head = line.readHead();
            for (; head.startsWith("HTTP/1.1 1") && !head.startsWith("HTTP/1.1 101"); head = line.readHead()) {
                seen.append(head);
            }
            seen.append(head);
            if (head.startsWith("HTTP/1.1 101")) {
                if (!ask.message().isEmpty()) {
                    line.send(Frames.masked(Frames.TEXT, ask.message()));
                }
                return seen.append(Frames.readAll(line)).toString();
            }
            return seen.append(content(line, head)).toString();
        }
    }

    private String securely(Ask ask) throws IOException {
        InetSocketAddress entrance = Objects.requireNonNull(proxy.tunnelAddress());
        try (Socket socket = new Socket(entrance.getAddress(), entrance.getPort())) {
            Line outside = Line.ofClient(socket);
            outside.send("CONNECT " + origin.secureAuthority() + " HTTP/1.1\r\nHost: " + origin.secureAuthority()
                    + "\r\n\r\n");
            String head = outside.readHead();
            if (!head.startsWith("HTTP/1.1 200 ")) {
                throw new IOException("no tunnel: " + head);
            }
            try (Line line = Line.ofClient(Tls.client(trust, socket, origin.address(), origin.securePort()))) {
                return call(line, origin.secureAuthority(), true, ask);
            }
        }
    }

    /** All that a client of gRPC sees of an answer. */
    private static String call(Line line, String authority, boolean secure, Ask ask) throws IOException {
        Http2Line http2 = Http2Line.client(line);
        ask.grpc(http2, authority, secure, GrpcPlaces.message("hello"));
        String seen = http2.hear();
        return seen.contains("content-type: application/grpc")
                ? seen + "\n" + GrpcPlaces.inflated(http2.content())
                : seen;
    }

    private static String content(Line line, String head) throws IOException {
        String coding = Line.field(head, "Content-Encoding");
        if (head.startsWith("HTTP/1.1 304") || head.startsWith("HTTP/1.1 204")) {
            return "";
        } else if (Line.field(head, "Transfer-Encoding").equals("chunked")) {
            String content = line.readChunks();
            return decoded(coding, content) + "\n" + line.readTrailers();
        }
        String length = Line.field(head, "Content-Length");
        return decoded(coding, length.isEmpty() ? line.readToEnd() : line.read(Integer.parseInt(length)));
    }

    private static String decoded(String coding, String content) {
        if (coding.isEmpty()) {
            return content;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = Codings.parse(coding).decoder(DecodeLimits.DEFAULT)) {
            decoder.write(ByteBuffer.wrap(Line.bytes(content)), bytes -> copy(bytes, out));
            decoder.end(bytes -> copy(bytes, out));
        }
        return Line.text(out.toByteArray());
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }

    private static String shown(String text) {
        StringBuilder out = new StringBuilder();
        text.chars()
                .forEach(c -> out.append(c >= ' ' && c < 0x7f ? "" + (char) c : "<" + Integer.toHexString(c) + ">"));
        return out.toString();
    }

    @Override
    public void close() throws IOException {
        proxy.close();
        origin.close();
    }
}
