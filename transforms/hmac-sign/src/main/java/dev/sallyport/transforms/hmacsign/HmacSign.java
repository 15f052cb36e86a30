package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.time.Clock;
import java.util.List;
import java.util.OptionalLong;
import javax.crypto.spec.SecretKeySpec;

/** Signs matching requests. Reads a body only where the message uses it. */
final class HmacSign implements InlineTransform {

    private static final byte[] NO_BODY = {};

    private static final Decision NO_CREDENTIALS = Decision.reject(
            502, "credential_unavailable", "A credential needed to sign this request is not available.");
    private static final Decision BAD_KEY =
            Decision.reject(500, "key_unusable", "The key needed to sign this request cannot be used.");
    private static final Decision BAD_HEADER =
            Decision.reject(500, "credential_unusable", "A credential of this request cannot be put into a header.");
    private static final Decision CHUNKED = Decision.reject(
            400,
            "chunked_body_not_allowed",
            "The content of this request is signed, so its length must be declared (Content-Length).");

    private final RuleSet rules;
    private final Signer signer;
    private final Clock clock;
    private final boolean allowChunkedBody;
    private final List<String> names;

    HmacSign(HmacSignConfig config, Signer signer, BuildContext context) throws ConfigException {
        this.rules = context.rules(config.rules());
        this.signer = signer;
        this.clock = context.clock();
        this.allowChunkedBody = config.allowChunkedBody();
        this.names = config.headers().stream()
                .map(header -> "header:" + HeaderNames.canonical(header.name()))
                .toList();
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = rules.match(context);
        return rule == RuleSet.NO_MATCH
                ? Decision.proceed()
                : decide(context, rule).byRule(rule);
    }

    private Decision decide(RequestContext context, int rule) {
        if (!signer.available()) {
            return NO_CREDENTIALS;
        }
        OptionalLong length = context.head().contentLength();
        if (!signer.signsBody() || (length.isPresent() && length.getAsLong() == 0)) {
            return sign(context, NO_BODY);
        }
        if (length.isEmpty() && !allowChunkedBody) {
            return CHUNKED;
        }
        return Decision.read(
                Buffered.whole().raw(),
                RequestStep.inline(read -> sign(read, read.body().copy()).byRule(rule)));
    }

    private Decision sign(RequestContext context, byte[] body) {
        if (!signer.available()) {
            return NO_CREDENTIALS; // withdrawn while the body was read
        }
        SecretKeySpec key = signer.key();
        if (key == null) {
            return signer.available() ? BAD_KEY : NO_CREDENTIALS;
        }
        Edits edits = signer.sign(context, key, clock.instant(), body);
        if (edits == null) {
            return BAD_HEADER;
        }
        context.trace().annotate("signed", names);
        return Decision.proceed(edits);
    }
}
