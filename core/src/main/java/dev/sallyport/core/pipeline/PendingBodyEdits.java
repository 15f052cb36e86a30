package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.TrailerEditor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The edits of one body that transforms have asked for and that have not been applied yet. They are applied as late as
 * possible, when a later transform reads or the last one continues, so that they can still be dropped, and so that a
 * reader that discloses content can be placed before the edits that carry secrets.
 *
 */
final class PendingBodyEdits {

    /** @param forTls told of a credential that must not travel without TLS; null when it may */
    private record Pending(Stage stage, Edit edit, @Nullable RequestCredentials forTls) {}

    private final Part bodyPart;
    private final Part trailerPart;
    private final BiConsumer<Stage, Edits> trailersCarry;
    private final List<Pending> pending = new ArrayList<>(2);
    private final List<BodyRewriter> secretRewriters = new ArrayList<>(0);
    private boolean secretsApplied;
    private boolean secretsPutIn;
    private boolean trailersForTls;

    /** The last transform that has changed the body irrevocably. */
    private int lastWriter = -1;

    private PendingBodyEdits(Part bodyPart, Part trailerPart, BiConsumer<Stage, Edits> trailersCarry) {
        this.bodyPart = bodyPart;
        this.trailerPart = trailerPart;
        this.trailersCarry = trailersCarry;
    }

    /** @param trailersCarry told of edits of trailer fields before they are made */
    static PendingBodyEdits ofRequest(BiConsumer<Stage, Edits> trailersCarry) {
        return new PendingBodyEdits(Part.REQUEST_BODY, Part.REQUEST_TRAILERS, trailersCarry);
    }

    static PendingBodyEdits ofResponse() {
        return new PendingBodyEdits(Part.RESPONSE_BODY, Part.RESPONSE_TRAILERS, (stage, edits) -> {});
    }

    /** Whether rewriters that carry secrets have been applied: it is too late to withhold or to mask. */
    boolean secretsApplied() {
        return secretsApplied;
    }

