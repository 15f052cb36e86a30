package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions on arguments, and addresses of resources. */
class ConditionTest {

    private static boolean allowed(String policy, String message) {
        try (Client client = Client.of(policy, Client.accepts())) {
            return client.post(message).forwarded() != null;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "path: a, equals: 1           | {\"a\":1}                 | true",
                "path: a, equals: 1           | {\"a\":1.0}               | true",
                "path: a, equals: 1           | {\"a\":10e-1}             | true",
                "path: a, equals: 1.50        | {\"a\":1.5}               | true",
                "path: a, equals: 1           | {\"a\":\"1\"}             | false",
                "path: a, equals: 1           | {\"a\":1.00000000000000001} | false",
                "path: a, equals: 1           | {\"a\":true}              | false",
                "path: a, equals: '1'         | {\"a\":1}                 | false",
                "path: a, equals: '1'         | {\"a\":\"\\u0031\"}       | true",
                "path: a, equals: 9007199254740993 | {\"a\":9007199254740993} | true",
                "path: a, equals: 9007199254740993 | {\"a\":9007199254740992} | false",
                "path: a, equals: null        | {\"a\":null}              | true",
                "path: a, equals: null        | {}                        | false",
                "path: a, equals: null        | {\"a\":0}                 | false",
                "path: a, equals: true        | {\"a\":true}              | true",
                "path: a, equals: true        | {\"a\":\"true\"}          | false",
                "path: a, equals: ''          | {\"a\":\"\"}              | true",
                "path: a, equals: [1, b]      | {\"a\":[1.0,\"b\"]}       | true",
                "path: a, equals: [1, b]      | {\"a\":[\"b\",1]}         | false",
                "path: a, equals: []          | {\"a\":[]}                | true",
                "path: a, equals: {x: {y: null}} | {\"a\":{\"x\":{\"y\":null}}} | true",
                "path: a, equals: {x: 1, y: 2} | {\"a\":{\"y\":2,\"x\":1}} | true",
                "path: a, equals: {x: 1}      | {\"a\":{\"x\":1,\"y\":2}} | false",
                "path: a.b.1, equals: z       | {\"a\":{\"b\":[0,\"z\"]}} | true",
                "path: a.b.1, equals: z       | {\"a\":{\"b\":[\"z\"]}}   | false",
                "path: a.b.01, equals: z      | {\"a\":{\"b\":[0,\"z\"]}} | false",
                "path: a.-1, equals: z        | {\"a\":[\"z\"]}           | false",
                "path: a.0, equals: z         | {\"a\":{\"0\":\"z\"}}     | true",
                "path: a.b, equals: z         | {\"a.b\":\"z\"}           | false",
                "path: a.b, equals: z         | {\"a\":\"z\"}             | false",
                "path: a, equals: z           | {\"a\":\"z\",\"A\":\"y\"} | false",
                "path: a, equals: z           | {\"a\":\"z\",\"a \":1}    | false",
                "path: a, equals: z           | {\"a\":\"z\",\"b\":1}     | true",
                "path: a, equals: z           | {\"A\":\"z\"}             | false",
                "path: a, in: [1, x, null]    | {\"a\":null}              | true",
                "path: a, in: [1, x, null]    | {\"a\":\"x\"}             | true",
                "path: a, in: [1, x, null]    | {\"a\":2}                 | false",
                "path: a, in: [[1]]           | {\"a\":[1]}               | true",
                "path: a, matches: b          | {\"a\":\"abc\"}           | true",
                "path: a, matches: '^b'       | {\"a\":\"abc\"}           | false",
                "path: a, matches: '^12$'     | {\"a\":12}                | true",
                "path: a, matches: '^true$'   | {\"a\":true}              | true",
                "path: a, matches: '^null$'   | {\"a\":null}              | true",
                "path: a, matches: '^\\[1,\"x\"\\]$' | {\"a\":[ 1, \"\\u0078\" ]} | true",
                "path: a, matches: '^\\{\"b\":1\\}$' | {\"a\":{ \"b\" : 1 }} | true",
                "path: a, matches: '.*'       | {}                        | false",
                "path: a, matches: '^.$'      | {\"a\":\"\\ud83d\\ude00\"} | true"
            })
    void aConditionHoldsOrNot(String when, String arguments, boolean holds) {
        assertThat(allowed(
                        "tools: [{name: t, when: [{" + when + "}]}], prompts: [{name: p, when: [{" + when + "}]}]",
                        Client.call("1", "t", arguments)))
                .isEqualTo(holds);
        assertThat(allowed(
                        "prompts: [{name: p, when: [{" + when + "}]}]",
                        Client.request("1", "prompts/get", "{\"name\":\"p\",\"arguments\":" + arguments + "}")))
                .isEqualTo(holds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"arguments\":null"})
    void withoutArgumentsNoConditionHolds(String arguments) {
        String call = Client.request("1", "tools/call", "{\"name\":\"t\"" + arguments + "}");
        assertThat(allowed("tools: [{name: t, when: [{path: a, matches: ''}]}]", call))
                .isFalse();
        assertThat(allowed("tools: [{name: t}]", call)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "file:///a/b, file:///a/b, true",
        "file:///a/b, file:///a/c, false",
        "file:///a/*, file:///a/b, true",
        "file:///a/*, file:///a/b/c, false",
        "file:///a/**, file:///a/b/c, true",
        "file:///a/**, file:///a/../c, false",
        "file:///a/**, file:///a/%2e%2e/c, false",
        "file:///a/**, file:///a/b%2fc, false",
        "file:///a/**, file:///a/%252e/c, false",
        "file:///a/**, file:///a/..\\c, false",
        "file:///a/**, file:///b, false",
        "file:///a/.*, file:///a/b, false",
        "**, x:y, true",
        "issue://team/*/open, issue://team/7/open, true",
        "issue://team/*/open, issue://team/open, false"
    })
    void anAddressFitsOrNot(String pattern, String uri, boolean fits) {
        String policy = "resources: [{uri: '" + pattern + "'}]";
        String params = "{\"uri\":\"" + uri.replace("\\", "\\\\") + "\"}";
        for (String method : List.of("resources/read", "resources/subscribe", "resources/unsubscribe")) {
            assertThat(allowed(policy, Client.request("1", method, params))).isEqualTo(fits);
        }
        String completion = "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"" + uri.replace("\\", "\\\\")
                + "\"},\"argument\":{\"name\":\"a\",\"value\":\"b\"}}";
        assertThat(allowed(policy, Client.request("1", "completion/complete", completion)))
                .isEqualTo(fits);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tools: [{name: t, when: [{path: a}]}] | /mcp/servers/0/tools/0/when/0: no operator (expected: exactly one of equals, in and matches)",
                "tools: [{name: t, when: [{path: a, equals: null, matches: b}]}] | /mcp/servers/0/tools/0/when/0: 2 operators (expected: exactly one of equals, in and matches)",
                "tools: [{name: t, when: [{path: a..b, equals: 1}]}] | /mcp/servers/0/tools/0/when/0/path: an empty name in the path (expected: names separated by single dots, such as a.b.0)",
                "tools: [{name: t, when: [{path: a, in: []}]}] | /mcp/servers/0/tools/0/when/0/in: no values, so no call could pass (expected: at least one value)",
                "tools: [{name: t, when: [{path: a, matches: '('}]}] | /mcp/servers/0/tools/0/when/0/matches: not a regular expression: missing closing ) (expected: the syntax of RE2)",
                "tools: [{name: t}, {name: t}] | /mcp/servers/0/tools/1/name: the name of /mcp/servers/0/tools/0 too (expected: a name of its own for each tool)",
                "tools: [{name: ''}] | /mcp/servers/0/tools/0/name: empty (expected: the name of a tool)",
                "tools: [{name: t, digest: 'md5:x'}] | /mcp/servers/0/tools/0/digest: not a digest (expected: sha256: and 64 hexadecimal digits, lower case)",
                "prompts: [{name: p}, {name: p}] | /mcp/servers/0/prompts/1/name: the name of /mcp/servers/0/prompts/0 too (expected: a name of its own for each prompt)",
                "tools: [], resources: | /mcp/servers/0/resources: no value (expected: a list, [] for an empty one, or omit the field)",
                "tools: [], prompts: null | /mcp/servers/0/prompts: no value (expected: a list, [] for an empty one, or omit the field)",
                "resources: [{uri: 'a***'}] | /mcp/servers/0/resources/0/uri: more than two asterisks in a row (expected: * or **)"
            })
    void whatIsWrongIsSaid(String policy, String problem) {
        assertThat(TransformHarness.of(Client.yaml(policy, "")).problems())
                .singleElement()
                .asString()
                .endsWith(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "mcp: {servers: [{name: s, rules: []}]} | /mcp/servers/0/rules: no rules, so nothing would be judged (expected: at least one rule)",
                "mcp: {servers: [{name: s, rules: [{host: a}]}, {name: s, rules: [{host: b}]}]} | /mcp/servers/1/name: the name of /mcp/servers/0 too (expected: a name of its own for each server)",
                "mcp: {error: {code: -32600}} | /mcp/error/code: -32600 has a meaning of its own in JSON-RPC (expected: -32099 to -32000, or a code outside the reserved range)",
                "mcp: {max_message_bytes: 0} | /mcp/max_message_bytes: no message could pass (expected: at least 1)",
                "mcp: {max_event_bytes: 0} | /mcp/max_event_bytes: out of range (expected: 1 to 268435456)"
            })
    void whatIsWrongWithTheSectionIsSaid(String yaml, String problem) {
        assertThat(TransformHarness.of(yaml).problems())
                .singleElement()
                .asString()
                .endsWith(problem);
    }
}
