package dev.sallyport.toolkit.token;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts the token of a cache into requests. A cached token is put in at once. If one must be minted, the request waits,
 * and is refused with 502 {@code token_unavailable} when that fails. Thread-safe.
 */
public final class TokenInjection {

    /** The code of the refusal. */
    public static final String TOKEN_UNAVAILABLE = "token_unavailable";

    /** The annotation of records, and the counter, of tokens that were given up because an API refused them. */
    public static final String MINTED_AGAIN = "minted_again";

    private static final int UNAUTHORIZED = 401;

    private final TokenCache cache;
    private final Minter minter;
    private final String header;
    private final String prefix;
    private final boolean overPlaintext;
    private final boolean retries;
    private final Meters.Counter mintedAgain;
    private final Predicate<Destination> reach;
    private final @Nullable RedactResponse redact;
    private final Facts facts;
    private final List<String> locations;
    private volatile @Nullable Prepared prepared;

    /**
     * What a transform declares that puts minted tokens into requests.
     *
     * @param scope the destinations, and the endpoints at which it only answers; empty for all
     * @param destinations where it puts tokens in; empty for all
     * @param deadline longer than minting may take
     */
    public static Capabilities capabilities(List<Rule> scope, List<Rule> destinations, Duration deadline) {
        return Capabilities.builder()
                .scope(scope)
                .effectScope(destinations)
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL, Effect.CALLS_OUT, Effect.ANSWERS_LOCALLY)
                .needsFullVisibility()
                .deadline(deadline)
                .build();
    }

    /**
     * Texts for refusals and audit records.
     *
     * @param what the kind of token, such as {@code access token}
     * @param how completes "No access token could be minted", such as {@code with the grant password}
     * @param position of the entry in the transform's configuration, such as {@code tokens[0]}; may be null
     * @param annotations further annotations of each request
     */
    public record Facts(String what, String how, @Nullable String position, Map<String, String> annotations) {
        public Facts {
            annotations = Map.copyOf(annotations);
        }

        /** Of an access token. */
        public Facts(String how, @Nullable String position, Map<String, String> annotations) {
            this("access token", how, position, annotations);
        }

        /** How audit records name the token. */
        String secret() {
            return what.toLowerCase(Locale.ROOT).replace(' ', '_');
        }
    }

    /** The edits for one token, cached. */
    private record Prepared(AccessToken token, Decision decision) {}

    /**
     * An injection.
     *
     * @param header name of the header, in the casing in which it is sent
     * @param prefix the text before the token; a space is put between them unless it is empty or ends with one
     * @param reach the destinations to which the token may be sent
     * @param redact the responses from which the token is removed; null for the proxy's setting
     * @param overPlaintext whether the token may be sent anywhere without TLS
     * @param retries whether GET and HEAD requests that are answered with 401 are sent once more with another token
     * @param meters count the tokens that were given up because of a 401
     */
    public TokenInjection(
            TokenCache cache,
            Minter minter,
            String header,
            String prefix,
            Predicate<Destination> reach,
            @Nullable RedactResponse redact,
            boolean overPlaintext,
            boolean retries,
            Meters meters,
            Facts facts) {
        this.cache = cache;
        this.minter = minter;
        this.header = header;
        this.prefix = prefix.isEmpty() || prefix.endsWith(" ") ? prefix : prefix + " ";
        this.reach = reach;
        this.redact = redact;
        this.overPlaintext = overPlaintext;
        this.retries = retries;
        this.mintedAgain = meters.counter(MINTED_AGAIN, "Tokens that were given up because an API refused them (401).")
                .of();
        this.facts = facts;
        this.locations = List.of("header:" + HeaderNames.canonical(header));
    }

    /**
     * Decides about a request that should get the token. Runs on the event loop and does not block. A request that
     * might not be allowed to have the token does not even trigger a renewal.
     */
    public Decision decide(RequestContext context) {
        if (!overPlaintext && !context.destination().secure()) {
            return Decision.later(RequestStep.async(this::currentOrAwait));
        }
        AccessToken token = cache.current(minter);
        return token == null
                ? Decision.later(RequestStep.async(this::await)).overPlaintext(overPlaintext)
                : inject(context, token);
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
        return prepared(token).decision;
    }

    private Prepared prepared(AccessToken token) {
        Prepared ready = prepared;
        if (ready == null || ready.token != token) {
            ResponseStep onRefusal = ResponseStep.onStatus(UNAUTHORIZED, response -> refused(response, token));
            ready = new Prepared(token, Decision.proceed(edits(token), onRefusal));
            prepared = ready;
            forgetUnheld();
        }
        return ready;
    }

    private Edits edits(AccessToken token) {
        return Edits.builder()
                .sensitive()
                .overPlaintext(overPlaintext)
                .setHeader(header, prefix + token.value())
                .credential(Credential.of(facts.secret(), token.value())
                        .placeholder(PlaceholderToken.VALUE.getBytes(StandardCharsets.US_ASCII))
                        .redact(redact)
                        .from(facts.position == null ? "" : facts.position)
                        .within(reach))
                .build();
    }

    /** The API says that the token is no good: gives it up, and sends the request once more with another one. */
    private ResponseDecision refused(ResponseContext response, AccessToken token) {
        if (response.answeredLocally()) {
            return ResponseDecision.proceed();
        }
        TokenCache.Refused outcome = cache.refused(token);
        if (outcome == TokenCache.Refused.KEPT) {
            return ResponseDecision.proceed();
        }
        if (outcome == TokenCache.Refused.GIVEN_UP) {
            mintedAgain.increment();
            response.trace().annotate(MINTED_AGAIN, true);
            forgetUnheld();
        }
        return retries && response.repeatable()
                ? ResponseDecision.later(ResponseStep.async(ignored -> another()))
                : ResponseDecision.proceed();
    }

    /** Sends the request again; where no other token can be minted, the client gets the API's refusal. */
    private CompletionStage<ResponseDecision> another() {
        return cache.await(minter)
                .handle((next, failure) ->
                        failure == null ? ResponseDecision.repeat(edits(next)) : ResponseDecision.proceed());
    }

    /**
     * Gives up what was made with former credentials, so that it is gone from memory; for {@link
     * dev.sallyport.spi.BuildContext#onSecretChange}.
     */
    public void forgetFormer() {
        cache.forgetFormer(minter);
        forgetUnheld();
    }

    private void forgetUnheld() {
        Prepared ready = prepared;
        if (ready != null && !cache.holds(ready.token)) {
            prepared = null;
        }
    }

    private Decision refuse(RequestContext context, Throwable failure) {
        Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
        String reason = cause instanceof MintException mint ? mint.reason() : "mint_failed";
        annotate(context.trace());
        context.trace().annotate("rejected", TOKEN_UNAVAILABLE);
        context.trace().annotate("error", reason);
        Decision.Reject refusal = Decision.reject(
                502, TOKEN_UNAVAILABLE, "No " + facts.what + " could be minted " + facts.how + " (" + reason + ").");
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
