package dev.sallyport.core.http2;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Netty's frame reader decodes a field section into: a {@link FieldSection}, of which the codec itself sees nothing
 * but the status.
 */
public final class DecodedFields extends DefaultHttp2Headers {

    private final FieldSection section = new FieldSection();

    /** Empty. */
    public DecodedFields() {
        super(false, 1);
    }

    /** What was decoded. */
    public FieldSection section() {
        return section;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        section.add(name.toString(), value.toString());
        return this;
    }

    @Override
    public @Nullable CharSequence status() {
        return section.status();
    }

    @Override
    public int size() {
        return section.fields().size();
    }

    @Override
    public boolean isEmpty() {
        return size() == 0;
    }

    /** Nothing: lengths are the concern of whoever reads the message. */
    @Override
    public List<CharSequence> getAll(CharSequence name) {
        return List.of();
    }

    /** Nothing, as above. */
    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
        return Collections.emptyIterator();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return section.toString();
    }
}
