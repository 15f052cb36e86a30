package dev.sallyport.control.api;

import dev.sallyport.control.model.Json;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is answered.
 *
 * @param json the body, or null for none
 */
record Answer(int status, byte @Nullable [] json, Map<String, String> headers) {

    /** What wraps one object. */
    record Data(Object data) {}

    /** What wraps a list. */
    record Items(List<?> data, boolean hasMore, @Nullable String cursor) {}

    /** An object. */
    static Answer of(int status, Object body) {
        return new Answer(status, Json.bytes(body), Map.of());
    }

    /** An object in {@code data}. */
    static Answer data(int status, Object body) {
        return of(status, new Data(body));
    }

    /** A whole list. */
    static Answer list(List<?> rows) {
        return of(200, new Items(rows, false, null));
    }

    /** Nothing: 204. */
    static Answer none() {
        return new Answer(204, null, Map.of());
    }

    /** With a header. */
    Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, json, more);
    }

    /** With the number of the change that it tells of. */
    Answer revision(long position) {
        return with(Headers.REVISION, String.valueOf(position));
    }

    /** For Micronaut. */
    MutableHttpResponse<?> toResponse() {
        MutableHttpResponse<byte[]> response = HttpResponse.status(status, null);
        headers.forEach(response::header);
        return json == null ? response : response.body(json).contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    /** Without the body, which may hold a token. */
    @Override
    public String toString() {
        return "Answer[" + status + "]";
    }
}
