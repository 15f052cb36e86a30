package dev.sallyport.mcp.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {

    private static final int ROUNDS = 3000;
    private static final ObjectMapper JACKSON = new ObjectMapper();

    private static Json parse(String text) throws JsonSyntaxException {
        return JsonParser.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatAnotherLibraryWritesIsReadAsItMeantIt() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            JsonNode node = node(random, 4);
            String text = random.nextBoolean()
                    ? node.toString()
                    : JACKSON.writerWithDefaultPrettyPrinter().writeValueAsString(node);
            Json json = parse(text);
            assertThat(JACKSON.readTree(JsonWriter.compact(json)))
                    .as("seed %d, round %d: %s", seed, round, text)
                    .isEqualTo(node);
            assertThat(Json.same(json, parse(JsonWriter.canonical(json)))).isTrue();
            assertThat(JsonWriter.canonical(parse(JsonWriter.canonical(json)))).isEqualTo(JsonWriter.canonical(json));
        }
    }

    private static JsonNode node(Random random, int depth) {
        JsonNodeFactory make = JsonNodeFactory.instance;
        return switch (random.nextInt(depth == 0 ? 5 : 7)) {
            case 0 -> make.textNode(text(random));
            case 1 -> make.numberNode(random.nextInt());
            case 2 -> make.numberNode(random.nextDouble());
            case 3 -> make.booleanNode(random.nextBoolean());
            case 4 -> make.nullNode();
            case 5 -> {
                ArrayNode array = make.arrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(node(random, depth - 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = make.objectNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    object.set(text(random), node(random, depth - 1));
                }
                yield object;
            }
        };
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            int c = random.nextInt(4) == 0 ? random.nextInt(0x110000) : random.nextInt(0x100);
            text.appendCodePoint(c >= 0xd800 && c < 0xe000 ? '?' : c);
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1.0, 1",
        "100, 100",
        "1e2, 100",
        "333333333.33333329, 333333333.3333333",
        "1E30, 1e+30",
        "4.50, 4.5",
        "2e-3, 0.002",
        "0.000000000000000000000000001, 1e-27",
        "1e21, 1e+21",
        "1e20, 100000000000000000000",
        "0.000001, 0.000001",
        "0.0000001, 1e-7",
        "-1.5e-10, -1.5e-10",
        "9007199254740993, 9007199254740992",
        "123456789012345678901234567890, 1.2345678901234568e+29"
    })
    void numbersAreWrittenAsEcmaScriptWritesThem(String spelling, String written) {
        assertThat(JsonWriter.ecmaScript(spelling)).isEqualTo(written);
    }

    @Test
    void theCanonicalFormIsThatOfTheStandard() throws Exception {
        String text = """
                {
                  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                  "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
                  "literals": [null, true, false]
                }
                """;
        assertThat(JsonWriter.canonical(parse(text)))
                .isEqualTo("{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }

    @Test
    void placesAreThoseOfTheText() throws Exception {
        Json.Obj object = (Json.Obj) parse(" {\"\u00e9\" : [1, {\"b\":\"c\"} ]}");
        Json.Arr array = (Json.Arr) object.get("\u00e9");
        assertThat(object.start()).isEqualTo(1);
        assertThat(array.start()).isEqualTo(9);
        assertThat(array.items().get(1).start()).isEqualTo(13);
        assertThat(array.items().get(1).end()).isEqualTo(22);
    }

    @ParameterizedTest
    @CsvSource({
        "method, false",
        "METHOD, true",
        "Method, true",
        "'method ', true",
        "'\u200bmethod', true",
        "m\u200bethod, true",
        "met\u210eod, true",
        "methods, false",
        "meth\u043ed, false",
        "'', false"
    })
    void namesResembleEachOtherAsLenientReadersTakeThem(String name, boolean resembles) {
        assertThat(Names.of("method").resembles(name)).isEqualTo(resembles);
    }
}
