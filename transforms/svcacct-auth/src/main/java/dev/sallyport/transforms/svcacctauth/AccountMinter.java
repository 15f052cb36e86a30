package dev.sallyport.transforms.svcacctauth;

import com.google.api.client.http.HttpResponseException;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.toolkit.token.AccessToken;
import dev.sallyport.toolkit.token.IssuerErrors;
import dev.sallyport.toolkit.token.MintException;
import dev.sallyport.toolkit.token.Minter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/** Mints tokens for an account through the library. Thread-safe. */
final class AccountMinter implements Minter {

    /** Has the library ask for a token. */
    interface Question {
        com.google.auth.oauth2.AccessToken ask() throws IOException, MintException;
    }

    private final Account account;
    private final Question question;
    private final BuildContext context;

    AccountMinter(Account account, Question question, BuildContext context) {
        this.account = account;
        this.question = question;
        this.context = context;
    }

    @Override
    public long credentials() {
        return account.version();
    }

    @Override
    public AccessToken mint() throws MintException, InterruptedException {
        try {
            return token(answer());
        } catch (MintException e) {
            context.warn("", "no token for the service account: " + e.reason());
            throw e;
        }
    }

    private com.google.auth.oauth2.AccessToken answer() throws MintException, InterruptedException {
        try {
            return question.ask();
        } catch (InterruptedIOException e) {
            throw new InterruptedException();
        } catch (IOException e) {
            throw failure(e);
        } catch (RuntimeException e) {
            // The library throws this when an answer is not what it expected.
            context.warn(
                    "", "the library could not read the answer: " + e.getClass().getSimpleName());
            throw new MintException("token_endpoint_answer");
        }
    }

    /** The library states the expiry by the system clock, so the lifetime is measured by that clock. */
    private static AccessToken token(com.google.auth.oauth2.AccessToken minted) throws MintException {
        if (!AccessToken.isUsable(minted.getTokenValue())) {
            throw new MintException("token_endpoint_answer");
        }
        Date end = minted.getExpirationTime();
        Duration lifetime = end == null ? AccessToken.USUAL_LIFETIME : Duration.between(Instant.now(), end.toInstant());
        return new AccessToken(minted.getTokenValue(), lifetime);
    }

    private MintException failure(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CallerTransport.NoReplyException none) {
                return new MintException(none.isLate() ? "token_endpoint_timeout" : "token_endpoint_unreachable");
            }
            if (cause instanceof HttpResponseException refused) {
                return IssuerErrors.refusal(
                        refused.getStatusCode(),
                        code(refused.getContent()),
                        refused.getHeaders().getRetryAfter(),
                        context.clock().instant());
            }
        }
        return new MintException("token_endpoint_answer");
    }

    private static String code(@Nullable String content) {
        try {
            JsonElement answer = JsonParser.parseString(content == null ? "" : content);
            JsonElement code = answer.isJsonObject() ? answer.getAsJsonObject().get("error") : null;
            return code != null && code.isJsonPrimitive() ? code.getAsString() : "";
        } catch (JsonParseException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return "AccountMinter[]";
    }
}
