package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.Secret;
import dev.sallyport.toolkit.token.AccessToken;
import dev.sallyport.toolkit.token.MintException;
import dev.sallyport.toolkit.token.Minter;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks the token endpoint of one entry. Thread-safe. */
final class Issuer implements Minter {

    /** Time limit of one call. */
    static final Duration TIMEOUT = Duration.ofSeconds(15);

    /** The longest answer, in bytes. */
    static final int MAX_ANSWER = 256 << 10;

    private final OauthTokenConfig.Entry entry;
    private final Endpoint endpoint;
    private final Credentials credentials;
    private final TokenState state;
    private final BuildContext context;
    private final String pointer;

    Issuer(
            OauthTokenConfig.Entry entry,
            Endpoint endpoint,
            Credentials credentials,
            TokenState state,
            BuildContext context,
            String pointer) {
        this.entry = entry;
        this.endpoint = endpoint;
        this.credentials = credentials;
        this.state = state;
        this.context = context;
        this.pointer = pointer;
    }

    @Override
    public long credentials() {
        return credentials.version();
    }

    @Override
    public AccessToken mint() throws MintException, InterruptedException {
        try {
            if (!credentials.available()) {
                throw new MintException("credential_unavailable");
            }
            return entry.grant() == Grant.REFRESH_TOKEN ? refresh() : ask(0).token();
        } catch (MintException e) {
            warn(e.reason());
            throw e;
        } catch (RuntimeException e) {
            warn(e.getClass().getSimpleName());
            throw e;
        }
    }

    private void warn(String why) {
        context.warn(pointer, "no token with the grant " + entry.grant().label() + ": " + why);
    }

    private TokenResponse ask(long configured) throws MintException, InterruptedException {
        return TokenResponse.of(send(request(configured)), context.clock().instant());
    }

    private AccessToken refresh() throws MintException, InterruptedException {
        state.refreshing().lockInterruptibly();
        try {
            long configured = credentials.version("refresh_token");
            TokenResponse answer = ask(configured);
            takeOver(answer.refreshToken(), configured);
            return answer.token();
        } finally {
            state.refreshing().unlock();
        }
    }

    private void takeOver(@Nullable String refreshToken, long configured) {
        if (refreshToken == null) {
            return;
        }
        String shown = state.refreshToken(configured);
        if (shown == null && !refreshToken.equals(credentials.text("refresh_token"))) {
            context.warn(
                    pointer + "/refresh_token",
                    "the issuer rotates refresh tokens; the newest is kept in memory only and does not survive a restart");
        }
        state.rotated(configured, refreshToken);
        // It may have changed while the issuer was asked, and whoever tells of that has not seen this token.
        state.forgetFormer(credentials.refreshVersion());
    }

    private HttpReply send(HttpCall call) throws MintException, InterruptedException {
        CompletableFuture<HttpReply> reply = context.http().call(call).toCompletableFuture();
        try {
            return reply.get();
        } catch (InterruptedException e) {
            reply.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            boolean late = e.getCause() instanceof TimeoutException || e.getCause() instanceof HttpTimeoutException;
            if (late || e.getCause() instanceof IOException) {
                throw new MintException(late ? "token_endpoint_timeout" : "token_endpoint_unreachable");
            }
            throw new MintException("mint_failed");
        }
    }

    /** @param configured version of the configured refresh token; used with that grant only */
    private HttpCall request(long configured) throws MintException {
        HttpCall.Builder call =
                HttpCall.to("POST", endpoint.uri()).timeout(TIMEOUT).maxReplyBytes(MAX_ANSWER);
        call.header("Content-Type", "application/x-www-form-urlencoded");
        if (credentials.headers().keySet().stream().noneMatch("Accept"::equalsIgnoreCase)) {
            call.header("Accept", "application/json");
        }
        if (entry.clientAuth() == ClientAuth.BASIC) {
            call.header("Authorization", basic());
        }
        for (Map.Entry<String, Secret> header : credentials.headers().entrySet()) {
            String value = new String(header.getValue().value().bytes(), StandardCharsets.ISO_8859_1);
            if (value.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
                throw new MintException("credential_unusable");
            }
            call.header(header.getKey(), value);
        }
        return call.body(form(parameters(configured))).build();
    }

    /** RFC 6749, 2.3.1: both are encoded as in a form before they are joined. */
    private String basic() {
        String pair = encode(credentials.text("client_id")) + ":" + encode(credentials.text("client_secret"));
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
    }

    private Map<String, String> parameters(long configured) throws MintException {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("grant_type", entry.grant().type());
        switch (entry.grant()) {
            case REFRESH_TOKEN -> {
                String rotated = state.refreshToken(configured);
                parameters.put("refresh_token", rotated == null ? credentials.text("refresh_token") : rotated);
            }
            case PASSWORD -> {
                parameters.put("username", credentials.text("username"));
                parameters.put("password", credentials.text("password"));
            }
            case JWT_BEARER -> parameters.put("assertion", assertion());
            case CLIENT_CREDENTIALS -> {}
        }
        if (!entry.scopes().isEmpty()) {
            parameters.put("scope", String.join(" ", entry.scopes()));
        }
        if (entry.audience() != null && entry.grant() != Grant.JWT_BEARER) {
            parameters.put("audience", entry.audience());
        }
        if (entry.clientAuth() == ClientAuth.BODY) {
            for (String name : List.of("client_id", "client_secret")) {
                if (credentials.has(name)) {
                    parameters.put(name, credentials.text(name));
                }
            }
        }
        return parameters;
    }

    private String assertion() throws MintException {
        Assertion assertion = new Assertion(
                credentials.text("issuer"),
                credentials.text("subject"),
                Objects.requireNonNull(entry.audience(), "validated"),
                credentials.textOrNull("private_key_id"),
                entry.scopes());
        try {
            return assertion.signed(credentials.privateKey(), context.clock().instant());
        } catch (GeneralSecurityException e) {
            throw new MintException("private_key_unusable");
        }
    }

    private static String form(Map<String, String> parameters) {
        List<String> pairs = new ArrayList<>(parameters.size());
        parameters.forEach((name, value) -> pairs.add(encode(name) + "=" + encode(value)));
        return String.join("&", pairs);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "Issuer[" + entry.grant() + "]";
    }
}
