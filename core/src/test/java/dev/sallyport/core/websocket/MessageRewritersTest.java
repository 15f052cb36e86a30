package dev.sallyport.core.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One message through its rewriters: their order, what counts as a change, room, and what breaks. */
class MessageRewritersTest {

    private static final MessageRewriters.Room ROOM = (bytes, size) -> {};

    private final List<String> calls = new ArrayList<>();

    /** Writes each buffer with a letter behind it, and the letter once more at the end. */
    private final class Tagging implements BodyRewriter {

        private final String tag;

        Tagging(String tag) {
            this.tag = tag;
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            calls.add(tag + " " + in.remaining());
            out.write(in);
            out.write(buffer(tag));
        }

        @Override
        public void end(Sink out) {
            calls.add(tag + " end");
            out.write(buffer(tag));
        }

        @Override
        public boolean changed() {
            return true;
        }
    }

    /** Says that nothing changed, whatever it has written. */
    private static BodyRewriter unchanged(String written) {
        return new BodyRewriter() {
            @Override
            public void write(ByteBuffer in, Sink out) {
                out.write(buffer(written));
            }

            @Override
            public void end(Sink out) {}

            @Override
            public boolean changed() {
                return false;
            }
        };
    }

    /** Does something in the middle of a message or at its end. */
    private interface Act {
        void on(BodyRewriter.Sink out);
    }

    private static BodyRewriter acting(Act write, Act end) {
        return new BodyRewriter() {
            @Override
            public void write(ByteBuffer in, Sink out) {
                write.on(out);
            }

            @Override
            public void end(Sink out) {
                end.on(out);
            }

            @Override
            public boolean changed() {
                return true;
            }
        };
    }

