package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.redact.ResponseRedactor;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns real credentials in one exchange's response back into those of the workload. Of an object store the content of
 * successful answers is passed on untouched: it is data, of which parts may be asked for.
 */
final class EchoStep implements ResponseStep.Inline {

    private static final int MULTIPLE_CHOICES = 300;

    private final Echoes echoes;
    private final Exposed exposed;
    private final Map<String, Set<String>> redacted = new LinkedHashMap<>();

    EchoStep(Echoes echoes, Exposed exposed) {
        this.echoes = echoes;
        this.exposed = exposed;
    }

    @Override
    public ResponseDecision apply(ResponseContext context) {
        boolean success = context.head().status() < MULTIPLE_CHOICES;
        Echoes.Redaction redaction = success ? echoes.credentials(exposed) : Echoes.all(exposed);
        Trace trace = context.trace();
        ResponseRedactor redactor = new ResponseRedactor(
                redaction.redactor(),
                Echoes.MARKER,
                (cover, location) -> note(redaction.names().get(cover), location, trace));
        return success && exposed.content() ? redactor.decideHead(context) : redactor.decide(context);
    }

    private void note(String value, String location, Trace trace) {
        redacted.computeIfAbsent(value, first -> new LinkedHashSet<>()).add(location);
        trace.annotate(
                "redacted",
                redacted.entrySet().stream()
                        .map(entry -> Map.of("value", entry.getKey(), "locations", List.copyOf(entry.getValue())))
                        .toList());
    }
}
