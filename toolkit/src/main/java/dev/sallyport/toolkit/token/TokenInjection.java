package dev.sallyport.toolkit.token;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Redactor;
import dev.sallyport.toolkit.redact.ResponseRedactor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Puts the token of a cache into requests, and takes it out of their responses. A token that is there is put in at once;
 * for one that has to be minted the request waits, and is refused with 502 {@code token_unavailable} when there is none.
 * Thread-safe.
 */
public final class TokenInjection {

    /** The code of the refusal. */
    public static final String TOKEN_UNAVAILABLE = "token_unavailable";

    private final TokenCache cache;
    private final Minter minter;
    private final String header;
    private final String prefix;
    private final boolean redact;
    private final boolean overPlaintext;
    private final Facts facts;
    private final List<String> locations;
    private volatile @Nullable Prepared prepared;

    /**
     * What refusals and audit records say.
     *
     * @param how completes "No access token could be minted", such as {@code with the grant password}
     * @param position of the entry in the transform's configuration, such as {@code tokens[0]}; may be null
     * @param annotations further annotations of each request
     */
    public record Facts(String how, @Nullable String position, Map<String, String> annotations) {
        public Facts {
            annotations = Map.copyOf(annotations);
        }
    }

    /** What is done with one token; kept so that it is made once. */
    private record Prepared(
            AccessToken token, Edits edits, @Nullable ResponseStep then, Decision decision) {}

    /**
     * An injection.
     *
     * @param header name of the header, in the casing in which it is sent
     * @param prefix what stands before the token; a space is put between them unless it is empty or ends with one
     * @param redact whether responses are redacted
     * @param overPlaintext whether the token may go anywhere without TLS
     */
    public TokenInjection(
            TokenCache cache,
            Minter minter,
            String header,
            String prefix,
            boolean redact,
            boolean overPlaintext,
            Facts facts) {
        this.cache = cache;
        this.minter = minter;
        this.header = header;
        this.prefix = prefix.isEmpty() || prefix.endsWith(" ") ? prefix : prefix + " ";
        this.redact = redact;
        this.overPlaintext = overPlaintext;
        this.facts = facts;
        this.locations = List.of("header:" + HeaderNames.canonical(header));
    }

    /**
     * Decides about a request that is to get the token. On the event loop; does not block. A request that may turn out to
     * be one that must not have it does not so much as have the token renewed.
     */
    public Decision decide(RequestContext context) {
        if (!overPlaintext && !context.destination().secure()) {
            return Decision.later(RequestStep.async(this::currentOrAwait));
        }
        AccessToken token = cache.current(minter);
        return token == null ? Decision.later(RequestStep.async(this::await), overPlaintext) : inject(context, token);
    }

    private CompletionStage<Decision> currentOrAwait(RequestContext context) {
        AccessToken token = cache.current(minter);
        return token == null ? await(context) : CompletableFuture.completedFuture(inject(context, token));
    }

    private CompletionStage<Decision> await(RequestContext context) {
        return cache.await(minter)
                .handle((token, failure) -> failure == null ? inject(context, token) : refuse(context, failure));
    }

    private Decision inject(RequestContext context, AccessToken token) {
        annotate(context.trace());
        context.trace().annotate("injected", locations);
        Prepared ready = prepared(token);
        if (ready.then == null) {
            return ready.decision;
        }
        Edits.Builder more = Edits.builder();
        ResponseRedactor.prepare(context.head().headers(), more);
        return more.isEmpty()
                ? ready.decision
                : Decision.proceed(more.addAll(ready.edits).build(), ready.then);
    }

    private Prepared prepared(AccessToken token) {
        Prepared ready = prepared;
        if (ready == null || ready.token != token) {
            Edits edits = Edits.builder()
                    .sensitive()
                    .overPlaintext(overPlaintext)
                    .setHeader(header, prefix + token.value())
                    .build();
            Redactor redactor = redact ? token.redactor() : null;
            ResponseStep then = redactor == null ? null : ResponseStep.inline(response -> redact(redactor, response));
            ready = new Prepared(
                    token, edits, then, then == null ? Decision.proceed(edits) : Decision.proceed(edits, then));
            prepared = ready;
        }
        return ready;
    }

    private static ResponseDecision redact(Redactor redactor, ResponseContext context) {
        Trace trace = context.trace();
        Set<String> places = new LinkedHashSet<>(4);
        return new ResponseRedactor(redactor, StubToken.VALUE, (cover, location) -> {
                    if (places.add(location)) {
                        trace.annotate("redacted", List.copyOf(places));
                    }
                })
                .decide(context);
    }

    private Decision refuse(RequestContext context, Throwable failure) {
        Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
        String reason = cause instanceof MintException mint ? mint.reason() : "mint_failed";
        annotate(context.trace());
        context.trace().annotate("rejected", TOKEN_UNAVAILABLE);
        context.trace().annotate("error", reason);
        Decision.Reject refusal = (Decision.Reject) Decision.reject(
                502, TOKEN_UNAVAILABLE, "No access token could be minted " + facts.how + " (" + reason + ").");
        return facts.position == null ? refusal : refusal.at(facts.position);
    }

    private void annotate(Trace trace) {
        facts.annotations.forEach(trace::annotate);
    }

    @Override
    public String toString() {
        return "TokenInjection[" + header + "]";
    }
}
