package dev.sallyport.server.management;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayOutputStream;

/** A request that is being read. Of one that is refused, the body is counted and not kept. */
final class RequestBody {

    /** What may follow a refused head, so that the connection can be used again. */
    private static final int DISCARDED = 64 * 1024;

    private final HttpRequest head;
    private final Routes.Choice choice;
    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream(0);
    private long received;

    RequestBody(HttpRequest head, Routes.Choice choice) {
        this.head = head;
        this.choice = choice;
        Route route = choice.route();
        this.limit = route == null ? DISCARDED : route.maxBodyBytes();
    }

    static ApiException tooLarge() {
        return new ApiException(413, "payload_too_large", "the body is too large");
    }

    HttpRequest head() {
        return head;
    }

    Routes.Choice choice() {
        return choice;
    }

    /** Whether the head says that the body is longer than it may be. */
    boolean declaresTooMuch() {
        return HttpUtil.getContentLength(head, 0L) > limit;
    }

    /** Returns false when there is too much. The caller keeps the buffer. */
    boolean add(ByteBuf data) {
        received += data.readableBytes();
        if (received > limit) {
            return false;
        }
        if (choice.route() != null && data.isReadable()) {
            byte[] bytes = new byte[data.readableBytes()];
            data.getBytes(data.readerIndex(), bytes);
            kept.writeBytes(bytes);
        }
        return true;
    }

    /** The request, once it is complete. */
    ApiRequest request() {
        QueryStringDecoder uri = new QueryStringDecoder(head.uri());
        return new ApiRequest(head.method().name(), uri.rawPath(), uri.parameters(), kept.toByteArray());
    }
}
