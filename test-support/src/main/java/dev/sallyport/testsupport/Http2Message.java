package dev.sallyport.testsupport;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The message that was received on one stream.
 *
 * @param sections the field sections in order
 * @param ended whether the stream ended properly
 * @param reset why the stream or the connection was broken off, or null
 */
public record Http2Message(
        int stream,
        List<Http2Headers> sections,
        String body,
        boolean ended,
        @Nullable Http2Error reset) {

    /** The status of a final response; 0 when there is none. */
    public int status() {
        Http2Headers head = head();
        return head == null ? 0 : status(head);
    }

    public List<Integer> interim() {
        return sections.stream()
                .map(Http2Message::status)
                .filter(Http2Message::isInterim)
                .toList();
    }

    /** The first section that is no interim response. */
    public @Nullable Http2Headers head() {
        return sections.stream()
                .filter(section -> !isInterim(status(section)))
                .findFirst()
                .orElse(null);
    }

    public @Nullable Http2Headers trailers() {
        return sections.stream()
                .filter(section -> !isInterim(status(section)))
                .skip(1)
                .findFirst()
                .orElse(null);
    }

    private static int status(Http2Headers section) {
        CharSequence status = section.status();
        return status == null ? 0 : Integer.parseInt(status.toString());
    }

    private static boolean isInterim(int status) {
        return status >= 100 && status < 200;
    }
}
