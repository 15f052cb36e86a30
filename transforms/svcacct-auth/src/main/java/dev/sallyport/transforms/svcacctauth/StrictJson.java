package dev.sallyport.transforms.svcacctauth;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Rejects ambiguous JSON: the library takes the last of several members with the same name. */
final class StrictJson {

    private StrictJson() {}

    /** @throws MalformedJsonException when it is not JSON, has trailing text, or has a duplicate member */
    static void check(byte[] json) throws IOException {
        JsonReader reader =
                new JsonReader(new InputStreamReader(new ByteArrayInputStream(json), StandardCharsets.UTF_8));
        Deque<Set<String>> members = new ArrayDeque<>();
        for (JsonToken token = reader.peek(); token != JsonToken.END_DOCUMENT; token = reader.peek()) {
            switch (token) {
                case BEGIN_OBJECT -> {
                    reader.beginObject();
                    members.push(new HashSet<>());
                }
                case END_OBJECT -> {
                    reader.endObject();
                    members.pop();
                }
                case BEGIN_ARRAY -> reader.beginArray();
                case END_ARRAY -> reader.endArray();
                case NAME -> {
                    if (!members.element().add(reader.nextName())) {
                        throw new MalformedJsonException("a member twice");
                    }
                }
                default -> reader.skipValue();
            }
        }
    }
}
