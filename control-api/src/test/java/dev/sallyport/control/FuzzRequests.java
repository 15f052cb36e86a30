package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Requests to one operation of the OpenAPI document: as described, and wrong in each part. */
final class FuzzRequests {

    private static final Pattern VARIABLE = Pattern.compile("\\{[a-z_]+}");

    private static final List<String> ODD_SEGMENTS = List.of(
            "%00",
            "%0d%0aX-Evil:%201",
            "..",
            ".",
            "%2e%2e",
            "%2e%2e%2f%2e%2e%2fme",
            "..%2f..%2f..%2fetc%2fpasswd",
            "a%2Fb",
            "a/b",
            "%",
            "%z",
            "%zz",
            "%C3%28",
            "%E2%82%AC",
            "%ED%A0%80",
            "%F4%90%80%80",
            "\u00e9",
            "\u0001",
            "'%20or%201=1--",
            "';drop%20table%20policy;--",
            "%3Cscript%3E",
            ";",
            ";a=b",
            "a;b=c",
            "%25%30%30",
            "+",
            "*",
            "~",
            "{policy_id}",
            "%7Bpolicy_id%7D",
            "null",
            "-1",
            "%20",
            "spol_00000000000000000000000000",
            "key_7zzzzzzzzzzzzzzzzzzzzzzzzz",
            "SPOL_00000000000000000000000000",
            "spol_0000000000000000000000000u",
            "mpol_",
            "\\",
            "%5c",
            "\"",
            "|",
            "^",
            "`",
            "[1]",
            "%u0041",
            "%2500",
            "#",
            "?",
            "&");

    private static final List<String> ODD_VALUES = List.of(
            "",
            "1",
            "TRUE",
            "true",
            "false",
            "null",
            "%00",
            "%zz",
            "%",
            "%C3%28",
            "%ED%A0%80",
            "%0d%0aX-Evil:1",
            "'%20or%20'1'='1",
            "1;drop%20table%20users",
            "-1",
            "0",
            "200",
            "201",
            "500",
            "501",
            "2147483648",
            "99999999999999999999",
            "1.5",
            "1e3",
            "%2B1",
            "+1",
            "%D9%A3",
            "asc",
            "desc",
            "ASC",
            "2026-01-01T00:00:00Z",
            "2026-01-01",
            "+1000000-01-01T00:00:00Z",
            "2026-01-01T00:00:00%2B01:00",
            "0000-01-01T00:00:00Z",
            "[]",
            "a=b",
            "==",
            "....",
            "%25",
            "aud_00000000000000000000000000",
            "aud_zzzzzzzzzzzzzzzzzzzzzzzzzz",
            "Li4uLg",
            "\u00e9",
            "00000000000000000000000000");

    private static final List<String> MEDIA_TYPES = List.of(
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/merge-patch+json",
            "application/json; charset=utf-16",
            "application/json; charset=",
            "application/json; charset=\"",
            "application/json;;;",
            "application/json; charset=utf8; charset=latin1",
            "text/json",
            "text/plain",
            "text/html",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "multipart/form-data",
            "application/octet-stream",
            "",
            "/",
            "json",
            "application/",
            "*/*",
            "a/b/c",
            "application/json, text/plain",
            "\u00e9/\u00e9",
            "application/+json",
            "application/x-json-stream",
            "text/event-stream",
            "application/graphql",
            "application/json; q=x");

    private static final List<FuzzRequest.Field> ODD_FIELDS = List.of(
            field("Accept", "text/html"),
            field("Accept", "application/xml;q=0"),
            field("Accept", "nonsense"),
            field("Accept", ""),
            field("Accept", "*/*;q=2,,;"),
            field("Accept", "\u00e9"),
            field("Accept-Encoding", "gzip, identity;q=0"),
            field("Accept-Charset", "utf-16"),
            field("Accept-Language", "xx-\u00e9"),
            field("Expect", "100-continue"),
            field("Expect", "nonsense"),
            field("Range", "bytes=0-0"),
            field("If-None-Match", "*"),
            field("If-Modified-Since", "Thu, 01 Jan 2099 00:00:00 GMT"),
            field("Cookie", "sallyport=x; sallyport=\"y; =;;"),
            field("Cookie", "\u00e9=\u00e9"),
            field("X-HTTP-Method-Override", "DELETE"),
            field("X-Forwarded-For", "' or 1=1"),
            field("X-Forwarded-Host", "evil.test"),
            field("Forwarded", "for=\"_x\";host=evil.test"),
            field("Host", "evil.test"),
            field("Host", ""),
            field("Host", "a b"),
            field("Origin", "null"),
            field("Origin", "https://evil.test"),
            field("Access-Control-Request-Method", "DELETE"),
            field("Content-Encoding", "gzip"),
            field("Content-Encoding", "nonsense"),
            field("Content-Language", "\u00e9"),
            field("Upgrade", "h2c"),
            field("Upgrade", "websocket"),
            field("TE", "trailers"),
            field("X-Long", "x".repeat(7000)),
            field("X-Evil", "\u0001\u007f"),
            field("Connection", "close"),
            field("Idempotent-Replayed", "true"),
            field("Micronaut-X", "1"),
            field("Content-Type", "application/json"));

