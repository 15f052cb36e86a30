package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Headers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The trailer fields of one message, and their pending edits. */
final class TrailerFields {

    private static final HeaderBlock NONE = new HeaderBlock(1);

    private @Nullable ArrayDeque<Edit> edits;
    private HeaderBlock fields = NONE;

    /** Whether no edit was ever registered. */
    boolean untouched() {
        return edits == null;
    }

    /** Whether an edit is pending. */
    boolean waiting() {
        return edits != null && !edits.isEmpty();
    }

    void add(int position, TrailerStep step) {
        if (edits == null) {
            edits = new ArrayDeque<>(2);
        }
        edits.add(new Edit(position, step));
    }

    /** The fields have arrived. */
    void arrived(HeaderBlock trailers) {
        fields = trailers;
    }

    /** The fields as the edits registered so far leave them; to be asked once they have come. */
    HeaderBlock edited() {
        if (edits == null || edits.isEmpty()) {
            return fields;
        }
        fields = fields.copy();
        for (Edit edit = edits.poll(); edit != null; edit = edits.poll()) {
            try {
                edit.step.edit(fields);
            } catch (Throwable e) {
                throw BodyException.stage(edit.position, "trailer editor", e);
            }
        }
        return fields;
    }

    /** {@link #edited} in a form that later edits do not reach. */
    Headers snapshot() {
        HeaderBlock now = edited();
        return now.isEmpty() ? NONE : now.copy();
    }

    /** The fields that a reader sees if it did not reach the end. */
    static Headers none() {
        return NONE;
    }

    private record Edit(int position, TrailerStep step) {}
}
