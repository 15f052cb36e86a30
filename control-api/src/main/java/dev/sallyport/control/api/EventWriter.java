package dev.sallyport.control.api;

import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.core.type.Argument;
import io.micronaut.core.type.MutableHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.body.ByteBodyFactory;
import io.micronaut.http.body.CloseableByteBody;
import io.micronaut.http.body.ResponseBodyWriter;
import io.micronaut.http.codec.CodecException;
import io.micronaut.http.sse.Event;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes server-sent events (HTML standard, 9.2) into arrays. An event that is dropped because its client
 * has gone needs no release then; Micronaut's own writer makes pooled buffers, which are lost with it. Pure.
 */
@Singleton
@Order(Ordered.HIGHEST_PRECEDENCE)
@Produces(MediaType.TEXT_EVENT_STREAM)
final class EventWriter implements ResponseBodyWriter<Event<String>> {

    @Override
    public CloseableByteBody writePiece(
            ByteBodyFactory bodies,
            HttpRequest<?> request,
            HttpResponse<?> response,
            Argument<Event<String>> type,
            MediaType media,
            Event<String> event) {
        return bodies.adapt(bytes(event));
    }

    @Override
    public void writeTo(
            Argument<Event<String>> type,
            MediaType media,
            Event<String> event,
            MutableHeaders headers,
            OutputStream stream) {
        try {
            stream.write(bytes(event));
        } catch (IOException e) {
            throw new CodecException("an event cannot be written: " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(Event<String> event) {
        StringBuilder text = new StringBuilder(event.getData().length() + 64);
        field(text, "id", event.getId());
        field(text, "event", event.getName());
        event.getData().lines().forEach(line -> field(text, "data", line));
        return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void field(StringBuilder text, String name, @Nullable String value) {
        if (value != null) {
            text.append(name).append(": ").append(value).append('\n');
        }
    }
}
