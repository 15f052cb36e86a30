package dev.sallyport.it;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;

/** Transforms that read bodies and change nothing. */
final class Reading {

    private Reading() {}

    static InlineTransform bothWays() {
        return request ->
                Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed(Edits.none(), response())));
    }

    static ResponseStep response() {
        return ResponseStep.inline(head -> head.head().status() < 200
                ? ResponseDecision.proceed()
                : ResponseDecision.read(Buffered.whole(), ResponseStep.inline(read -> ResponseDecision.proceed())));
    }
}
