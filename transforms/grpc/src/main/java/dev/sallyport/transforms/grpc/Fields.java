package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.transform.v1.HeaderValues;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of one message as they are shown to a server: by canonical name, without those that it must not
 * see. An answer is compared with them, so that a field that it leaves alone keeps its place, its casing, and its real
 * value where a masked one was shown. Immutable.
 */
final class Fields {

    /** What the engine shows instead of a credential. */
    private static final String MASK = "***";

    private static final String CODING = "Content-Encoding";
    private static final String LENGTH = "Content-Length";

    /** A field: its name as on the wire, and the values of its lines. */
    private record Field(String wireName, List<String> values) {}

    private final Map<String, Field> byName;

    private Fields(Map<String, Field> byName) {
        this.byName = byName;
    }

    /** @param decoded whether the body is shown without its content coding */
    static Fields of(Headers headers, boolean decoded) {
        boolean hidesCoding = decoded && headers.contains(CODING);
        Map<String, Field> byName = new LinkedHashMap<>();
        for (int i = 0; i < headers.size(); i++) {
            String name = HeaderNames.canonical(headers.name(i));
            boolean hidden = name.equals("Host")
                    || name.startsWith(":")
                    || (hidesCoding && (name.equals(CODING) || name.equals(LENGTH)));
            if (!hidden) {
                String wireName = headers.name(i);
                byName.computeIfAbsent(name, key -> new Field(wireName, new ArrayList<>(1)))
                        .values()
                        .add(headers.value(i));
            }
        }
        return new Fields(byName);
    }

    /** The fields as they are sent to the server. */
    Map<String, HeaderValues> message() {
        Map<String, HeaderValues> message = new LinkedHashMap<>();
        byName.forEach((name, field) -> message.put(
                name, HeaderValues.newBuilder().addAllValues(field.values()).build()));
        return message;
    }

    /** Whether a field belongs to the proxy. */
    static boolean isReserved(String name) {
        return name.startsWith(":") || HeaderNames.equal(name, CODING) || ReservedFields.isReserved(name);
    }

    /** @throws InvalidAnswerException when a field could not be sent */
    static void check(String name, List<String> values) throws InvalidAnswerException {
        if (!FieldSyntax.isToken(name)) {
            throw new InvalidAnswerException("a header name that is not a token");
        }
        for (String value : values) {
            if (!FieldSyntax.isValue(value)) {
                throw new InvalidAnswerException(
                        "header " + HeaderNames.canonical(name) + ": a value with a control or wide character");
            }
        }
    }

    /**
     * Adds an answer's changes to the edits; an empty answer changes nothing.
     *
     * @param ignored takes the names of reserved fields that the answer would change
     * @return the changed fields, by the names that the server knows
     */
    Map<String, HeaderValues> change(Map<String, HeaderValues> answer, Edits.Builder edits, List<String> ignored)
            throws InvalidAnswerException {
        if (answer.isEmpty()) {
            return message();
        }
        Map<String, Field> wanted = wanted(answer, ignored);
        for (Map.Entry<String, Field> known : byName.entrySet()) {
            Field now = wanted.get(known.getKey());
            if (now == null || now.values().isEmpty()) {
                edits.removeHeader(known.getKey());
            } else {
                change(known.getValue(), now.values(), edits);
            }
        }
        wanted.forEach((name, field) -> {
            if (!byName.containsKey(name)) {
                field.values().forEach(value -> edits.addHeader(field.wireName(), value));
            }
        });
        return new Fields(wanted).message();
    }

    /** The fields that the answer asks for, with the reserved fields unchanged. */
    private Map<String, Field> wanted(Map<String, HeaderValues> answer, List<String> ignored)
            throws InvalidAnswerException {
        Map<String, Field> wanted = new LinkedHashMap<>();
        byName.forEach((name, field) -> {
            if (isReserved(name)) {
                wanted.put(name, field);
            }
        });
        for (Map.Entry<String, HeaderValues> entry : answer.entrySet()) {
            String name = HeaderNames.canonical(entry.getKey());
            List<String> values = entry.getValue().getValuesList();
            if (!isReserved(name)) {
                check(name, values);
                wanted.computeIfAbsent(name, key -> new Field(entry.getKey(), new ArrayList<>()))
                        .values()
                        .addAll(values);
            } else if (ignored.size() < ServerAnnotations.MAX_ENTRIES && !same(byName.get(name), values)) {
                ignored.add(FieldSyntax.isToken(name) ? name : ":");
            }
        }
        return wanted;
    }

    private static boolean same(@Nullable Field known, List<String> values) {
        return known != null && known.values().equals(values);
    }

    /** Changes as few lines as possible. */
    private static void change(Field known, List<String> now, Edits.Builder edits) throws InvalidAnswerException {
        List<String> before = known.values();
        if (before.equals(now)) {
            return;
        }
        String name = known.wireName();
        boolean masked = before.contains(MASK);
        if (now.size() < before.size()) {
            if (masked && now.contains(MASK)) {
                throw moved(name);
            }
            edits.setHeader(name, now.toArray(String[]::new));
            return;
        }
        for (int i = 0; i < now.size(); i++) {
            String value = now.get(i);
            boolean stays = i < before.size() && before.get(i).equals(value);
            if (!stays && masked && value.equals(MASK)) {
                throw moved(name);
            }
            if (i >= before.size()) {
                edits.addHeader(name, value);
            } else if (!stays) {
                edits.setHeaderValue(name, i, value);
            }
        }
    }

    private static InvalidAnswerException moved(String name) {
        return new InvalidAnswerException(
                "header " + HeaderNames.canonical(name) + ": a masked value in another place");
    }
}