    private static final List<String> ODD_TAGS = List.of(
            "*",
            "\"1\"",
            "W/\"1\"",
            "1",
            "",
            ",",
            "\"",
            "\"x\"",
            "\"1\", \"2\"",
            "\"\u00e9\"",
            "*, \"1\"",
            "\"1\",".repeat(500),
            "\"99999999999999999999\"");

    private static final List<String> ODD_KEYS = List.of(
            "",
            " ",
            "x",
            "x".repeat(255),
            "x".repeat(256),
            "\u00e9",
            "a\tb",
            "' or 1=1 --",
            "k, k",
            "\"k\"",
            "x".repeat(6000));

    private static final String FOLLOW = "follow";

    private final Random random;
    private final FuzzMemory memory;
    private final SchemaValues values;
    private final JsonMutations mutations;

    /** What one account sends, and remembers of the answers. */
    FuzzRequests(JsonNode document, Random random, FuzzMemory memory) {
        this.random = random;
        this.memory = memory;
        this.values = new SchemaValues(document, random);
        this.mutations = new JsonMutations(random);
    }

    private static FuzzRequest.Field field(String name, String value) {
        return new FuzzRequest.Field(name, value);
    }

    private <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** The next request. */
    FuzzRequest next(Contract.Operation operation) {
        List<FuzzRequest.Field> fields = new ArrayList<>();
        authorization(token(operation), fields);
        JsonNode schema = operation.description().at("/requestBody/content/application~1json/schema");
        byte[] body = schema.isMissingNode() ? unexpectedBody() : body(schema);
        if (body != null && !oneIn(6)) {
            fields.add(field("Content-Type", oneIn(5) ? oneOf(MEDIA_TYPES) : "application/json"));
        }
        operation.description().path("parameters").forEach(parameter -> {
            if (parameter.path("in").asText().equals("header")) {
                header(parameter.path("name").asText(), fields);
            }
        });
        if (oneIn(4)) {
            fields.add(oneOf(ODD_FIELDS));
        }
        String method = oneIn(25)
                ? oneOf(List.of("HEAD", "OPTIONS", "TRACE", "PATCH", "get", "FOO", "PROPFIND", "PUT", "DELETE", "POST"))
                : operation.method();
        String target = path(operation) + query(operation);
        int chunk = body != null && oneIn(3) ? List.of(1, 7, 4096, 1 << 20).get(random.nextInt(4)) : 0;
        boolean small = body == null || body.length < 5000 || chunk > 100;
        return new FuzzRequest(method, target, List.copyOf(fields), body, small ? chunk : 4096);
    }

    /** Streams do not end, and so get the wrong one; but those do that need not be followed. */
    private String token(Contract.Operation operation) {
        if (operation.description().at("/responses/200/content").has("text/event-stream")
                && !operation
                        .description()
                        .path("parameters")
                        .findValuesAsText("name")
                        .contains(FOLLOW)) {
            return "sp_live_" + "0".repeat(43);
        }
        boolean proxy = operation.description().at("/security/0/proxy").isArray();
        return proxy ? memory.anyProxyToken(random) : memory.key();
    }

