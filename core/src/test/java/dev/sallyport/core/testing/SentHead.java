package dev.sallyport.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http1.RequestHeadWriter;
import dev.sallyport.core.http1.UnsendableMessageException;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.testing.StrictRequests.Field;
import dev.sallyport.core.testing.StrictRequests.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** Whether a request that is let through reaches an origin of HTTP/1.1 as itself, and alone. */
public final class SentHead {

    private SentHead() {}

    public static void isReadAsItself(DecodedRequest intake) {
        RequestMessage head = intake.head();
        assertThat(head).isNotNull();
        StrictRequests reading = StrictRequests.of(sent(head));

        assertThat(reading.malformed()).isFalse();
        assertThat(reading.atEnd()).isTrue();
        assertThat(reading.requests()).hasSize(1);
        Request sent = reading.requests().getFirst();
        assertThat(sent.method()).isEqualTo(head.method());
        assertThat(sent.target()).isEqualTo(head.target());
        assertThat(sent.complete()).isEqualTo(head.length() == 0);
        assertThat(sent.fields()).startsWith(lines(head.headers()).toArray(new Field[0]));
        assertThat(sent.fields().stream().filter(field -> field.name().equalsIgnoreCase("Host")))
                .hasSize(1);
    }

    public static List<Field> lines(HeaderBlock block) {
        List<Field> lines = new ArrayList<>();
        for (int i = 0; i < block.size(); i++) {
            lines.add(new Field(block.name(i), block.value(i)));
        }
        return lines;
    }

    /** The head as it leaves when no transform has touched it. */
    private static byte[] sent(RequestMessage head) {
        boolean chunked = head.length() == RequestMessage.UNKNOWN_LENGTH;
        ByteBuf out;
        try {
            out = RequestHeadWriter.head(UnpooledByteBufAllocator.DEFAULT, head, chunked);
        } catch (UnsendableMessageException e) {
            throw new AssertionError("a request was accepted that cannot be sent: " + e.fault(), e);
        }
        try {
            return ByteBufUtil.getBytes(out);
        } finally {
            out.release();
        }
    }
}
