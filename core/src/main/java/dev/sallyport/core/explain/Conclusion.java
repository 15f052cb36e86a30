package dev.sallyport.core.explain;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.pipeline.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of a trial and its reason.
 *
 * @param stage the transform that gave it, or null
 * @param position the place in the transform's configuration that it named; may be empty
 */
record Conclusion(
        Explanation.Verdict verdict,
        int status,
        @Nullable String code,
        @Nullable String detail,
        @Nullable Stage stage,
        String position) {

    /** The code of a step that would ask somebody, and of what a machine without secrets cannot make. */
    static final String NOT_ASKED = "not_asked";

    /** The code of what a record does not tell. */
    static final String NOT_RECORDED = "not_recorded";

    static final Conclusion ALLOWED = new Conclusion(Explanation.Verdict.ALLOW, 0, null, null, null, "");

    /** The engine refuses, or fails. */
    static Conclusion of(Refusal refusal) {
        return of(refusal, null, "");
    }

    /** As the audit record counts it: below 500 it is a refusal. */
    static Conclusion of(Refusal refusal, @Nullable Stage stage, @Nullable String position) {
        return new Conclusion(
                Refusal.isRejection(refusal.status()) ? Explanation.Verdict.REJECT : Explanation.Verdict.ERROR,
                refusal.status(),
                refusal.code(),
                refusal.detail(),
                stage,
                position == null ? "" : position);
    }

    static Conclusion stub(int status, @Nullable Stage stage) {
        return new Conclusion(Explanation.Verdict.STUB, status, null, null, stage, "");
    }

    static Conclusion open(String code, String detail, @Nullable Stage stage) {
        return new Conclusion(Explanation.Verdict.UNDECIDABLE, 0, code, detail, stage, "");
    }
}
