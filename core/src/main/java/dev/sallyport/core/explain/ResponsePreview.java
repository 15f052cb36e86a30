package dev.sallyport.core.explain;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.ResponseSteps;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks the response steps of a request what they would do, without a response: the answer of one that looks at the
 * response is not known. Steps that leave the loop are not run. Confined to the loop.
 */
final class ResponsePreview {

    private static final String LOOKS = "the response decides";
    private static final String ASKS = "it would ask somebody";

    private final TrialRecord record;
    private final Destination destination;
    private final RequestMessage request;

    /** @param request as it would be sent */
    ResponsePreview(TrialRecord record, Destination destination, RequestMessage request) {
        this.record = record;
        this.destination = destination;
        this.request = request;
    }

    /** What each of the steps would do, in the order in which they would be asked: the last transform first. */
    List<ResponseOutcome> of(ResponseSteps steps) {
        List<ResponseOutcome> outcomes = new ArrayList<>();
        steps.forEachDue((stage, step) -> outcomes.add(outcome(stage, step)));
        return outcomes;
    }

    private ResponseOutcome outcome(Stage stage, ResponseStep step) {
        if (step instanceof ResponseStep.OnStatus some) {
            return undecidable(stage, "only a response with status " + some.status() + " is looked at");
        }
        if (!(step instanceof ResponseStep.Inline inline)) {
            return undecidable(stage, stage.callsOut() ? ASKS : LOOKS);
        }
        Unseen context = new Unseen(stage);
        ResponseDecision decision;
        try {
            decision = inline.apply(context);
        } catch (RuntimeException e) {
            return context.looked
                    ? undecidable(stage, LOOKS)
                    : outcome(stage, "error", e.getClass().getSimpleName(), List.of());
        }
        if (context.looked) {
            return undecidable(stage, LOOKS);
        }
        return switch (decision) {
            case ResponseDecision.Continue next -> outcome(stage, "allow", "", MaskedEdit.of(next.edits()));
            case ResponseDecision.Read read ->
                undecidable(
                        stage,
                        "its body decides, of which up to " + read.access().maxBytes() + " bytes are read");
            case ResponseDecision.Later later -> undecidable(stage, stage.callsOut() ? ASKS : LOOKS);
            case ResponseDecision.Repeat repeat -> undecidable(stage, "the request would be sent once more");
            case ResponseDecision.Replace replace ->
                outcome(stage, "stub", "status " + replace.response().status(), List.of());
            case ResponseDecision.Refuse refuse ->
                outcome(stage, "reject", refuse.status() + " " + refuse.code(), List.of());
        };
    }

    private ResponseOutcome undecidable(Stage stage, String detail) {
        return outcome(stage, "undecidable", detail, List.of());
    }

    private ResponseOutcome outcome(Stage stage, String action, String detail, List<MaskedEdit> edits) {
        return new ResponseOutcome(stage.name(), stage.instance(), record.entry(stage), action, detail, edits);
    }

    /** The context of a response that is not there. Notes when somebody looks at it. */
    private final class Unseen implements ResponseContext {

        private final Stage stage;
        private boolean looked;

        Unseen(Stage stage) {
            this.stage = stage;
        }

        @Override
        public String exchangeId() {
            return record.audit().exchangeId();
        }

        @Override
        public Destination destination() {
            return destination;
        }

        @Override
        public RequestHead request() {
            return stage.shown(request);
        }

        @Override
        public ResponseHead head() {
            looked = true;
            return new ResponseMessage(200, "", new HeaderBlock(1), ResponseMessage.UNKNOWN_LENGTH);
        }

        @Override
        public boolean answeredLocally() {
            looked = true;
            return false;
        }

        @Override
        public Body body() {
            throw new IllegalStateException("the body has not been read (expected: a decision to read it first)");
        }

        @Override
        public Trace trace() {
            return record.audit().responseTrace(stage.id());
        }

        @Override
        public Duration remaining() {
            return stage.deadline();
        }
    }
}
