package dev.sallyport.core.pipeline;

import dev.sallyport.spi.GateVerdict;
import dev.sallyport.spi.Trace;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the trace notes of an off-loop step and merges them if the step ends in time: a late step must not modify a
 * record that is being written.
 */
final class DeferredTrace implements Trace {

    private final Map<String, Object> annotations = new LinkedHashMap<>();
    private final Map<String, Map<String, ?>> groups = new LinkedHashMap<>();
    private boolean warned;
    private @Nullable GateVerdict verdict;

    @Override
    public void annotate(String key, Object value) {
        annotations.put(key, value);
    }

    @Override
    public void group(String name, Map<String, ?> fields) {
        groups.put(name, Map.copyOf(fields));
    }

    /** What a step off the loop holds of a body is charged where the body is. */
    @Override
    public boolean reserve(int bytes) {
        return false;
    }

    @Override
    public void warn() {
        warned = true;
    }

    @Override
    public void verdict(GateVerdict newVerdict) {
        verdict = newVerdict;
    }

    void mergeInto(Trace target) {
        annotations.forEach(target::annotate);
        groups.forEach(target::group);
        if (warned) {
            target.warn();
        }
        if (verdict != null) {
            target.verdict(verdict);
        }
    }
}
