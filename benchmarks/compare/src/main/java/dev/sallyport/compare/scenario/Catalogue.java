package dev.sallyport.compare.scenario;

import static dev.sallyport.compare.peer.Ability.DNS;
import static dev.sallyport.compare.peer.Ability.EVENTS;
import static dev.sallyport.compare.peer.Ability.GRPC;
import static dev.sallyport.compare.peer.Ability.H2;
import static dev.sallyport.compare.peer.Ability.HTTP;
import static dev.sallyport.compare.peer.Ability.MINT;
import static dev.sallyport.compare.peer.Ability.MITM;
import static dev.sallyport.compare.peer.Ability.POLICY;
import static dev.sallyport.compare.peer.Ability.WEBSOCKET;
import static dev.sallyport.compare.scenario.Metric.BYTES;
import static dev.sallyport.compare.scenario.Metric.CONNECTIONS;
import static dev.sallyport.compare.scenario.Metric.CPU;
import static dev.sallyport.compare.scenario.Metric.CPU_BYTES;
import static dev.sallyport.compare.scenario.Metric.ERRORS;
import static dev.sallyport.compare.scenario.Metric.MESSAGES;
import static dev.sallyport.compare.scenario.Metric.P50;
import static dev.sallyport.compare.scenario.Metric.P99;
import static dev.sallyport.compare.scenario.Metric.P999;
import static dev.sallyport.compare.scenario.Metric.QUERIES;
import static dev.sallyport.compare.scenario.Metric.RATE;
import static dev.sallyport.compare.scenario.Metric.RSS;
import static dev.sallyport.compare.scenario.Scenario.OPEN;

import dev.sallyport.compare.load.Events;
import dev.sallyport.compare.load.FixedRate;
import dev.sallyport.compare.load.KeepAlive;
import dev.sallyport.compare.load.NewConnections;
import dev.sallyport.compare.load.Sockets;
import dev.sallyport.compare.load.Streams;
import dev.sallyport.compare.load.Upload;
import dev.sallyport.compare.peer.Ability;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** All scenarios, in the order in which they run. */
public final class Catalogue {

    private static final String KIB = "/bytes/1024";
    private static final int RATE_PER_SECOND = 1000;
    private static final int NEW_CONNECTIONS = 8;
    private static final int EVENTS_PER_SECOND = 10;

    /** What the sample policies look for: a placeholder that is swapped, and headers that are kept and recorded. */
    private static final String[] SECRET_HEADERS = {
        "Authorization: Bearer bench-placeholder", "User-Agent: compare/1", "X-Request-Id: 7f9c24e8", "Accept: */*"
    };

    private static final String[] PLAIN_HEADERS = {"User-Agent: compare/1", "X-Request-Id: 7f9c24e8", "Accept: */*"};

    private static final List<Metric> REQUESTS = List.of(RATE, P50, P99, CPU, RSS, ERRORS);

    private Catalogue() {}

