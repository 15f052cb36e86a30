package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.websocket.FrameFilter;
import dev.sallyport.core.websocket.MessageException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes on, when the sender may send more, and what the end waits for. */
class RelayDirectionTest {

    private static final String TEXT_X = "\u0001\u0001x";
    private static final String CLOSE = "\u0008\u0000";

    /** What the receiver has been told, in order, and what the sender has got back. */
    private final List<String> told = new ArrayList<>();

    private final List<ByteBuf> made = new ArrayList<>();
    private boolean writable = true;
    private Runnable onData = () -> {};
    private Runnable onCredit = () -> {};

    private final RelayDirection direction = new RelayDirection(
            new RelayDirection.Receiver() {
                @Override
                public void data(ByteBuf data) {
                    told.add(data.toString(StandardCharsets.ISO_8859_1));
                    data.release();
                    onData.run();
                }

                @Override
                public boolean isWritable() {
                    return writable;
                }

                @Override
                public void end() {
                    told.add("end");
                }
            },
            bytes -> {
                told.add("+" + bytes);
                onCredit.run();
            });

    /** Lets a byte at a time through, and says that it has more until it had all: as where messages grow. */
    private static final class Dripping implements FrameFilter {

        private boolean closed;

        @Override
        public ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) {
            out.accept(in.readRetainedSlice(1));
            if (in.isReadable() && !closed) {
                return in;
            }
            in.release();
            return null;
        }

        @Override
        public void taken() {}

        @Override
        public boolean sawClose() {
            return false;
        }

        @Override
        public boolean betweenFrames() {
            return true;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private ByteBuf buffer(String text) {
        ByteBuf buffer = ExchangeFixture.bytes(text);
        made.add(buffer);
        return buffer;
    }

    private void end() {
        try {
            direction.end();
        } catch (MessageException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void send(String text) {
        try {
            direction.data(buffer(text));
        } catch (MessageException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void settle() {
        try {
            direction.settle();
        } catch (MessageException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @AfterEach
    void everyBufferIsReleasedOnce() {
        direction.discard();
        direction.discard();
        assertThat(made).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    @Test
    void whatGoesOnIsPaidBackAtOnceWhileThereIsRoom() {
        send("abc");
        send("de");

        assertThat(told).containsExactly("abc", "+3", "de", "+2");
    }

    @Test
    void withoutRoomTheCreditWaitsAndIsPaidBackInOne() {
        writable = false;
        send("abc");
        send("de");
        settle();
        assertThat(told).containsExactly("abc", "de");

        writable = true;
        settle();
        settle();

        assertThat(told).containsExactly("abc", "de", "+5");
    }

    @Test
    void aFilterThatHasMoreIsAskedAgainOnlyWhenThereIsRoom() {
        direction.through(new Dripping());
        writable = false;
        send("abc");
        send("d");
        settle();
        assertThat(told).containsExactly("a");

        onData = () -> writable = told.size() == 2;
        writable = true;
        settle();
        assertThat(told).containsExactly("a", "b", "c");

        onData = () -> {};
        writable = true;
        settle();
        assertThat(told).containsExactly("a", "b", "c", "d", "+4");
    }

    @Test
    void theEndWaitsForWhatWaits() {
        direction.through(new Dripping());
        writable = false;
        send("ab");
        end();
        assertThat(direction.ending()).isTrue();
        assertThat(direction.ended()).isFalse();

        writable = true;
        settle();

        assertThat(direction.ended()).isTrue();
        assertThat(told).containsExactly("a", "b", "+2", "end");
    }

    @Test
    void theEndIsToldOnce() {
        end();
        end();
        settle();
        direction.close();

        assertThat(told).containsExactly("end");
    }

    @Test
    void whatComesBehindTheEndIsThrownAwayAndPaidFor() {
        end();
        send("late");

        assertThat(told).containsExactly("end", "+4");
    }

    @Test
    void nobodyWhoHasLeftIsToldAnythingButTheSenderIsPaid() {
        direction.through(new Dripping());
        writable = false;
        send("abc");
        direction.close();
        send("de");
        end();

        assertThat(told).containsExactly("a", "+3", "+2");
        assertThat(direction.ended()).isTrue();
    }

    @Test
    void anEndThatWaitedHasComeWhenTheReceiverLeaves() {
        direction.through(new Dripping());
        writable = false;
        send("abc");
        end();
        direction.close();

        assertThat(told).containsExactly("a", "+3");
        assertThat(direction.ended()).isTrue();
    }

    // From within the calls of the receiver and the sender.

    @Test
    void dataThatComesInTheMiddleOfDataKeepsItsPlace() {
        direction.through(new Dripping());
        onData = () -> {
            onData = () -> {};
            send("cd");
        };
        send("ab");

        assertThat(told).containsExactly("a", "b", "c", "d", "+4");
    }

    @Test
    void roomThatIsToldOfInTheMiddleOfDataChangesNothing() {
        direction.through(new Dripping());
        onData = this::settle;
        send("abc");

        assertThat(told).containsExactly("a", "b", "c", "+3");
    }

    @Test
    void anEndThatComesInTheMiddleOfDataWaitsForTheRest() {
        direction.through(new Dripping());
        onData = () -> {
            onData = () -> {};
            end();
        };
        send("ab");

        assertThat(told).containsExactly("a", "b", "+2", "end");
        assertThat(direction.ended()).isTrue();
    }

    @Test
    void anEndThatComesWithTheCreditWaitsForWhatCameBeforeIt() {
        direction.through(new Dripping());
        onCredit = () -> {
            onCredit = () -> {};
            onData = () -> writable = false;
            send("bc");
            end();
        };
        send("a");
        assertThat(told).containsExactly("a", "+1", "b");
        assertThat(direction.ended()).isFalse();

        onData = () -> {};
        writable = true;
        settle();

        assertThat(told).containsExactly("a", "+1", "b", "c", "+2", "end");
        assertThat(direction.ended()).isTrue();
    }

    @Test
    void aReceiverThatLeavesInTheMiddleOfDataGetsNoMoreOfIt() {
        direction.through(new Dripping());
        onData = () -> {
            onData = () -> {};
            direction.close();
        };
        send("abc");
        end();

        assertThat(told).containsExactly("a", "+3");
        assertThat(direction.ended()).isTrue();
    }

    @Test
    void thatEverythingIsGivenUpInTheMiddleOfDataLeaksNothing() {
        direction.through(new Dripping());
        onData = () -> {
            onData = () -> {};
            direction.discard();
        };
        send("abc");

        assertThat(told).startsWith("a").doesNotContain("b", "c");
    }

    // Frames of the proxy's own.

    @Test
    void aFrameOfTheProxyGoesBetweenFramesOnly() {
        direction.say(buffer("own"));
        send(TEXT_X.substring(0, 2));
        direction.say(buffer("in the middle"));
        send("x");
        direction.say(buffer("again"));

        assertThat(told).containsExactly("own", TEXT_X.substring(0, 2), "+2", "x", "+1", "again");
    }

    @Test
    void behindACloseFrameTheProxySaysNothing() {
        send(CLOSE);
        direction.say(buffer("own"));

        assertThat(direction.transit().sawClose()).isTrue();
        assertThat(told).containsExactly(CLOSE, "+2");
    }

    @Test
    void behindTheEndTheProxySaysNothing() {
        end();
        direction.say(buffer("own"));

        assertThat(told).containsExactly("end");
    }

    @Test
    void toOneWhoHasLeftTheProxySaysNothing() {
        direction.close();
        direction.say(buffer("own"));

        assertThat(told).isEmpty();
    }
}
