package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.match.Paths;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A head for transforms that disclose content: secrets are shown as {@code ***}, or as what stood there before. */
record MaskedHead(RequestMessage head) implements RequestHead {

    private static final String MASK = "***";

    @Override
    public String method() {
        return head.method();
    }

    @Override
    public String path() {
        return head.shownPath();
    }

    @Override
    public String decodedPath() {
        return Paths.decode(head.shownPath());
    }

    @Override
    public String query() {
        return head.shownQuery();
    }

    @Override
    public String target() {
        return head.shownTarget();
    }

    @Override
    public Headers headers() {
        return new MaskedHeaders(head.headers());
    }

    @Override
    public OptionalLong contentLength() {
        return head.contentLength();
    }

    private record MaskedHeaders(HeaderBlock block) implements Headers {

        @Override
        public int size() {
            return block.size();
        }

        @Override
        public String name(int index) {
            return block.name(index);
        }

        @Override
        public String value(int index) {
            return block.isSensitive(index) ? MASK : block.value(index);
        }

        @Override
        public @Nullable String first(String name) {
            int index = block.indexOf(name, 0);
            return index < 0 ? null : value(index);
        }
    }
}
