package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Signs matching requests again. A content is read only where its hash is needed and not declared; otherwise it is
 * verified, or signed chunk by chunk, as it streams.
 */
final class SigV4Auth implements InlineTransform {

    private final RuleSet rules;
    private final Credentials credentials;
    private final Payloads payloads;
    private final Resigner resigner;
    private final Set<String> regions;
    private final Set<String> services;
    private final Exposure exposure;
    private final long maxChunk;
    private final boolean overPlaintext;

    SigV4Auth(SigV4AuthConfig config, Credentials credentials, BuildContext context) throws ConfigException {
        this.rules = context.rules(config.rules());
        this.credentials = credentials;
        this.payloads = new Payloads(config.unsignedPayload(), config.allowChunkedBody());
        this.resigner = new Resigner(context.clock());
        this.regions = Set.copyOf(config.allowedRegions());
        this.services = Set.copyOf(config.allowedServices());
        this.exposure = new Exposure(config.redactResponse(), rules);
        this.maxChunk = context.maxBodyBytes(Direction.REQUEST);
        this.overPlaintext = config.allowPlaintext();
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = rules.match(context);
        if (rule == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        Decision decision = switch (InboundReader.read(context.head())) {
            case Reading.Refused refused -> refused.decision();
            case Inbound inbound -> judge(context, inbound, rule);
        };
        return decision.byRule(rule);
    }

    private Decision judge(RequestContext context, Inbound inbound, int rule) {
        if (!regions.isEmpty() && !regions.contains(inbound.scope().region())) {
            return Refusals.REGION;
        }
        if (!services.isEmpty() && !services.contains(inbound.scope().service())) {
            return Refusals.SERVICE;
        }
        return switch (payloads.of(context.head(), inbound)) {
            case Payload.Refused refused -> refused.decision();
            case Payload.Known known -> sign(context, inbound, known, rule);
            case Payload.Computed computed -> read(inbound, computed, rule);
        };
    }

    private Decision read(Inbound inbound, Payload.Computed payload, int rule) {
        if (credentials.current() == null) {
            return Refusals.NO_CREDENTIALS;
        }
        return Decision.read(
                Buffered.whole().raw(),
                RequestStep.inline(read -> sign(
                                read,
                                inbound,
                                payload.as(Digests.hash(read.body().bytes())),
                                rule)
                        .byRule(rule)));
    }

    private Decision sign(RequestContext context, Inbound inbound, Payload.Known payload, int rule) {
        Keys keys = credentials.current();
        if (keys == null) {
            return Refusals.NO_CREDENTIALS;
        }
        Fields fields = Resigner.fields(context);
        prepare(payload, fields);
        String host = context.destination().host();
        exposure.restrict(context.head(), host, fields);
        Resigner.Signed signed = resigner.sign(context.head(), inbound, fields, payload.hash(), keys);
        annotate(context, inbound, keys);
        Edits.Builder edits = edits(context, payload, signed, rule);
        exposure.tell(host, keys, inbound, signed.signature(), edits);
        return Decision.proceed(edits.build());
    }

    /** Makes the changes to the head that a payload needs. */
    private static void prepare(Payload.Known payload, Fields fields) {
        if (payload instanceof Payload.Fixed fixed && fixed.sent()) {
            fields.set(Names.CONTENT_SHA256, fixed.hash(), false);
        }
        if (payload instanceof Payload.AwsChunked chunked && chunked.signed()) {
            fields.withoutDigests();
        }
    }

    private Edits.Builder edits(RequestContext context, Payload.Known payload, Resigner.Signed signed, int rule) {
        Edits.Builder edits = Edits.builder().overPlaintext(overPlaintext);
        if (payload instanceof Payload.Verified verified) {
            edits.checkRawBody(new LocatedCheck(new PayloadHashCheck(verified.hash()), rule));
        }
        DecodedLength decoded = DecodedLength.of(context.head().headers());
        if (payload instanceof Payload.AwsChunked chunked && !chunked.signed()) {
            edits.checkRawBody(new LocatedCheck(new FramingGuard(decoded), rule));
        }
        signed.fields().addTo(edits);
        if (signed.query() != null) {
            edits.setQuery(signed.query());
        }
        if (payload instanceof Payload.AwsChunked chunked && chunked.signed()) {
            edits.rewriteRawBody(new LocatedRewriter(
                    new ChunkedRewriter(signed.signing(), signed.signature(), chunked.trailer(), maxChunk, decoded),
                    rule));
        }
        return edits;
    }

    private static void annotate(RequestContext context, Inbound inbound, Keys keys) {
        List<String> injected = new ArrayList<>(2);
        injected.add(inbound.presigned() ? "query:" + Names.QUERY_CREDENTIAL : "header:" + Names.AUTHORIZATION);
        if (keys.sessionToken() != null) {
            injected.add((inbound.presigned() ? "query:" : "header:") + Names.SECURITY_TOKEN);
        }
        context.trace().annotate("injected", injected);
        context.trace().annotate("service", inbound.scope().service());
        context.trace().annotate("region", inbound.scope().region());
    }
}
