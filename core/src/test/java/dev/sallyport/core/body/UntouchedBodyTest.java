package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A body that nobody looks at: docs/design.md, section 6. */
class UntouchedBodyTest {
    @Test
    void handsTheVeryBuffersOn() {
        // given
        BodyFixture fixture = BodyFixture.plain(5);
        List<ByteBuf> seen = new ArrayList<>();
        BodySink sink = new ForwardingSink(fixture.sink) {
            @Override
            public void data(ByteBuf data) {
                seen.add(data);
                super.data(data);
            }
        };
        fixture.body.release(sink);
        ByteBuf buffer = fixture.allocator.directBuffer().writeBytes(TestRewriters.latin1("hello"));
        fixture.given = 5;
        // when
        fixture.body.data(buffer);
        fixture.finish();
        // then
        assertThat(seen).singleElement().isSameAs(buffer);
        assertThat(fixture.body.idle()).isTrue();
        assertThat(fixture.sink.length).isEqualTo(5);
        assertThat(fixture.body.altered()).isFalse();
        fixture.assertNothingHeld();
    }

    @Test
    void takesAnUnknownCodingAlong() {
        BodyFixture fixture = BodyFixture.coded("unheard-of");
        fixture.body.release(fixture.sink);
        fixture.send("?");
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("?");
        assertThat(fixture.sink.length).isEqualTo(-1);
    }

    @Test
    void whatCameBeforeTheReleaseIsCountedForTheLength() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.send("abc");
        fixture.finish();
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).isEqualTo(3);
        fixture.assertNothingHeld();
    }

    private static class ForwardingSink implements BodySink {
        private final BodySink target;

        ForwardingSink(BodySink target) {
            this.target = target;
        }

        @Override
        public void begin(long length) {
            target.begin(length);
        }

        @Override
        public void data(ByteBuf data) {
            target.data(data);
        }

        @Override
        public void end(HeaderBlock trailers) {
            target.end(trailers);
        }

        @Override
        public void failed(BodyFailure failure) {
            target.failed(failure);
        }

        @Override
        public boolean isWritable() {
            return target.isWritable();
        }
    }
}
