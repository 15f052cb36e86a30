package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Makes bodies that are wrong in one way or more of bodies that are right. */
final class JsonMutations {

    private static final String MARK = "@raw%d@";

    /** What takes the place of a value. Texts of JSON, well-formed or not. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-1",
            "1.0",
            "1.5",
            "1e0",
            "1E400",
            "-1e-400",
            "1e999999999",
            "2147483647",
            "2147483648",
            "-2147483648",
            "-2147483649",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551616",
            "0.1e-7",
            "\"\"",
            "\" \"",
            "\"1\"",
            "\"true\"",
            "[]",
            "[[]]",
            "[null]",
            "{}",
            "{\"\": null}",
            "{\"a\": {\"b\": [1, 2, {\"c\": \"d\"}]}}",
            "\"\\u0000\"",
            "\"a\\u0000b\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u0001\\u001f\\u007f\\u0085\\u2028\"",
            "\"\\r\\nX-Evil: 1\"",
            "\"../../etc/passwd\"",
            "\"' or '1'='1\"",
            "\"'; drop table users; --\"",
            "\"${jndi:ldap://127.0.0.1/a}\"",
            "\"{{.Value}}\"",
            "\"(((((((((((((((((((((((((((((((\"",
            "\"(a{1000}){1000}\"",
            "\"[a-\"",
            "\"\\uFFFE\\uFFFF\"",
            "\"1970-01-01T00:00:00Z\"",
            "\"+1000000-01-01T00:00:00Z\"",
            "\"9999-12-31T23:59:60Z\"",
            "\"0001-01-01T00:00:00Z\"");

    /** What no JSON has. */
    private static final List<String> NO_VALUES = List.of(
            "NaN",
            "Infinity",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "1.",
            "0x10",
            "'a'",
            "undefined",
            "\"\\x\"",
            "\"\\u12\"",
            "\"a\nb\"",
            "\"\u0000\"",
            "tru",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a: 1}",
            "{\"a\": 1, \"a\": 2}",
            "/* */ 1",
            "// 1\n1",
            "",
            "[",
            "\"");

    private final Random random;
    private final List<String> raws = new ArrayList<>();

    JsonMutations(Random random) {
        this.random = random;
    }

    /** The bytes of a body that is as given, or wrong. */
    byte[] bytes(JsonNode valid) {
        raws.clear();
        int way = random.nextInt(10);
        if (way < 3) {
            return valid.toString().getBytes(StandardCharsets.UTF_8);
        }
        JsonNode body = valid.deepCopy();
        if (way < 8) {
            int times = 1 + random.nextInt(3);
            for (int i = 0; i < times; i++) {
                change(body);
            }
            return text(body).getBytes(StandardCharsets.UTF_8);
        }
        return spoiled(text(body));
    }

    private String text(JsonNode body) {
        String text = body.toString();
        for (int i = 0; i < raws.size(); i++) {
            text = text.replace("\"" + MARK.formatted(i) + "\"", raws.get(i));
        }
        return text;
    }

    private String raw(String json) {
        raws.add(json);
        return MARK.formatted(raws.size() - 1);
    }

    /** Changes one place. */
    private void change(JsonNode body) {
        List<Consumer<String>> places = new ArrayList<>();
        List<ObjectNode> objects = new ArrayList<>();
        collect(body, places, objects);
        if (!objects.isEmpty() && (places.isEmpty() || random.nextInt(4) == 0)) {
            ObjectNode object = objects.get(random.nextInt(objects.size()));
            member(object);
        } else if (!places.isEmpty()) {
            places.get(random.nextInt(places.size())).accept(raw(value()));
        }
    }

    /** Adds a member that is not known, or removes one. */
    private void member(ObjectNode object) {
        List<String> names = new ArrayList<>(
                object.propertyStream().map(java.util.Map.Entry::getKey).toList());
        if (!names.isEmpty() && random.nextBoolean()) {
            object.remove(names.get(random.nextInt(names.size())));
            return;
        }
        String name = switch (random.nextInt(6)) {
            case 0 -> "";
            case 1 -> "x".repeat(1 + random.nextInt(5000));
            case 2 -> "\u0000\u0001\r\n";
            case 3 -> "__proto__";
            case 4 -> "Name";
            default -> "unknown" + random.nextInt(5);
        };
        object.put(name, raw(value()));
    }

    private static void collect(JsonNode node, List<Consumer<String>> places, List<ObjectNode> objects) {
        if (node instanceof ObjectNode object) {
            objects.add(object);
            object.properties().forEach(member -> {
                places.add(text -> object.put(member.getKey(), text));
                collect(member.getValue(), places, objects);
            });
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                int at = i;
                places.add(text -> array.set(at, JsonNodeFactory.instance.textNode(text)));
                collect(array.get(i), places, objects);
            }
        }
    }

    private String value() {
        return switch (random.nextInt(20)) {
            case 0 -> NO_VALUES.get(random.nextInt(NO_VALUES.size()));
            case 1 -> nested(List.of(10, 100, 480, 500, 900, 985, 990, 994, 995, 996, 997, 998, 999, 1000, 5000));
            case 2 -> "\"" + "x".repeat(List.of(64, 65, 256, 257, 1025, 70_000).get(random.nextInt(6))) + "\"";
            case 3 -> "[" + "1,".repeat(List.of(99, 100, 1000, 20_000).get(random.nextInt(4))) + "1]";
            case 4 -> "1".repeat(List.of(20, 400, 1001).get(random.nextInt(3)));
            case 5 -> "\"" + "😀".repeat(List.of(32, 64, 65).get(random.nextInt(3))) + "\"";
            default -> VALUES.get(random.nextInt(VALUES.size()));
        };
    }

    private String nested(List<Integer> depths) {
        int depth = depths.get(random.nextInt(depths.size()));
        return random.nextBoolean()
                ? "[".repeat(depth) + "]".repeat(depth)
                : "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
    }

    /** What is wrong with the whole text. */
    private byte[] spoiled(String text) {
        Charset utf8 = StandardCharsets.UTF_8;
        return switch (random.nextInt(16)) {
            case 0 -> new byte[0];
            case 1 -> text.substring(0, random.nextInt(text.length())).getBytes(utf8);
            case 2 -> (text + List.of("{}", "]", "x", "\u0000", ",").get(random.nextInt(5))).getBytes(utf8);
            case 3 -> ("\uFEFF" + text).getBytes(utf8);
            case 4 -> text.getBytes(StandardCharsets.UTF_16);
            case 5 -> text.getBytes(StandardCharsets.UTF_16LE);
            case 6 -> text.replaceFirst("\"", "\"\u00e9").getBytes(StandardCharsets.ISO_8859_1);
            case 7 ->
                text.replaceFirst("\\{", "{\"name\": \"twice\", \"name\": \"twice\", ")
                        .getBytes(utf8);
            case 8 -> NO_VALUES.get(random.nextInt(NO_VALUES.size())).getBytes(utf8);
            case 9 -> VALUES.get(random.nextInt(VALUES.size())).getBytes(utf8);
            case 10 -> text.replace('"', '\'').getBytes(utf8);
            case 11 -> ("\t\r\n " + text.replace(",", " ,\n\t") + "\n").getBytes(utf8);
            case 12 -> "[".repeat(20_000).getBytes(utf8);
            case 13 -> ("[" + text + "]").getBytes(utf8);
            case 14 -> noise();
            default -> flipped(text.getBytes(utf8));
        };
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] flipped(byte[] bytes) {
        for (int i = 0; i < 3; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
