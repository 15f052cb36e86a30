package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.redact.ResponseRedactor;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns real values in one exchange's response back into placeholders. */
final class RedactionStep implements ResponseStep.Inline {

    private final Redactions redactions;
    private final List<Redactable.Known> values;
    private final @Nullable Sightings later;

    /**
     * @param values those that the request may have carried
     * @param later tells of what was swapped behind the head, or null when nothing could be
     */
    RedactionStep(Redactions redactions, List<Redactable.Known> values, @Nullable Sightings later) {
        this.redactions = redactions;
        this.values = values;
        this.later = later;
    }

    @Override
    public ResponseDecision apply(ResponseContext context) {
        Redaction redaction = redactions.redaction(values, later == null ? Set.of() : later.secrets());
        if (later != null && !context.head().interim()) {
            later.answered();
        }
        if (redaction.redactor().isEmpty()) {
            return ResponseDecision.proceed();
        }
        Trace trace = context.trace();
        Uses redacted = new Uses(Uses.REDACTED);
        return new ResponseRedactor(redaction.redactor(), Redactions.MARKER, (cover, location) -> {
                    redacted.add(redaction.secret(cover), location);
                    redacted.annotate(trace);
                })
                .decide(context);
    }
}