    public static List<Scenario> all() {
        return List.of(
                requests("mitm", "HTTPS, intercepted: 1 KiB on connections that are kept.", MITM, OPEN),
                requests(
                        "mitm-policy",
                        "The same with a policy of five transforms, audit log to a file; no credential is swapped.",
                        MITM,
                        "five"),
                swapping(),
                new Scenario.Steady(
                        "mitm-h2-origin",
                        "As the first, to an origin that speaks HTTP/2 with proxies that offer it.",
                        Set.of(MITM),
                        OPEN,
                        REQUESTS,
                        (dialler, subject, settings) ->
                                new KeepAlive(dialler, subject.modern(), settings.connections(), KIB, PLAIN_HEADERS)),
                requests("http", "Plain HTTP: 1 KiB on connections that are kept.", HTTP, OPEN),
                requests("http-policy", "The same with the policy of five transforms.", HTTP, "five"),
                new Scenario.Steady(
                        "connect",
                        "A new connection for each request: CONNECT, a full TLS handshake for a known name, 64 bytes.",
                        Set.of(MITM),
                        OPEN,
                        List.of(CONNECTIONS, P50, P99, CPU, RSS, ERRORS),
                        (dialler, subject, settings) -> new NewConnections(
                                dialler, subject.secure(), () -> subject.site().host(), NEW_CONNECTIONS, "/bytes/64")),
                firstSeen(),
                new Scenario.Steady(
                        "h2",
                        "HTTP/2, intercepted: 100 streams at a time on one connection, 1 KiB each.",
                        Set.of(H2),
                        OPEN,
                        REQUESTS,
                        (dialler, subject, settings) -> new Streams(dialler, subject.modern(), 1, 100, false, KIB)),
                new Scenario.Steady(
                        "grpc",
                        "Unary gRPC, intercepted: 100 calls at a time on one connection, 128 bytes each way.",
                        Set.of(GRPC),
                        OPEN,
                        REQUESTS,
                        (dialler, subject, settings) ->
                                new Streams(dialler, subject.modern(), 1, 100, true, "/bench.Echo/Say")),
                download("download", "HTTPS, intercepted: a large body to the client, again and again.", OPEN, MITM),
                download(
                        "download-redact",
                        "The same after a credential was swapped in, so that the body is searched for it.",
                        "five",
                        POLICY),
                new Scenario.Steady(
                        "upload",
                        "HTTPS, intercepted: a large body from the client, again and again.",
                        Set.of(MITM),
                        OPEN,
                        List.of(BYTES, CPU_BYTES, RSS, ERRORS),
                        (dialler, subject, settings) ->
                                new Upload(dialler, subject.secure(), 1, settings.transferBytes())),
                fixedRate(),
                rules("rules-10", "10"),
                rules("rules-10000", "10,000"),
                new Scenario.Steady(
                        "websocket",
                        "WebSockets inside intercepted TLS: text messages of 128 bytes to the origin and back, one at a time on each.",
                        Set.of(WEBSOCKET),
                        OPEN,
                        List.of(MESSAGES, P50, P99, CPU, RSS, ERRORS),
                        (dialler, subject, settings) -> new Sockets(dialler, subject.secure(), settings.connections())),
                new Scenario.Steady(
                        "events",
                        "Many streams of events (SSE) inside intercepted TLS, ten events a second on each.",
                        Set.of(EVENTS),
                        OPEN,
                        List.of(P50, P99, P999, MESSAGES, CPU, RSS, ERRORS),
                        (dialler, subject, settings) ->
                                new Events(dialler, subject.secure(), settings.streams(), EVENTS_PER_SECOND)),
                new Scenario.Start(
                        "dns",
                        "Names that are steered, asked for by dnsperf over UDP.",
                        Set.of(DNS),
                        OPEN,
                        List.of(QUERIES, CPU, RSS),
                        Tools::dns),
                new Scenario.Start(
                        "tunnels",
                        "Many intercepted connections that have made one request and lie idle.",
                        Set.of(MITM),
                        OPEN,
                        List.of(
                                new Metric("kib_each", "KiB each", false),
                                new Metric("rss_before_mib", "RSS before MiB", false),
                                new Metric("rss_mib", "RSS with them MiB", false),
                                new Metric("open", "open", true),
                                ERRORS),
                        FreshCells::tunnels),
                start("start", "on one processor", true),
                start("start-all", "on all processors of the machine", false),
                new Scenario.Start(
                        "warm-up",
                        "A cold peer under HTTPS load, second by second.",
                        Set.of(MITM),
                        "five",
                        List.of(
                                new Metric("peak_per_second", "peak requests/s", true),
                                new Metric("half_after_s", "half of it after s", false),
                                new Metric("ninety_after_s", "90 % after s", false),
                                new Metric("first_three_share", "best of first 3 s, of peak", true)),
                        FreshCells::warmUp),
                new Scenario.Start(
                        "memory",
                        "Resident memory: when ready, right after 10,000 requests, and after a rest.",
                        Set.of(MITM),
                        "five",
                        List.of(
                                new Metric("rss_rested_mib", "rested MiB", false),
                                new Metric("rss_after_mib", "after load MiB", false),
                                new Metric("rss_ready_mib", "when ready MiB", false)),
                        FreshCells::memory),
                new Scenario.Start(
                        "soak",
                        "HTTPS load for a long time, memory by the minute.",
                        Set.of(MITM),
                        "five",
                        List.of(
                                new Metric("growth", "growth from minute 5 (or 1) to the end", false),
                                new Metric("rss_last_mib", "last RSS MiB", false),
                                RATE,
                                ERRORS),
                        FreshCells::soak),
                new Scenario.Start(
                        "generator",
                        "Without any proxy: this program's load against wrk's, in turn, on the same origin.",
                        Set.of(),
                        OPEN,
                        List.of(
                                new Metric("share", "ours, of wrk's", true),
                                new Metric("own_per_second", "ours requests/s", true),
                                new Metric("wrk_per_second", "wrk's requests/s", true)),
                        Tools::generator));
    }