    private static ByteBuffer buffer(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ByteAccumulator bytes(String text) {
        ByteAccumulator bytes = new ByteAccumulator();
        bytes.add(buffer(text));
        return bytes;
    }

    private static String text(ByteAccumulator bytes) {
        return new String(bytes.array(), 0, bytes.size(), StandardCharsets.UTF_8);
    }

    private static MessageRewriters through(BodyRewriter... rewriters) throws MessageException {
        List<Supplier<BodyRewriter>> makers = new ArrayList<>();
        Arrays.stream(rewriters).forEach(rewriter -> makers.add(() -> rewriter));
        return new MessageRewriters(makers, ROOM);
    }

    @Test
    void eachTakesWhatTheOneBeforeHasMade() throws MessageException {
        ByteAccumulator out = through(new Tagging("a"), new Tagging("b")).whole(bytes("x"));

        assertThat(text(out)).isEqualTo("xaabb");
        assertThat(calls).containsExactly("a 1", "a end", "b 3", "b end");
    }

    @Test
    void withoutRewritersAMessageStaysTheOneItIs() throws MessageException {
        ByteAccumulator message = bytes("x");

        assertThat(through().whole(message)).isSameAs(message);
        assertThat(through().part(message, true)).isSameAs(message);
    }

    @Test
    void ofOneThatChangedNothingTheOriginalGoesOn() throws MessageException {
        ByteAccumulator message = bytes("x");

        assertThat(through(unchanged("y")).whole(message)).isSameAs(message);
        assertThat(text(through(unchanged("y"), new Tagging("b")).whole(message)))
                .isEqualTo("xbb");
        assertThat(text(through(new Tagging("a"), unchanged("y")).whole(message)))
                .isEqualTo("xaa");
    }

    @Test
    void ofAPartWhatWasWrittenGoesOnSinceTheRestMayChange() throws MessageException {
        assertThat(text(through(unchanged("y")).part(bytes("x"), false))).isEqualTo("y");
    }

    @Test
    void anEmptyMessageOnlyEnds() throws MessageException {
        assertThat(text(through(new Tagging("a")).whole(bytes("")))).isEqualTo("a");
        assertThat(calls).containsExactly("a end");
    }

    @Test
    void partsAreOneMessageThatEndsOnce() throws MessageException {
        MessageRewriters rewriters = through(new Tagging("a"), new Tagging("b"));

        assertThat(text(rewriters.part(bytes("x"), false))).isEqualTo("xab");
        assertThat(text(rewriters.part(bytes(""), false))).isEmpty();
        assertThat(text(rewriters.part(bytes("yz"), true))).isEqualTo("yzaabb");
        assertThat(calls).containsExactly("a 1", "b 2", "a 2", "a end", "b 4", "b end");
    }

    @Test
    void whatIsShownCannotBeWrittenTo() throws MessageException {
        List<Boolean> readOnly = new ArrayList<>();
        BodyRewriter looking = new BodyRewriter() {
            @Override
            public void write(ByteBuffer in, Sink out) {
                readOnly.add(in.isReadOnly());
                out.forward(0, in.remaining());
            }

            @Override
            public void end(Sink out) {}

            @Override
            public boolean changed() {
                return true;
            }
        };

        assertThat(text(through(looking).whole(bytes("hello")))).isEqualTo("hello");
        assertThat(readOnly).containsExactly(true);
    }

    @Test
    void partsOfTheBufferCanBeForwardedInAnyOrder() throws MessageException {
        BodyRewriter swapping = acting(
                out -> {
                    out.forward(3, 2);
                    out.forward(5, 0);
                    out.forward(0, 3);
                },
                out -> {});

        assertThat(text(through(swapping).whole(bytes("abcde")))).isEqualTo("deabc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1,1", "0,-1", "0,6", "5,1", "6,0", "1,2147483647"})
    void whatLiesOutsideOfTheBufferIsNotForwarded(String range) {
        int index = Integer.parseInt(range.split(",", -1)[0]);
        int length = Integer.parseInt(range.split(",", -1)[1]);

        assertThatThrownBy(() -> through(acting(out -> out.forward(index, length), out -> {}))
                        .whole(bytes("abcde")))
                .isInstanceOfSatisfying(
                        MessageException.class,
                        fault -> assertThat(fault.closeCode()).isEqualTo(1011));
    }

    @Test
    void atTheEndThereIsNothingToForward() {
        assertThatThrownBy(() ->
                        through(acting(out -> {}, out -> out.forward(0, 1))).whole(bytes("abc")))
                .isInstanceOf(MessageException.class)
                .hasMessageContaining("IllegalStateException");
    }

    @Test
    void aTransformThatBreaksIsNotQuoted() {
        assertThatThrownBy(() -> through(acting(
                                out -> {
                                    throw new IllegalArgumentException("the secret");
                                },
                                out -> {}))
                        .whole(bytes("abc")))
                .isInstanceOfSatisfying(MessageException.class, fault -> {
                    assertThat(fault.closeCode()).isEqualTo(1011);
                    assertThat(fault.isSenders()).isFalse();
                    assertThat(fault.text())
                            .isEqualTo("a transform could not rewrite a message: IllegalArgumentException");
                });
    }

    @Test
    void aTransformThatMakesNoRewriterIsAFaultToo() {
        assertThatThrownBy(() -> new MessageRewriters(
                        List.of(() -> {
                            throw new IllegalStateException("none");
                        }),
                        ROOM))
                .isInstanceOf(MessageException.class)
                .hasMessageContaining("IllegalStateException");
    }

    @Test
    void roomIsAskedForBeforeAnythingIsWritten() throws MessageException {
        List<String> asked = new ArrayList<>();
        MessageRewriters rewriters = new MessageRewriters(
                List.of(() -> new Tagging("a"), () -> acting(out -> out.forward(1, 2), out -> {})),
                (bytes, size) -> asked.add(bytes + " on " + size));

        assertThat(text(rewriters.whole(bytes("xyz")))).isEqualTo("yz");
        assertThat(asked).containsExactly("3 on 0", "1 on 3", "1 on 4", "2 on 0");
    }

    @Test
    void withoutRoomTheFaultIsTheRoomsOwnEvenThroughATransformThatForwards() {
        MessageException full = new MessageException(1009, "full");
        MessageRewriters.Room none = (bytes, size) -> {
            throw full;
        };
        for (Act act : List.<Act>of(out -> out.write(buffer("x")), out -> out.forward(0, 1))) {
            assertThatThrownBy(() ->
                            new MessageRewriters(List.of(() -> acting(act, out -> {})), none).whole(bytes("x")))
                    .isSameAs(full);
        }
        assertThatThrownBy(() -> new MessageRewriters(
                                List.of(() -> acting(out -> {}, out -> out.write(buffer("x")))), none)
                        .part(bytes("x"), true))
                .isSameAs(full);
    }
}
