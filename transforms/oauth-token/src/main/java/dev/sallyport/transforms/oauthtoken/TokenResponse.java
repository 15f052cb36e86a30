package dev.sallyport.transforms.oauthtoken;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.toolkit.token.AccessToken;
import dev.sallyport.toolkit.token.IssuerErrors;
import dev.sallyport.toolkit.token.MintException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token endpoint's answer (RFC 6749, 5.1). Only registered error codes are passed on from it.
 *
 * @param refreshToken a new refresh token, which replaces the one that was sent, or null
 */
record TokenResponse(AccessToken token, @Nullable String refreshToken) {

    /** Rejects JSON that two readers could understand differently. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** @throws MintException when it has no usable token */
    static TokenResponse of(HttpReply reply, Instant now) throws MintException {
        int status = reply.status();
        JsonNode body = json(reply.body());
        String code = body.path("error").asText("");
        if (status < 200 || status > 299) {
            throw IssuerErrors.refusal(status, code, reply.headers().first("Retry-After"), now);
        }
        JsonNode token = body.path("access_token");
        if (!token.isTextual() || !AccessToken.isUsable(token.textValue())) {
            boolean refused = token.isMissingNode() && IssuerErrors.isRegistered(code);
            throw new MintException(refused ? code : "token_endpoint_answer");
        }
        JsonNode refresh = body.path("refresh_token");
        String rotated = refresh.isTextual() && !refresh.textValue().isEmpty() ? refresh.textValue() : null;
        return new TokenResponse(new AccessToken(token.textValue(), lifetime(body.path("expires_in"))), rotated);
    }

    /** Returns null where there is no JSON object, or an ambiguous one. */
    private static JsonNode json(byte[] body) {
        try {
            JsonNode node = JSON.readTree(body);
            return node != null && node.isObject() ? node : MissingNode.getInstance();
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    /** In seconds; some issuers write the number as a string, and 0 when it is unknown. */
    private static Duration lifetime(JsonNode expiresIn) {
        long seconds = 0;
        if (expiresIn.isNumber() && expiresIn.canConvertToLong()) {
            seconds = expiresIn.longValue();
        } else if (expiresIn.isTextual() && expiresIn.textValue().matches("[0-9]{1,15}")) {
            seconds = Long.parseLong(expiresIn.textValue());
        }
        return seconds > 0 ? Duration.ofSeconds(seconds) : AccessToken.USUAL_LIFETIME;
    }

    @Override
    public String toString() {
        return "TokenResponse[***]";
    }
}