    /**
     * Whether what has been read contains credentials; true in doubt.
     *
     * @param complete whether the whole body has been read
     */
    boolean secretsWritten(boolean complete) {
        return secretsPutIn
                || (complete ? secretRewriters.stream().anyMatch(BodyRewriter::changed) : !secretRewriters.isEmpty());
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Whether trailers may get credentials that must not travel without TLS. */
    boolean trailersForTls() {
        return trailersForTls;
    }

    /** Whether a transform from this position on has changed the body irrevocably. */
    boolean writtenFrom(int position) {
        return lastWriter >= position;
    }

    /** A transform has replaced the body with other bytes. */
    void replaced(Stage stage, boolean sensitive) {
        secretsPutIn |= sensitive;
        changed(stage, sensitive);
    }

    private void changed(Stage stage, boolean sensitive) {
        secretsApplied |= sensitive;
        lastWriter = Math.max(lastWriter, stage.position());
    }

    /** Drops what has not been applied. Observers are told that nothing will come. */
    void drop() {
        dropFrom(0);
    }

    /** Drops what transforms from this position on have asked for and that has not been applied. */
    void dropFrom(int position) {
        for (int i = pending.size() - 1; i >= 0; i--) {
            if (pending.get(i).stage().position() >= position
                    && pending.remove(i).edit() instanceof Edit.ObserveBody observe) {
                endEarly(observe);
            }
        }
    }

    private static void withhold(Edit.ObserveBody observe) {
        try {
            observe.observer().withheld("the body carries credentials by now");
        } catch (Throwable failure) {
            HeapExhaustion.note(failure);
            // The observer is being removed anyway; end() is still called.
        }
        endEarly(observe);
    }

    private static void endEarly(Edit.ObserveBody observe) {
        try {
            observe.observer().end(false);
        } catch (Throwable failure) {
            HeapExhaustion.note(failure);
            // It has nothing more to report.
        }
    }

    /** Checks an edit and keeps it. */
    void add(Stage stage, Edit edit) {
        add(stage, edit, null);
    }

    /** @param forTls see {@link Pending} */
    void add(Stage stage, Edit edit, @Nullable RequestCredentials forTls) {
        HeadEditor.checkSensitive(stage, edit);
        switch (edit) {
            case Edit.RewriteBody rewrite -> {
                HeadEditor.require(stage, bodyPart);
                pending.add(new Pending(stage, rewrite, forTls));
            }
            case Edit.EditTrailers trailers -> {
                HeadEditor.require(stage, trailerPart);
                pending.add(new Pending(stage, trailers, forTls));
            }
            case Edit.CheckBody check -> {
                requireRead(stage, "checking ");
                if (stage.observer()) {
                    throw StageException.broken("checking " + bodyPart + ": not possible for an observer");
                }
                if (stage.masked() && secretsApplied) {
                    throw StageException.broken("checking " + bodyPart + ": it carries credentials by now");
                }
                addLook(stage, check);
            }
            case Edit.ObserveBody observe -> {
                requireRead(stage, "observing ");
                if (stage.masked() && secretsApplied) {
                    withhold(observe);
                } else {
                    addLook(stage, observe);
                }
            }
            default ->
                throw StageException.broken(
                        edit.getClass().getSimpleName() + ": not possible for this kind of message");
        }
    }

    private void requireRead(Stage stage, String what) {
        if (!stage.mayRead(bodyPart)) {
            throw StageException.broken(what + bodyPart + " was not declared");
        }
    }

    /** A transform that must not see credentials looks at the body before they are put in. */
    private void addLook(Stage stage, Edit look) {
        pending.add(stage.masked() ? firstSecret() : pending.size(), new Pending(stage, look, null));
    }

    /** Applies what a read by {@code reader} must see. */
    void applyBefore(Stage reader, MessageBody body) {
        apply(body, reader.masked() ? firstSecret() : pending.size());
    }

    /** Applies everything. */
    void applyAll(MessageBody body) {
        apply(body, pending.size());
    }

    private void apply(MessageBody body, int count) {
        for (int i = 0; i < count; i++) {
            Pending next = pending.get(i);
            int position = next.stage().position();
            switch (next.edit()) {
                case Edit.RewriteBody rewrite -> {
                    body.rewrite(position, rewrite.rewriter(), rewrite.identity());
                    changed(next.stage(), rewrite.sensitive());
                    if (rewrite.sensitive()) {
                        secretRewriters.add(rewrite.rewriter());
                        if (next.forTls() != null) {
                            next.forTls().addForTls(next.stage(), rewrite.rewriter());
                        }
                    }
                }
                case Edit.CheckBody check -> body.check(position, check.check(), check.identity());
                case Edit.ObserveBody observe -> body.observe(position, observe.observer(), observe.identity());
                case Edit.EditTrailers trailers -> {
                    trailersForTls |= next.forTls() != null && trailers.sensitive();
                    body.editTrailers(position, fields -> editTrailers(next, trailers.editor(), fields));
                    changed(next.stage(), trailers.sensitive());
                }
                default ->
                    throw new IllegalStateException(next.edit().getClass().getSimpleName());
            }
        }
        pending.subList(0, count).clear();
    }

    private void editTrailers(Pending by, TrailerEditor editor, HeaderBlock fields) {
        Stage stage = by.stage();
        Edits edits = editor.edit(fields);
        trailersCarry.accept(stage, edits);
        long grown = 0;
        for (int i = 0; i < edits.list().size(); i++) {
            Edit edit = edits.list().get(i);
            grown += HeadEditor.size(edit);
            if (grown > StageException.MOST_GROWTH) {
                throw tooLarge();
            }
            HeadEditor.checkSensitive(stage, edit);
            if (!HeadEditor.fields(stage, trailerPart, edit, fields)) {
                throw StageException.broken(edit.getClass().getSimpleName() + ": not possible for trailers");
            }
            if (by.forTls() != null && edit.sensitive() && !edits.overPlaintext(i)) {
                by.forTls().addForTls(stage);
            }
        }
    }

    private RuntimeException tooLarge() {
        StageException fault = StageException.headTooLarge();
        return trailerPart == Part.REQUEST_TRAILERS
                ? new LateRejectException(Decision.reject(fault.status(), fault.code(), fault.text()))
                : fault;
    }

    private int firstSecret() {
        for (int i = 0; i < pending.size(); i++) {
            if (pending.get(i).edit().sensitive()) {
                return i;
            }
        }
        return pending.size();
    }
}