    private static Scenario requests(String name, String title, Ability need, String policy) {
        return new Scenario.Steady(
                name,
                title,
                Set.of(need),
                policy,
                REQUESTS,
                (dialler, subject, settings) -> new KeepAlive(
                        dialler,
                        need == MITM ? subject.secure() : subject.plain(),
                        settings.connections(),
                        KIB,
                        PLAIN_HEADERS));
    }

    private static Scenario fixedRate() {
        return new Scenario.Steady(
                "fixed-rate",
                "HTTPS, intercepted: 1,000 requests a second, whatever happens; latency from when each was due. Warmed up"
                        + " with as many as go, then four times as long with this; processors are kept from sleeping.",
                Set.of(MITM),
                "five",
                List.of(P50, P99, P999, CPU, ERRORS),
                (dialler, subject, settings) -> new FixedRate(
                        dialler, subject.secure(), settings.connections(), RATE_PER_SECOND, KIB, PLAIN_HEADERS),
                (dialler, subject, settings) ->
                        new KeepAlive(dialler, subject.secure(), settings.connections(), KIB, PLAIN_HEADERS),
                true);
    }

    private static Scenario swapping() {
        return new Scenario.Steady(
                "mitm-swap",
                "The same policy, and each request has a placeholder in it that is swapped, so that responses are searched.",
                Set.of(MITM, POLICY),
                "five",
                REQUESTS,
                (dialler, subject, settings) ->
                        new KeepAlive(dialler, subject.secure(), settings.connections(), KIB, SECRET_HEADERS));
    }

    private static Scenario firstSeen() {
        AtomicInteger number = new AtomicInteger();
        return new Scenario.Steady(
                "first-seen",
                "A new connection for each request, and each for a name that was never seen: a certificate is made.",
                Set.of(MINT),
                OPEN,
                List.of(CONNECTIONS, P50, P99, CPU, RSS, ERRORS),
                (dialler, subject, settings) -> new NewConnections(
                        dialler,
                        subject.secure(),
                        () -> "h" + number.incrementAndGet() + "."
                                + subject.site().host(),
                        NEW_CONNECTIONS,
                        "/bytes/64"));
    }

    private static Scenario download(String name, String title, String policy, Ability need) {
        String[] headers = need == POLICY ? SECRET_HEADERS : PLAIN_HEADERS;
        return new Scenario.Steady(
                name,
                title,
                Set.of(need),
                policy,
                List.of(BYTES, CPU_BYTES, RSS, ERRORS),
                (dialler, subject, settings) ->
                        new KeepAlive(dialler, subject.secure(), 1, "/bytes/" + settings.transferBytes(), headers));
    }

    private static Scenario start(String name, String where, boolean pinned) {
        return new Scenario.Start(
                name,
                "From the start of the process until it accepts, " + where
                        + ", and from there until the first answers.",
                Set.of(HTTP),
                "five",
                List.of(
                        new Metric("ready_ms", "ready ms", false),
                        new Metric("first_plain_ms", "then first plain ms", false),
                        new Metric("first_intercepted_ms", "then first intercepted ms", false),
                        new Metric("cpu_ms", "CPU ms", false)),
                FreshCells::start,
                pinned);
    }

    private static Scenario rules(String name, String count) {
        return new Scenario.Steady(
                name,
                "HTTPS, intercepted: a policy of " + count + " rules and " + count + " placeholders.",
                Set.of(MITM, POLICY),
                name,
                REQUESTS,
                (dialler, subject, settings) ->
                        new KeepAlive(dialler, subject.secure(), settings.connections(), KIB, PLAIN_HEADERS));
    }
}
