package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 9: trailer fields. */
class BodyTrailersTest {
    @Test
    void areEditedInOrderAfterTheEndAndReadersSeeTheEarlierEdits() {
        // given
        BodyFixture fixture = BodyFixture.plain(-1);
        HeaderBlock sent = new HeaderBlock();
        sent.append("T", "0");
        fixture.body.editTrailers(0, fields -> fields.append("T", "1"));
        RecordingRead read = fixture.read(1, Buffered.whole());
        // when
        fixture.body.end(sent);
        fixture.body.editTrailers(1, fields -> fields.append("T", "2"));
        fixture.body.release(fixture.sink);
        // then
        assertThat(read.body.trailers().all("T")).containsExactly("0", "1");
        assertThat(fixture.sink.trailers.all("T")).containsExactly("0", "1", "2");
        assertThat(sent.all("T")).as("the sender's own block may be shared").containsExactly("0");
        assertThat(fixture.body.idle()).isFalse();
    }

    @Test
    void aFailingEditorFailsTheMessage() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.editTrailers(4, fields -> {
            throw new IllegalStateException("s3cr3t");
        });
        fixture.body.release(fixture.sink);
        fixture.send("x");
        fixture.finish();
        assertThat(fixture.sink.trailers).isNull();
        assertThat(fixture.sink.failure)
                .isEqualTo(new BodyFailure(Kind.STAGE_FAILED, 4, "trailer editor: IllegalStateException"));
    }
}