    private void authorization(String key, List<FuzzRequest.Field> fields) {
        String value = switch (random.nextInt(40)) {
            case 0 -> "";
            case 1 -> "Bearer";
            case 2 -> "Bearer " + key + "x";
            case 3 -> "bearer   " + key + "  ";
            case 4 -> "Basic " + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.US_ASCII));
            case 5 -> "Bearer sp_live_" + "\u00e9".repeat(43);
            case 6 -> "Bearer sp_live_' or '1'='1" + " ".repeat(26) + "x";
            case 7 -> "Bearer " + "x".repeat(6000);
            default -> "Bearer " + key;
        };
        if (!oneIn(60)) {
            fields.add(field("Authorization", value));
        }
        if (oneIn(100)) {
            fields.add(field("Authorization", "Bearer other"));
        }
    }

    /** Where none is specified, a body is ignored. */
    private byte @Nullable [] unexpectedBody() {
        return switch (random.nextInt(12)) {
            case 0 -> new byte[0];
            case 1 -> "nonsense".getBytes(StandardCharsets.UTF_8);
            case 2 -> "{\"a\": 1}".getBytes(StandardCharsets.UTF_8);
            case 3 -> oneIn(4) ? new byte[(2 << 20) + 1] : new byte[10_000];
            default -> null;
        };
    }

    private byte @Nullable [] body(JsonNode schema) {
        if (oneIn(40)) {
            return null;
        }
        if (oneIn(60)) {
            return new byte[(2 << 20) + random.nextInt(100)];
        }
        JsonNode valid = values.value(schema);
        if (valid instanceof ObjectNode object && object.has("code")) {
            object.put("code", memory.anyCode(random));
        }
        memory.sending(valid);
        return mutations.bytes(valid);
    }

    private void header(String name, List<FuzzRequest.Field> fields) {
        boolean tag = name.equals("If-Match");
        if (!oneIn(tag ? 2 : 4)) {
            return;
        }
        String usual = tag ? memory.anyTag(random) : "key-" + random.nextInt(1000);
        fields.add(field(name, oneIn(2) ? usual : oneOf(tag ? ODD_TAGS : ODD_KEYS)));
        if (oneIn(10)) {
            fields.add(field(name, oneOf(tag ? ODD_TAGS : ODD_KEYS)));
        }
    }

    private String path(Contract.Operation operation) {
        String path = VARIABLE.matcher(operation.path())
                .replaceAll(variable ->
                        Matcher.quoteReplacement(oneIn(3) ? segment() : memory.anyId(operation.path(), random)));
        return switch (random.nextInt(60)) {
            case 0 -> path + "/";
            case 1 -> path + "//";
            case 2 -> "/" + path;
            case 3 -> path.replaceFirst("v1", "%76%31");
            case 4 -> path.replaceFirst("v1/", "v1/./");
            case 5 -> path.replaceFirst("v1/", "v1/x/../");
            case 6 -> path.replaceFirst("v1/", "V1/");
            case 7 -> "http://evil.test" + path;
            case 8 -> path + ";jsessionid=1";
            case 9 -> path + "/" + segment();
            case 10 -> path + ".json";
            default -> path;
        };
    }

    private String segment() {
        return oneIn(20) ? "x".repeat(List.of(1000, 3900, 9000).get(random.nextInt(3))) : oneOf(ODD_SEGMENTS);
    }

    private String query(Contract.Operation operation) {
        List<String> pairs = new ArrayList<>();
        operation.description().path("parameters").forEach(parameter -> {
            String name = parameter.path("name").asText();
            if (name.equals(FOLLOW)) {
                pairs.add(FOLLOW + "=false");
            } else if (parameter.path("in").asText().equals("query") && !oneIn(3)) {
                pairs.add(name + "=" + parameter(name, parameter.path("schema")));
                if (oneIn(20)) {
                    pairs.add(name + "=" + oneOf(ODD_VALUES));
                }
            }
        });
        if (oneIn(10)) {
            pairs.add(oneOf(List.of(
                    "unknown=1",
                    "=",
                    "&&",
                    "a",
                    "a=b=c",
                    "%zz=1",
                    "%00=%00",
                    "active[]=true",
                    "limit%00=1",
                    ";limit=1")));
        }
        if (oneIn(100)) {
            pairs.add(oneIn(2) ? "x&".repeat(1100) : "x=1&".repeat(1100));
        }
        return pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
    }

    private String parameter(String name, JsonNode schema) {
        if (oneIn(3)) {
            return oneOf(ODD_VALUES);
        }
        return switch (name) {
            case "cursor" -> cursor();
            case "code" -> memory.anyCode(random);
            default -> URLEncoder.encode(values.value(schema).asText(), StandardCharsets.UTF_8);
        };
    }

    /** Cursors of other lists, of nobody's, and cut ones. */
    private String cursor() {
        String cursor = memory.anyCursor(random);
        return switch (random.nextInt(5)) {
            case 0 -> cursor.substring(0, random.nextInt(cursor.length() + 1));
            case 1 -> cursor + "A";
            case 2 -> forged("00000000000099999999999999999999.key_00000000000000000000000000");
            case 3 ->
                forged(new String(Base64.getUrlDecoder().decode(memory.anyOpaqueCursor(random)), StandardCharsets.UTF_8)
                        .replaceFirst("[0-9]+\\.", oneOf(List.of("-1.", "٣.", "99999999999999999999.", ".", "0."))));
            default -> cursor;
        };
    }

    private static String forged(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
