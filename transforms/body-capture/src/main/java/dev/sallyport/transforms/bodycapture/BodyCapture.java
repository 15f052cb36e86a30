package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import java.util.OptionalLong;

/** Observes the bodies of matching requests; allocates nothing for a request without a body. */
final class BodyCapture implements InlineTransform {

    private final RuleSet rules;
    private final int maxBytes;

    BodyCapture(RuleSet rules, int maxBytes) {
        this.rules = rules;
        this.maxBytes = maxBytes;
    }

    @Override
    public Decision decide(RequestContext context) {
        if (!rules.isEmpty() && rules.match(context) == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        OptionalLong length = context.head().contentLength();
        if (length.isPresent() && length.getAsLong() == 0) {
            return Decision.proceed();
        }
        return Decision.proceed(Edits.builder()
                .observeBody(new Capture(maxBytes, context.trace()))
                .build());
    }
}
