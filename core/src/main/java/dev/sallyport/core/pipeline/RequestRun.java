package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.redact.CarriedCredentials;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Visibility;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one request through the stages that match its destination. It is itself the context of inline steps, so that a
 * request that no stage matches costs one object. Confined to the exchange's loop.
 */
public final class RequestRun extends StageRun<Decision> implements RequestContext {

    private final MatchedStages plan;
    private final RequestCallbacks host;
    private final ExchangeFacts facts;
    private final RunServices services;
    private final ResponseSteps responseSteps = new ResponseSteps();
    private final @Nullable RunWatch watch;

    /** How many deletions of secrets there were before any of them was read for this request. */
    private final long deletions;

    private int at;
    private boolean withheld;
    private @Nullable PendingBodyEdits bodyEdits;
    private @Nullable RequestCredentials credentials;

    RequestRun(MatchedStages plan, RequestCallbacks host, RunServices services, RunningTransform mark) {
        super(host.facts().loop(), services.settings(), mark);
        this.plan = plan;
        this.host = host;
        this.facts = host.facts();
        this.services = services;
        this.watch = host.watch();
        this.deletions = services.deletions().getAsLong();
    }

    /** The steps that want to see the response, in the order of the pipeline. */
    public ResponseSteps responseSteps() {
        return responseSteps;
    }

    /** The credentials that the request carries; null while it has none. */
    public @Nullable CarriedCredentials carried() {
        return credentials == null ? null : credentials.carried();
    }

    /** The stage of the request's entry with this index in the audit record. */
    public Stage asked(int index) {
        return plan.stage(index);
    }

    /**
     * The body failed: the stage that refused it, or whose work on it failed, is not said to have let it pass.
     *
     * @return that stage; null when it was none
     */
    public @Nullable Stage bodyFailed(BodyFailure failure) {
        for (int i = 0; i < plan.size(); i++) {
            Stage stage = plan.stage(i);
            if (stage.position() == failure.position()) {
                BodyFailureStatus.ofRequest(failure).note(host.audit().lastRequestTrace(stage.id()), failure);
                return stage;
            }
        }
        return null;
    }

    /**
     * The stage of a credential in the request, as far as it has been processed, that was deleted since the request began;
     * null when there is none.
     */
    public @Nullable Stage carriesDeleted() {
        return credentials == null
                ? null
                : credentials.deleted(plan, deletions, services.deletions().getAsLong());
    }

    /**
     * The first stage whose credential must not travel without TLS, except to a near address, in what has been
     * processed so far; null when there is none, or when the origin is reached over TLS.
     */
    public @Nullable Stage carriesForTls() {
        return credentials == null ? null : credentials.forTls();
    }

    /** Whether {@link #carriesForTls} may still change while the rest of the body is sent. */
    public boolean mayCarryForTls() {
        return (bodyEdits != null && bodyEdits.trailersForTls())
                || (credentials != null && credentials.mayComeForTls());
    }

    /** Whether the head may be edited by this stage once more: no later one has signed it. */
    public boolean unsignedAfter(Stage stage) {
        for (int i = plan.size() - 1; i >= 0 && plan.stage(i) != stage; i--) {
            if (plan.stage(i).causes(Effect.SIGNS)) {
                return false;
            }
        }
        return true;
    }

    /** Applies edits of the header of a request that was sent and answered, and is to be sent once more. */
    public void editAgain(Stage stage, Edits edits) {
        for (Edit edit : edits.list()) {
            if (!HeadEditor.isOfFields(edit)) {
                throw StageException.broken("Repeat with an edit of something else than header fields");
            }
        }
        CarriedCredentials sent = carried();
        if (sent != null) {
            sent.again();
        }
        apply(stage, edits);
    }

    @Override
    void advance() {
        while (!over() && at < plan.size()) {
            Stage stage = plan.stage(at);
            beginStage(host.audit().requestTrace(stage.id()));
            if (withheld && stage.credentialed()) {
                current().annotate("skipped", "not_allowlisted");
                at++;
            } else if (stage.needsFullVisibility() && facts.visibility() != Visibility.FULL) {
                current().annotate("skipped", "host_only");
                at++;
            } else if (!ask(stage, stage.step())) {
                return;
            }
        }
        if (complete()) {
            if (bodyEdits != null) {
                bodyEdits.applyAll(host.body());
            }
            host.forward();
        }
    }

    /** An off-loop step may mint a credential; without TLS, first checks that the credential could be sent. */
    private boolean askLater(Stage stage, Decision.Later later) {
        boolean certain = later.overPlaintext()
                || !stage.credentialed()
                || facts.destination().secure();
        if (certain) {
            return askOn(stage, later.then());
        }
        host.requireNear(stage, () -> {
            if (!over() && askOn(stage, later.then())) {
                advance();
            }
        });
        return false;
    }

    /** Asks a further step of the stage. */
    private boolean askOn(Stage stage, RequestStep step) {
        beginStep();
        return ask(stage, step);
    }

