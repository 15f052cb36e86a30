package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an edit of a body needs, and what becomes of one that is never handed over. */
class PendingBodyEditsTest {

    private static final Stage READER = PipelineFixture.stage(
            1, Capabilities.builder().reads(Part.REQUEST_BODY).build());
    private static final Stage DISCLOSER = PipelineFixture.stage(
            2,
            Capabilities.builder()
                    .reads(Part.REQUEST_BODY)
                    .effects(Effect.DISCLOSES_CONTENT)
                    .build());
    private static final Stage INJECTOR = PipelineFixture.injecting(Part.REQUEST_BODY, Part.REQUEST_TRAILERS);

    private final List<String> told = new ArrayList<>();
    private final PendingBodyEdits edits = PendingBodyEdits.ofRequest((stage, carried) -> {});

    private Edit observing(String name, boolean faulty) {
        return new Edit.ObserveBody(
                new BodyObserver() {
                    @Override
                    public void data(ByteBuffer bytes) {
                        told.add(name + " data");
                    }

                    @Override
                    public void withheld(String why) {
                        told.add(name + " withheld");
                        fail();
                    }

                    @Override
                    public void end(boolean complete) {
                        told.add(name + " end " + complete);
                        fail();
                    }

                    private void fail() {
                        if (faulty) {
                            throw new IllegalStateException("x");
                        }
                    }
                },
                true);
    }

    private static Edit trailers(boolean sensitive) {
        return new Edit.EditTrailers(fields -> Edits.none(), sensitive);
    }

    private void refuses(Stage stage, Edit edit, String why) {
        assertThatThrownBy(() -> edits.add(stage, edit))
                .isInstanceOfSatisfying(
                        StageException.class, fault -> assertThat(fault.text()).contains(why));
        assertThat(edits.isEmpty()).isTrue();
    }

    @Test
    void whatWasNotDeclaredIsRefused() {
        refuses(READER, trailers(false), "edit of REQUEST_TRAILERS was not declared");
        refuses(INJECTOR, observing("a", false), "observing REQUEST_BODY was not declared");
        refuses(PipelineFixture.writing(Part.REQUEST_TRAILERS), trailers(true), "INJECTS_CREDENTIAL");
    }

    @Test
    void partsOfAResponseAreNoneOfARequest() {
        refuses(
                PipelineFixture.writing(Part.RESPONSE_TRAILERS),
                trailers(false),
                "edit of REQUEST_TRAILERS was not declared");
    }

    @Test
    void anEditOfAnotherKindIsRefused() {
        refuses(READER, new Edit.SetStatus(200, ""), "SetStatus: not possible");
    }

    @Test
    void whatIsDroppedEndsEarlyOnce() {
        edits.add(READER, observing("a", false));
        edits.add(READER, observing("b", false));
        assertThat(edits.isEmpty()).isFalse();

        edits.drop();
        edits.drop();

        assertThat(edits.isEmpty()).isTrue();
        assertThat(told).containsExactlyInAnyOrder("a end false", "b end false");
    }

    @Test
    void onlyWhatStandsFromAPositionOnIsDropped() {
        edits.add(READER, observing("a", false));
        edits.add(DISCLOSER, observing("b", false));
        edits.dropFrom(2);
        assertThat(told).containsExactly("b end false");

        edits.dropFrom(1);
        assertThat(told).containsExactly("b end false", "a end false");
    }

    @Test
    void anObserverThatFailsDoesNotKeepTheNextFromItsEnd() {
        edits.add(READER, observing("a", true));
        edits.add(READER, observing("b", true));
        edits.drop();

        assertThat(told).containsExactlyInAnyOrder("a end false", "b end false");
    }

    @Test
    void whoDisclosesContentSeesNothingOfABodyWithCredentials() {
        edits.replaced(INJECTOR, true);
        edits.add(DISCLOSER, observing("a", true));

        assertThat(edits.isEmpty()).isTrue();
        assertThat(told).containsExactly("a withheld", "a end false");
    }

    @Test
    void whoDisclosesNothingSeesItAll() {
        edits.replaced(INJECTOR, true);
        edits.add(READER, observing("a", false));

        assertThat(edits.isEmpty()).isFalse();
        assertThat(told).isEmpty();
    }

    @Test
    void aReplacementIsForGoodAndIsASecretOnlyWhenItWasSaid() {
        assertThat(edits.writtenFrom(0)).isFalse();

        edits.replaced(READER, false);
        assertThat(edits.writtenFrom(1)).isTrue();
        assertThat(edits.writtenFrom(2)).isFalse();
        assertThat(edits.secretsApplied()).isFalse();
        assertThat(edits.secretsWritten(false)).isFalse();

        edits.replaced(INJECTOR, true);
        edits.drop();
        assertThat(edits.writtenFrom(1)).isTrue();
        assertThat(edits.secretsApplied()).isTrue();
        assertThat(edits.secretsWritten(true)).isTrue();
    }
}
