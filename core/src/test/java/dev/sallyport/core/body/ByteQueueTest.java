package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes keep their order and are counted, once, however they are taken apart. */
class ByteQueueTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final BodyAccount account = new BodyAccount(new BodyBudget(Long.MAX_VALUE));
    private final ByteQueue queue = new ByteQueue(allocator, account);
    private final StringBuilder sent = new StringBuilder();

    private ByteBuf add(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + (sent.length() + i) % 26));
        }
        sent.append(text);
        ByteBuf buffer = allocator.buffer(Math.max(1, length));
        buffer.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        queue.add(buffer);
        return buffer;
    }

    private static String drain(ByteQueue from) {
        StringBuilder out = new StringBuilder();
        while (!from.isEmpty()) {
            ByteBuf next = from.poll();
            out.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return out.toString();
    }

    @AfterEach
    void nothingIsHeldOrCounted() {
        queue.clear();
        assertThat(queue.bytes()).isZero();
        assertThat(account.held()).isZero();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void anEmptyBufferIsReleasedAtOnce() {
        assertThat(add(0).refCnt()).isZero();
        assertThat(queue.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 255, 256})
    void tinyBuffersAreCopiedTogether(int length) {
        assertThat(add(length).refCnt()).isZero();
        assertThat(add(length).refCnt()).isZero();
        assertThat(queue.bytes()).isEqualTo(2L * length);

        ByteBuf both = queue.poll();
        assertThat(both.readableBytes()).isEqualTo(2 * length);
        both.release();
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aLargerOneIsKeptAsItIs() {
        ByteBuf large = add(257);

        assertThat(queue.poll()).isSameAs(large);
        large.release();
    }

    @Test
    void aLargerOneBetweenTinyOnesKeepsItsPlace() {
        add(10);
        add(300);
        add(10);
        add(10);

        assertThat(drain(queue)).isEqualTo(sent.toString());
    }

    @Test
    void tinyOnesFillMoreThanOneBuffer() {
        for (int i = 0; i < 20; i++) {
            add(200);
        }

        assertThat(account.held()).isEqualTo(4000);
        assertThat(drain(queue)).isEqualTo(sent.toString());
    }

    @Test
    void whatIsTakenOutIsNotWrittenToAnyMore() {
        add(10);
        ByteBuf first = queue.poll();
        add(10);

        assertThat(first.readableBytes()).isEqualTo(10);
        first.release();
        assertThat(drain(queue)).isEqualTo(sent.substring(10));
    }

    @Test
    void whatIsMovedIsCountedOnce() {
        ByteQueue target = new ByteQueue(allocator, account);
        add(10);
        add(1000);
        queue.moveTo(target);

        assertThat(queue.isEmpty()).isTrue();
        assertThat(account.held()).isEqualTo(1010);
        add(10);
        queue.moveTo(target);
        assertThat(drain(target)).isEqualTo(sent.toString());
        assertThat(account.held()).isZero();
    }

    @Test
    void aHeadOfAnyLengthExistsOnce() {
        int[] lengths = {10, 300, 20, 257, 5, 5};
        int whole = 10 + 300 + 20 + 257 + 5 + 5;
        for (int head = 0; head <= whole; head++) {
            sent.setLength(0);
            for (int length : lengths) {
                add(length);
            }
            byte[] array = queue.head(head);

            assertThat(new String(array, StandardCharsets.ISO_8859_1)).isEqualTo(sent.substring(0, head));
            assertThat(queue.bytes()).isEqualTo(whole);
            assertThat(account.held()).isEqualTo(whole);
            if (head > 0) {
                assertThat(queue.head(head)).isSameAs(array);
                assertThat(queue.head(1)).isSameAs(array);
            }
            add(7);
            assertThat(drain(queue)).isEqualTo(sent.toString());
        }
    }

    @Test
    void aLongerHeadFollowsAShorterOne() {
        add(10);
        add(300);
        queue.head(5);
        byte[] longer = queue.head(200);

        assertThat(new String(longer, StandardCharsets.ISO_8859_1)).isEqualTo(sent.substring(0, 200));
        assertThat(drain(queue)).isEqualTo(sent.toString());
    }

    @Test
    void anArrayIsForgottenWithItsBuffer() {
        add(10);
        add(300);
        queue.head(10);
        queue.poll().release();

        assertThat(new String(queue.head(3), StandardCharsets.ISO_8859_1)).isEqualTo(sent.substring(10, 13));
    }

    @Test
    void aPeekSeesWhatLiesBehindAnyPlaceAndTakesNothing() {
        add(10);
        add(300);
        add(20);
        for (int skip = 0; skip <= 331; skip++) {
            StringBuilder seen = new StringBuilder();
            queue.peek(skip, (buffer, index, length) -> {
                seen.append(buffer.toString(index, length, StandardCharsets.ISO_8859_1));
                return true;
            });
            assertThat(seen.toString()).isEqualTo(sent.substring(Math.min(skip, 330)));
        }
        assertThat(queue.bytes()).isEqualTo(330);
    }

    @Test
    void aPeekEndsWhenItHasSeenEnough() {
        add(300);
        add(300);
        StringBuilder seen = new StringBuilder();
        queue.peek(299, (buffer, index, length) -> {
            seen.append(length).append(' ');
            return false;
        });

        assertThat(seen.toString()).isEqualTo("1 ");
    }

    @Test
    void viewsAreTheReadableBytesAndCannotBeWrittenTo() {
        ByteBuf parts = allocator
                .compositeBuffer()
                .addComponent(true, allocator.buffer(4).writeBytes(new byte[] {'x', 'a', 'b', 'c'}))
                .addComponent(true, allocator.buffer(2).writeBytes(new byte[] {'d', 'e'}));
        parts.readerIndex(1);
        StringBuilder seen = new StringBuilder();
        ByteQueue.views(parts, view -> {
            assertThat(view.isReadOnly()).isTrue();
            assertThat(view.position()).isZero();
            seen.append(StandardCharsets.ISO_8859_1.decode(view));
        });
        parts.release();

        assertThat(seen.toString()).isEqualTo("abcde");
    }

    @Test
    void inAnyMixtureTheOrderStays() {
        Random random = new Random(5);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            switch (random.nextInt(4)) {
                case 0 -> add(random.nextInt(600));
                case 1 -> add(random.nextInt(20));
                case 2 -> queue.head((int) Math.min(queue.bytes(), random.nextInt(500)));
                default -> {
                    if (!queue.isEmpty()) {
                        ByteBuf next = queue.poll();
                        out.append(next.toString(StandardCharsets.ISO_8859_1));
                        next.release();
                    }
                }
            }
            assertThat(account.held()).isEqualTo(queue.bytes());
        }

        assertThat(out.append(drain(queue)).toString()).isEqualTo(sent.toString());
    }
}