    /** Asks a step, about the body if one was read; returns true when the loop continues with the next stage. */
    private boolean ask(Stage stage, RequestStep step) {
        try {
            if (step instanceof RequestStep.Inline inline) {
                return settle(stage, decide(stage, inline));
            }
            if (watch != null && !watch.mayLeave(stage)) {
                return false;
            }
            DetachedRequestContext frozen = freeze(stage);
            return leave(
                    stage,
                    step instanceof RequestStep.Blocking waiting
                            ? services.blocking().start(() -> waiting.apply(frozen))
                            : begin(stage, (RequestStep.Async) step, frozen),
                    frozen.trace());
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    // Code of transforms, marked as such for the loop's watchdog.

    private @Nullable Decision decide(Stage stage, RequestStep.Inline step) {
        Stage before = entered(stage);
        try {
            return step.apply(this);
        } finally {
            left(before);
        }
    }

    private @Nullable CompletionStage<Decision> begin(
            Stage stage, RequestStep.Async step, DetachedRequestContext frozen) {
        Stage before = entered(stage);
        try {
            return step.apply(frozen);
        } finally {
            left(before);
        }
    }

    /**
     * No pattern switch: it would be linked while the first request waits. Only a Continue goes on; anything that is
     * none of the decisions below, null included, is a fault of the stage.
     */
    @Override
    boolean settle(Stage stage, @Nullable Decision decision) {
        try {
            checkInTime(stage);
            if (decision instanceof Decision.Continue next) {
                return proceed(stage, next);
            }
            if (decision instanceof Decision.Read read) {
                return read(stage, read);
            }
            if (decision instanceof Decision.Later later) {
                return askLater(stage, later);
            }
            if (decision instanceof Decision.Reject reject) {
                reject(stage, reject);
            } else if (decision instanceof Decision.Respond respond) {
                respond(stage, respond);
            } else {
                throw StageException.broken("decided nothing");
            }
            return false;
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private void reject(Stage stage, Decision.Reject reject) {
        stage.checkRefusal(reject.response());
        current().annotate("code", reject.code());
        endWith("reject");
        host.rejected(stage, reject);
    }

    private void respond(Stage stage, Decision.Respond respond) {
        if (!stage.causes(Effect.ANSWERS_LOCALLY)) {
            throw StageException.broken("Respond without the declared effect ANSWERS_LOCALLY");
        }
        endWith("stub");
        host.responded(stage, respond.response());
    }

    private boolean proceed(Stage stage, Decision.Continue next) {
        if (stage.credentialed() && (!next.edits().isEmpty() || next.then() != null)) {
            credentials().mark(at, host.head(), responseSteps);
        }
        apply(stage, next.edits());
        if (next.then() != null) {
            responseSteps.add(stage, next.then());
        }
        if (next.withoutCredentials() && !withheld) {
            withheld = true;
            if (credentials != null && credentials.first() >= 0) {
                return startOver(stage, credentials);
            }
        }
        finishStage("allow");
        at++;
        return true;
    }

    private void apply(Stage stage, Edits edits) {
        if (edits.isEmpty()) {
            return;
        }
        if (watch != null) {
            watch.edits(stage, edits);
        }
        carry(stage, edits);
        for (int i = 0; i < edits.list().size(); i++) {
            Edit edit = edits.list().get(i);
            grow(edit);
            boolean forTls = !facts.destination().secure() && !edits.overPlaintext(i);
            boolean inHead = HeadEditor.apply(stage, edit, host.head());
            if (inHead) {
                forTls &= edit.sensitive() || stage.causes(Effect.SIGNS);
            } else if (edit instanceof Edit.ReplaceBody replace) {
                replaceBody(stage, replace);
                forTls &= edit.sensitive();
            } else if (edit instanceof Edit.RewriteMessages messages) {
                responseSteps.messages().add(stage, messages);
                forTls &= edit.sensitive() && messages.direction() == Direction.REQUEST;
            } else {
                bodyEdits().add(stage, edit, forTls ? credentials() : null);
                forTls = false;
            }
            if (forTls) {
                credentials().addForTls(stage);
            }
        }
    }

    private RequestCredentials credentials() {
        RequestCredentials present = credentials;
        if (present == null) {
            present = new RequestCredentials();
            credentials = present;
        }
        return present;
    }

    private void carry(Stage stage, Edits edits) {
        if (CarriedCredentials.concerns(edits)) {
            if (!stage.causes(Effect.INJECTS_CREDENTIAL)) {
                throw StageException.broken("a credential without the declared effect INJECTS_CREDENTIAL");
            }
            credentials().add(stage, edits);
        }
    }

    private void replaceBody(Stage stage, Edit.ReplaceBody replace) {
        HeadEditor.checkSensitive(stage, replace);
        HeadEditor.require(stage, Part.REQUEST_BODY);
        if (!holdsWholeBody()) {
            throw StageException.broken("ReplaceBody without a complete read");
        }
        host.body().replace(replace.body());
        bodyEdits().replaced(stage, replace.sensitive());
    }

    /**
     * Credentials are withheld, but earlier transforms have put some in: restores the state before the first of them
     * and judges again without them. A body that has been changed since then cannot be restored.
     */
    private boolean startOver(Stage stage, RequestCredentials given) {
        int first = given.first();
        if (bodyEdits != null) {
            int position = plan.stage(first).position();
            if (bodyEdits.writtenFrom(position)) {
                endWith("error");
                String detail = "The body already carries credentials that this request must not have.";
                host.failed(stage, 403, "credentials_withheld", detail, detail);
                return false;
            }
            bodyEdits.dropFrom(position);
        }
        given.takeOut(host.head(), responseSteps, plan);
        host.audit().forgetRequestTraces(first);
        at = first;
        return true;
    }

    private boolean read(Stage stage, Decision.Read wanted) {
        RequestStep then = wanted.then();
        beginRead(stage, Part.REQUEST_BODY, wanted.access());
        if (watch != null && !watch.mayRead(stage)) {
            return false;
        }
        if (bodyEdits != null) {
            bodyEdits.applyBefore(stage, host.body());
            if (stage.masked() && bodyEdits.secretsApplied()) {
                hold(WithheldBody.WITHHELD);
                return askOn(stage, then);
            }
        }
        return awaitBody(
                stage,
                wanted.access(),
                read -> {
                    boolean secrets = bodyEdits != null && bodyEdits.secretsWritten(!read.truncated());
                    hold(secrets ? new CredentialedBody(read) : read);
                    return askOn(stage, then);
                },
                failure -> unread(stage, wanted, failure));
    }

    @Override
    void demandBody() {
        host.bodyDemanded();
    }

    /** The body could not be read: the stage may have an answer of its own for one that nobody can read. */
    private boolean unread(Stage stage, Decision.Read wanted, BodyFailure failure) {
        Function<RequestContext, Decision.Reject> refusal = wanted.unreadable();
        boolean unreadable =
                failure.kind() == BodyFailure.Kind.CORRUPT_CODING || failure.kind() == BodyFailure.Kind.TOO_LARGE;
        if (refusal == null || !unreadable || stage.observer()) {
            return readFailed(stage, failure);
        }
        return askOn(stage, RequestStep.inline(refusal::apply));
    }

    @Override
    boolean passOver() {
        at++;
        return true;
    }

    @Override
    void failed(Stage stage, BodyFailure failure) {
        Stage named = bodyFailed(failure);
        if (named != null && failure.reject() != null) {
            host.rejected(named, failure.reject());
            return;
        }
        BodyFailureStatus fault = BodyFailureStatus.ofRequest(failure);
        host.failed(named == null ? stage : named, fault.status(), fault.code(), failure.detail(), failure.detail());
    }

    @Override
    void failed(Stage stage, StageException fault) {
        String detail = fault.status() == 403
                ? "The request head is too large after the edits of transforms."
                : "A transform could not decide about this request.";
        host.failed(stage, fault.status(), fault.code(), detail, fault.text());
    }

    @Override
    boolean mayGrow(long bytes) {
        return host.mayGrow(bytes);
    }

    @Override
    void dropBodyEdits() {
        if (bodyEdits != null) {
            bodyEdits.drop();
        }
    }

    @Override
    MessageBody messageBody() {
        return host.body();
    }

    private PendingBodyEdits bodyEdits() {
        PendingBodyEdits edits = bodyEdits;
        if (edits == null) {
            edits = PendingBodyEdits.ofRequest(this::carry);
            bodyEdits = edits;
        }
        return edits;
    }

    private DetachedRequestContext freeze(Stage stage) {
        return new DetachedRequestContext(
                facts.exchangeId(),
                facts.connection(),
                facts.destination(),
                facts.visibility(),
                shown(
                        stage,
                        stage.masked()
                                ? new MaskedHead(host.head().copy())
                                : host.head().copy()),
                DetachedBody.ofNullable(held()),
                new DeferredTrace(),
                deadline(stage));
    }

    // The context of inline steps.

    @Override
    public String exchangeId() {
        return facts.exchangeId();
    }

    @Override
    public Connection connection() {
        return facts.connection();
    }

    @Override
    public Destination destination() {
        return facts.destination();
    }

    @Override
    public Visibility visibility() {
        return facts.visibility();
    }

    @Override
    public RequestHead head() {
        RequestMessage head = host.head();
        RequestHead seen = head.hasSensitive() && plan.stage(at).masked() ? new MaskedHead(head) : head;
        return watch == null ? seen : watch.shown(plan.stage(at), seen);
    }

    private RequestHead shown(Stage stage, RequestHead head) {
        return watch == null ? head : watch.shown(stage, head);
    }

    @Override
    public Duration remaining() {
        return remaining(plan.stage(at));
    }
}
