package dev.sallyport.control.api;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.audit.EgressIngest;
import dev.sallyport.control.crypto.RecipientKey;
import dev.sallyport.control.feed.ProxyConnection;
import dev.sallyport.control.feed.ProxyConnections;
import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.AuditHeadDraft;
import dev.sallyport.control.proxy.AuditHeads;
import dev.sallyport.control.proxy.ProxyIdentity;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.core.audit.ObservedEgress;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.sse.Event;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** {@code /v1/feed}: what proxies elsewhere call, with their tokens. */
@Controller("/v1/feed")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class FeedController {

    private static final String TAG = "Feed";
    private static final String SNAPSHOT = "Sallyport-Snapshot";
    private static final String PIPELINE = "Sallyport-Pipeline";
    private static final String KEY = "Sallyport-Key";
    private static final String LAST_EVENT_ID = "Last-Event-ID";

    /** What may be parsed of events at once: those who change policies do not wait for them. */
    private static final int EVENTS_BUDGET = 4 << 20;

    private static final Duration EVENTS_PATIENCE = Duration.ofSeconds(1);

    private final ProxyConnections connections;
    private final Bodies bodies;
    private final Bodies eventBodies = new Bodies(EVENTS_BUDGET, EVENTS_PATIENCE);
    private final RateLimits rates;
    private final EgressIngest ingest;
    private final AuditHeads heads;
    private final TellableEvents tellable;

    FeedController(
            ProxyConnections connections,
            Bodies bodies,
            RateLimits rates,
            EgressIngest ingest,
            AuditHeads heads,
            SharedProxies shared) {
        this.tellable = new TellableEvents(shared);
        this.connections = connections;
        this.bodies = bodies;
        this.rates = rates;
        this.ingest = ingest;
        this.heads = heads;
    }

    /** What a proxy has applied. */
    record Acknowledgement(
            @Limits(min = 1, max = 64, description = "That of the snapshot.")
            String epoch,

            @Limits(
                    min = 1,
                    max = 64,
                    description =
                            "That of the event hello of the connection over which it came; any when it is absent.")
            @Nullable String stream,

            @Limits(description = "That of the snapshot; of a proxy that accounts share, the number of the last event.")
            long revision,

            @Limits(max = 100, description = "What of it does not work.")
            List<Fault> problems,

            @Limits(
                    max = 10_000,
                    description =
                            "Of a proxy that accounts share: the accounts of which it could make nothing, and has nothing.")
            List<String> failed) {}

    /** What a proxy that accounts share has of them. */
    record Holding(
            @Limits(min = 1, max = 64, description = "Of which what it has is.")
            String epoch,

            @Limits(max = 10_000, description = "What it has of accounts: of others it has nothing, or not all.")
            List<HeldAccount> accounts) {

        ProxyConnections.Held held() {
            Map<String, ProxyConnections.HeldAccount> byAccount = new HashMap<>();
            accounts.forEach(each -> byAccount.put(
                    each.account(), new ProxyConnections.HeldAccount(each.hash(), each.pipeline(), each.callers())));
            return ProxyConnections.Held.of(epoch, byAccount);
        }
    }

    /** What a proxy has of an account. */
    record HeldAccount(
            @Limits(min = 1, max = 64, description = "The account.")
            String account,

            @Limits(min = 1, max = 64, description = "The hash of its snapshot, as it came.")
            String hash,

            @Limits(min = 1, max = 64, description = "The SHA-256 of its pipeline, in hexadecimal.")
            String pipeline,

            @Limits(
                    min = 1,
                    max = 64,
                    description =
                            "The SHA-256, in hexadecimal, of a line for each that may come in, in their order: workload or key, the identifier, and the digest in hexadecimal, with blanks between them.")
            String callers) {}

    /** Why a part of a snapshot does not work at a proxy. */
    record Fault(
            @Limits(max = 64, description = "The account, at a proxy that accounts share.") @Nullable String account,

            @Limits(max = 1024, description = "The place in the pipeline, a JSON pointer.")
            String pointer,

            @Limits(max = 1024, description = "Why.") String message) {}

    /** Requests of workloads, as a proxy saw them. */
    record Events(
            @Limits(
                    min = 1,
                    max = 64,
                    pattern = "[0-9A-Za-z_-]+",
                    expected = "letters, digits, _ and -",
                    description = "Names the numbering: a proxy that has lost its own begins another one.")
            String epoch,

            @Limits(description = "The number of the first event; the others follow it.")
            long first,

            @Limits(min = 1, max = 1000, description = "In the order in which they were recorded.")
            List<Seen> events)
            implements Checked {

        private static final long LARGEST = 1L << 53;

        @Override
        public void check(FieldProblems problems) {
            if (first < 0 || first > LARGEST) {
                problems.add("first", "out of range (expected: 0 to " + LARGEST + ")");
            }
            if (problems.isTouched("events")) {
                return; // not all of them could be read
            }
            for (int i = 0; i < events.size(); i++) {
                if (events.get(i).replacementChars() > ObservedEgress.MOST_REPLACEMENT_CHARS) {
                    problems.add(
                            "events[" + i + "].replacements",
                            "too long together (expected: at most " + ObservedEgress.MOST_REPLACEMENT_CHARS
                                    + " UTF-16 code units in their texts)");
                }
            }
        }
    }

    /** A request of a workload. */
    record Seen(
            @Limits(description = "When it began.") Instant timestamp,

            @Limits(
                    max = ObservedEgress.LONGEST_WORKLOAD,
                    description = "The workload as the proxy names it; empty for none in particular.")
            String workload,

            @Limits(max = 64, description = "Whose workload it was, at a proxy that accounts share.") @Nullable String account,

            @Limits(min = 1, max = ObservedEgress.LONGEST_HOST, description = "Where it went.")
            String host,

            @Limits(
                    min = 1,
                    max = ObservedEgress.LONGEST_RANGE,
                    description = "The rule that matched, when it was a range.")
            @Nullable String cidr,

            @Limits(description = "What was spoken.") EgressEvent.Protocol protocol,

            @Limits(description = "What the egress policy said.")
            EgressEvent.Verdict verdict,

            @Limits(description = "Whether it was let through.")
            boolean allowed,

            @Limits(description = "That of the policy at that time.")
            EgressMode mode,

            @Limits(description = "What became of the connection to the origin; absent where none was needed.")
            EgressEvent.@Nullable Dial dial,

            @Limits(
                    max = ObservedEgress.MOST_REPLACEMENTS,
                    description =
                            "The placeholders that were replaced. Their texts have at most 16,384 UTF-16 code units together.")
            List<Replaced> replacements) {

        /** Of the texts of all replacements, in UTF-16 code units. */
        long replacementChars() {
            return replacements.stream()
                    .mapToLong(replaced -> (long) replaced.secret().length()
                            + replaced.location().length())
                    .sum();
        }

        EgressFacts facts() {
            return new EgressFacts(
                    timestamp,
                    null,
                    new EgressFacts.Target(host, cidr, protocol),
                    new EgressFacts.Outcome(verdict, allowed, mode, dial),
                    replacements.stream()
                            .map(replaced -> new EgressEvent.Replacement(replaced.secret(), replaced.location()))
                            .toList());
        }
    }

    /** A placeholder that was replaced, or a credential that was put in. */
    record Replaced(
            @Limits(min = 1, max = ObservedEgress.LONGEST_SECRET, description = "The name of the secret.")
            String secret,

            @Limits(min = 1, max = ObservedEgress.LONGEST_LOCATION, description = "Such as header:Authorization.")
            String location) {}

    /** What has arrived. */
    record Receipt(
            @Limits(
                    description =
                            "The number up to which all events of this epoch are here: none of them need be sent again.")
            long position) {}

    @Get(produces = MediaType.TEXT_EVENT_STREAM, headRoute = false)
    @Operation(
            summary =
                    "Follow the policies of this proxy: events hello, secrets, snapshot, current, heartbeat, busy, revoked; of one that accounts share, accounts in place of secrets, snapshot and current. Last-Event-ID (epoch:revision), Sallyport-Snapshot and Sallyport-Pipeline (hashes) say what is there already; Sallyport-Key is the X25519 key, in Base64, for which secrets are sealed: without it there are none.",
            tag = TAG,
            errors = {"401 proxy_revoked", Operation.QUOTA},
            proxy = true,
            media = MediaType.TEXT_EVENT_STREAM)
    HttpResponse<Publisher<Event<String>>> follow(HttpRequest<?> request, ProxyIdentity proxy) {
        HttpHeaders headers = request.getHeaders();
        return follow(
                request,
                proxy,
                new ProxyConnections.Held(
                        headers.get(LAST_EVENT_ID), headers.get(SNAPSHOT), headers.get(PIPELINE), Map.of()));
    }

    @Post(produces = MediaType.TEXT_EVENT_STREAM)
    @Operation(
            summary =
                    "As GET, for a proxy that accounts share, with what it has of them: of each comes what differs, and those that are as they should be are named in the list kept.",
            tag = TAG,
            body = Holding.class,
            errors = {"401 proxy_revoked", Operation.QUOTA},
            proxy = true,
            media = MediaType.TEXT_EVENT_STREAM)
    HttpResponse<Publisher<Event<String>>> resume(
            HttpRequest<?> request, ProxyIdentity proxy, @Body byte @Nullable [] body) {
        return follow(request, proxy, eventBodies.read(body, Holding.class).held());
    }

    private HttpResponse<Publisher<Event<String>>> follow(
            HttpRequest<?> request, ProxyIdentity proxy, ProxyConnections.Held held) {
        EventStream events = new EventStream();
        ProxyConnection connection =
                connections.open(proxy, held, key(request.getHeaders().get(KEY)), events);
        events.onClose(() -> connections.closed(connection));
        return events.toResponse();
    }

    private static @Nullable RecipientKey key(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return RecipientKey.of(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest(KEY + " is no key (expected: an X25519 public key, 32 bytes in Base64)");
        }
    }

    @Post("/acknowledgements")
    @Operation(
            summary = "Say that a snapshot is in force.",
            tag = TAG,
            body = Acknowledgement.class,
            status = 204,
            errors = "401 proxy_revoked",
            proxy = true)
    HttpResponse<?> acknowledge(ProxyIdentity proxy, @Body byte @Nullable [] body) {
        Acknowledgement sent = bodies.read(body, Acknowledgement.class);
        List<ProxyConnections.Reported> problems = sent.problems().stream()
                .map(problem -> new ProxyConnections.Reported(
                        problem.account() == null ? "" : problem.account(), problem.pointer(), problem.message()))
                .toList();
        connections.acknowledged(
                proxy,
                new ProxyConnections.Applied(sent.epoch(), sent.stream(), sent.revision(), problems, sent.failed()));
        return Answer.none().toResponse();
    }

    @Post("/heads")
    @Operation(
            summary =
                    "Say where the chain of audit records has got to. A checkpoint that does not go on from the one before is a conflict, and kept as such.",
            tag = TAG,
            body = AuditHeadDraft.class,
            small = true,
            status = 204,
            errors = {"401 proxy_revoked", "409 audit_head_conflict", Operation.QUOTA},
            proxy = true)
    HttpResponse<?> head(ProxyIdentity proxy, @Body byte @Nullable [] body) {
        heads.accept(proxy, bodies.readSmall(body, AuditHeadDraft.class));
        return Answer.none().toResponse();
    }

    @Post("/events")
    @Operation(
            summary =
                    "Deliver events of egress, at most 1,000 at once. Each is kept once, however often it comes: what has an earlier number than the last one that is here counts as here.",
            tag = TAG,
            body = Events.class,
            answer = Receipt.class,
            errors = "401 proxy_revoked",
            proxy = true)
    HttpResponse<?> deliver(ProxyIdentity proxy, @Body byte @Nullable [] body) {
        String payer = proxy.isShared() ? proxy.id() : proxy.organizationId();
        rates.events(payer, body == null ? 0 : body.length);
        Events sent = eventBodies.read(body, Events.class);
        rates.delivered(payer, sent.events().size(), body == null ? 0 : body.length);
        long last = sent.first() + sent.events().size() - 1;
        long position = ingest.add(new EgressBatch(proxy.id(), sent.epoch(), tellable.of(proxy, sent), last));
        return Answer.of(200, new Receipt(position)).toResponse();
    }
}
