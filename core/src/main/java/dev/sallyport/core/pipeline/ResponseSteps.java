package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseStep;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a request's transforms want to do to its response: response steps, in list order, and rewriters of messages.
 *
 */
public final class ResponseSteps {

    record Entry(Stage stage, ResponseStep step) {}

    private @Nullable MessageEdits messages;
    private List<Entry> entries = List.of();

    void add(Stage stage, ResponseStep step) {
        if (entries.isEmpty()) {
            entries = new ArrayList<>(4);
        }
        entries.add(new Entry(stage, step));
    }

    /** Removes the steps from this one on. */
    void forget(int from) {
        if (from < entries.size()) {
            entries.subList(from, entries.size()).clear();
        }
    }

    /** Passes on each step with its stage, in the order in which they are asked: the last transform first. */
    public void forEachDue(BiConsumer<Stage, ResponseStep> action) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            action.accept(entries.get(i).stage, entries.get(i).step);
        }
    }

    /** The stage of a step at this position of the pipeline; null when there is none. */
    @Nullable Stage stage(int position) {
        for (Entry entry : entries) {
            if (entry.stage.position() == position) {
                return entry.stage;
            }
        }
        return null;
    }

    int size() {
        return entries.size();
    }

    Entry get(int index) {
        return entries.get(index);
    }

    /** Whether no transform wants to see a response with this status. */
    public boolean isEmpty(int status) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).step.concerns(status)) {
                return false;
            }
        }
        return true;
    }

    /** The rewriters of WebSocket messages that transforms have asked for. */
    public MessageEdits messages() {
        MessageEdits edits = messages;
        if (edits == null) {
            edits = new MessageEdits();
            messages = edits;
        }
        return edits;
    }

    /** Whether messages are rewritten, or a step may still ask for that. */
    public boolean mayRewriteMessages() {
        boolean may = messages != null && !messages.isEmpty();
        for (int i = 0; !may && i < entries.size(); i++) {
            may = entries.get(i).stage().mayWrite(Part.MESSAGES);
        }
        return may;
    }
}
