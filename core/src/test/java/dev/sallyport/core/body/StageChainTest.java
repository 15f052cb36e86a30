package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A chain between an input and a queue, without the rounds and readers of a body. */
class StageChainTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final BodyBudget budget = new BodyBudget(Long.MAX_VALUE);
    private final BodyAccount account = new BodyAccount(budget);
    private final ByteQueue queue = new ByteQueue(allocator, account);
    private final List<StageChain> made = new ArrayList<>();

    private StageChain chain(long declared, @Nullable String coding) {
        StageChain chain = new StageChain(
                new BodyHead(declared, coding, false),
                BodyLimits.request(1 << 20),
                account,
                allocator,
                queue,
                queue::add,
                false);
        made.add(chain);
        return chain;
    }

    @AfterEach
    void everythingIsFreed() {
        made.forEach(StageChain::close);
        made.forEach(StageChain::close);
        assertThat(budget.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private void write(StageChain chain, byte[] bytes) {
        chain.write(allocator.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes));
        settle(chain);
    }

    /** Nobody else has anything to do here. */
    private static void settle(StageChain chain) {
        while (chain.busy()) {
            chain.step();
        }
    }

    private static void end(StageChain chain) {
        chain.end();
        settle(chain);
    }

    private static boolean advance(StageChain chain) {
        boolean all = chain.advance();
        while (!all && chain.busy()) {
            settle(chain);
            all = chain.advance();
        }
        return all;
    }

    private static boolean leave(StageChain chain, boolean force) {
        boolean left = chain.leaveRegion(force);
        settle(chain);
        return left;
    }

    private void write(StageChain chain, String text) {
        write(chain, TestRewriters.latin1(text));
    }

    private byte[] queued() {
        ByteBuf all = allocator.heapBuffer();
        queue.peek(0, (buffer, index, length) -> {
            all.writeBytes(buffer, index, length);
            return true;
        });
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes).release();
        return bytes;
    }

    private String text() {
        return TestRewriters.text(queued());
    }

    private static BodyStage.Rewrite rewrite(TestRewriters rewriter, boolean identity) {
        return new BodyStage.Rewrite(0, rewriter.streaming(), identity);
    }

    @Test
    void withoutStagesTheInputIsTheOutput() {
        StageChain chain = chain(6, null);
        write(chain, "one");
        write(chain, "two");

        assertThat(chain.ended()).isFalse();
        assertThat(chain.inUse()).isFalse();
        assertThat(chain.length()).isEqualTo(6);

        end(chain);

        assertThat(text()).isEqualTo("onetwo");
        assertThat(chain.ended()).isTrue();
        assertThat(chain.altered()).isFalse();
    }

    @Test
    void aStageGetsWhatIsQueuedAndThenTheRest() {
        StageChain chain = chain(-1, null);
        write(chain, "1a");
        chain.add(rewrite(TestRewriters.SWAP_LONGER, false));
        assertThat(chain.inUse()).isTrue();
        assertThat(chain.rewrites()).isTrue();
        assertThat(advance(chain)).isTrue();

        write(chain, "bc2");
        end(chain);

        assertThat(text()).isEqualTo("1a-longer-value2");
        assertThat(chain.inUse()).isFalse();
        assertThat(chain.altered()).isTrue();
    }

    @Test
    void aStageThatComesAfterTheEndSeesTheEndToo() {
        StageChain chain = chain(3, null);
        write(chain, "abc");
        end(chain);
        chain.add(rewrite(TestRewriters.APPEND, false));
        assertThat(advance(chain)).isTrue();

        assertThat(text()).isEqualTo("abc-end");
        assertThat(chain.ended()).isTrue();
    }

    @Test
    void stagesRunInTheOrderInWhichTheyWereAdded() {
        StageChain chain = chain(-1, null);
        chain.add(rewrite(TestRewriters.APPEND, false));
        chain.add(rewrite(TestRewriters.TWICE, false));
        advance(chain);
        write(chain, "x");
        end(chain);

        assertThat(text()).isEqualTo("xx--eenndd");
    }

    @Test
    void theLengthIsKnownAsLongAsEveryRewriterPromisesOne() {
        StageChain chain = chain(5, null);
        chain.add(rewrite(TestRewriters.TWICE, false));
        advance(chain);
        assertThat(chain.length()).isEqualTo(10);

        chain.add(rewrite(TestRewriters.SWAP_LONGER, false));
        advance(chain);
        assertThat(chain.length()).isEqualTo(-1);
    }

    @Test
    void anUnchangedCodedBodyKeepsItsBytes() {
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("content"));
        StageChain chain = chain(coded.length, "gzip");
        assertThat(chain.coded()).isTrue();
        chain.add(rewrite(TestRewriters.SWAP_ABSENT, true));
        advance(chain);
        write(chain, coded);

        assertThat(chain.decoded()).isTrue();
        assertThat(chain.length()).isEqualTo(-1);
        assertThat(chain.keptBytes()).isEqualTo(coded.length);
        assertThat(leave(chain, false)).as("before the end").isFalse();

        end(chain);
        assertThat(text()).isEqualTo("content");
        assertThat(leave(chain, false)).isTrue();

        assertThat(queued()).isEqualTo(coded);
        assertThat(chain.altered()).isFalse();
        assertThat(chain.keptBytes()).isZero();
    }

    @Test
    void aChangedCodedBodyIsEncodedAgain() {
        StageChain chain = chain(-1, "gzip");
        chain.add(rewrite(TestRewriters.SWAP_SAME, true));
        chain.add(rewrite(TestRewriters.APPEND, true));
        advance(chain);
        write(chain, BodyFixture.encode("gzip", TestRewriters.latin1("a token")));
        end(chain);
        assertThat(text()).as("one decoder for both").isEqualTo("a VALUE-end");

        assertThat(leave(chain, false)).isTrue();

        assertThat(BodyFixture.decode("gzip", queued())).isEqualTo(TestRewriters.latin1("a VALUE-end"));
        assertThat(chain.altered()).isTrue();
    }

    @Test
    void leavingEarlyGivesTheOriginalBytesUp() {
        StageChain chain = chain(-1, "gzip");
        chain.add(rewrite(TestRewriters.SWAP_ABSENT, true));
        advance(chain);
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("content"));
        write(chain, coded);

        assertThat(leave(chain, true)).isTrue();
        assertThat(chain.keptBytes()).isZero();
        end(chain);

        assertThat(BodyFixture.decode("gzip", queued())).isEqualTo(TestRewriters.latin1("content"));
        assertThat(chain.altered()).isTrue();
    }

    /** A stage of wire bytes behind one of the content waits until the region may be left. */
    @Test
    void aStageOfTheWireWaitsForTheEndOfTheContent() {
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("content"));
        StageChain chain = chain(coded.length, "gzip");
        RecordingCheck wire = new RecordingCheck();
        chain.add(rewrite(TestRewriters.SWAP_ABSENT, true));
        chain.add(new BodyStage.Check(1, wire, false));
        assertThat(advance(chain)).isFalse();
        write(chain, coded);
        assertThat(wire.seen.size()).isZero();

        end(chain);
        assertThat(advance(chain)).isTrue();

        assertThat(wire.seen.toByteArray()).isEqualTo(coded);
        assertThat(wire.ends).isOne();
    }

    @Test
    void anUnknownCodingIsFineForAnEmptyBodyAlone() {
        StageChain empty = chain(0, "unheard-of");
        assertThat(empty.coded()).isFalse();

        StageChain chain = chain(3, "unheard-of");
        assertThat(chain.coded()).isTrue();
        chain.add(new BodyStage.Rewrite(7, TestRewriters.PASS.streaming(), true));
        assertThatThrownBy(chain::advance)
                .isInstanceOfSatisfying(
                        BodyException.class,
                        thrown -> assertThat(thrown.failure())
                                .extracting(BodyFailure::kind, BodyFailure::position)
                                .containsExactly(BodyFailure.Kind.UNSUPPORTED_CODING, 7));
    }

    @Test
    void aReplacementTakesThePlaceOfEverything() {
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("content"));
        StageChain chain = chain(coded.length, "gzip");
        chain.add(rewrite(TestRewriters.SWAP_ABSENT, true));
        advance(chain);
        write(chain, coded);
        end(chain);

        chain.replace(TestRewriters.latin1("another"), true);
        assertThat(chain.decoded()).isTrue();
        assertThat(leave(chain, false)).isTrue();

        assertThat(BodyFixture.decode("gzip", queued())).isEqualTo(TestRewriters.latin1("another"));
        assertThat(chain.altered()).isTrue();
    }

    @Test
    void anObserverThatIsStillWaitingLearnsThatNothingWillCome() {
        StageChain chain = chain(3, null);
        RecordingObserver applied = new RecordingObserver();
        RecordingObserver pending = new RecordingObserver();
        chain.add(new BodyStage.Observe(0, new ObserverGuard(applied, 0, (position, why) -> {}), true));
        advance(chain);
        write(chain, "abc");
        chain.add(new BodyStage.Observe(1, new ObserverGuard(pending, 1, (position, why) -> {}), true));

        chain.close();

        assertThat(TestRewriters.text(applied.seen.toByteArray())).isEqualTo("abc");
        assertThat(pending.ends).isOne();
        assertThat(pending.complete).isFalse();
    }
}
