package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ResponseStep;
import java.util.ArrayList;
import java.util.List;

/** The response steps that a request's transforms left behind, in the order of the pipeline. Costs nothing when empty. */
public final class ResponseSteps {

    record Entry(Stage stage, ResponseStep step) {}

    private List<Entry> entries = List.of();

    void add(Stage stage, ResponseStep step) {
        if (entries.isEmpty()) {
            entries = new ArrayList<>(4);
        }
        entries.add(new Entry(stage, step));
    }

    /** Forgets the steps from this one on. */
    void forget(int from) {
        if (from < entries.size()) {
            entries.subList(from, entries.size()).clear();
        }
    }

    int size() {
        return entries.size();
    }

    Entry get(int index) {
        return entries.get(index);
    }

    /** Whether no transform wants to see the response. */
    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether every step only computes. */
    boolean inlineOnly() {
        for (Entry entry : entries) {
            if (!(entry.step() instanceof ResponseStep.Inline)) {
                return false;
            }
        }
        return true;
    }
}
