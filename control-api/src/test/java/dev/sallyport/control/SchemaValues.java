package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Random values that a schema of the OpenAPI document allows. Mostly also such as the server's own checks allow. */
final class SchemaValues {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String REFERENCE = "#/components/schemas/";
    private static final List<String> WORDS = List.of(
            "a", "example", "x y", "ä中😀", "'; drop table policy; --", "%s%n${7*7}{{.}}", "<b>\"'&", "\\", "/", "true");

    private final JsonNode document;
    private final Random random;
    private final Map<String, Consumer<ObjectNode>> sense = Map.ofEntries(
            Map.entry("RuleInput", this::rule),
            Map.entry("MatcherInput", this::matcher),
            Map.entry("SourceInput", this::source),
            Map.entry("InjectConfigInput", this::inject),
            Map.entry("SecretPolicyInput", this::secretPolicy),
            Map.entry("McpPolicyInput", this::policy),
            Map.entry("NetworkPolicyInput", this::policy),
            Map.entry("EgressRuleInput", this::egressRule),
            Map.entry("SecretInput", this::hosts),
            Map.entry("SecretPatchInput", this::hosts),
            Map.entry("SignUpInput", this::signUp),
            Map.entry("ApiKeyInput", this::apiKey));

    SchemaValues(JsonNode document, Random random) {
        this.document = document;
        this.random = random;
    }

    /** A value. */
    JsonNode value(JsonNode schema) {
        if (schema.has("$ref")) {
            String name = schema.path("$ref").asText().substring(REFERENCE.length());
            JsonNode value = value(document.path("components").path("schemas").path(name));
            Consumer<ObjectNode> sensible = sense.get(name);
            if (sensible != null && random.nextInt(8) > 0) {
                sensible.accept((ObjectNode) value);
            }
            return value;
        }
        if (schema.has("anyOf")) {
            return value(schema.path("anyOf").path(random.nextInt(5) == 0 ? 1 : 0));
        }
        if (schema.has("enum")) {
            return schema.path("enum").path(random.nextInt(schema.path("enum").size()));
        }
        JsonNode type = schema.path("type");
        if (type.isArray() && random.nextInt(5) == 0) {
            return JSON.nullNode();
        }
        return switch (type.isArray() ? type.path(0).asText() : type.asText()) {
            case "object" -> object(schema);
            case "array" -> array(schema);
            case "string" -> JSON.textNode(text(schema));
            case "integer" -> JSON.numberNode(integer(schema));
            case "boolean" -> JSON.booleanNode(random.nextBoolean());
            case "null" -> JSON.nullNode();
            default -> anything(3);
        };
    }

    private ObjectNode object(JsonNode schema) {
        ObjectNode object = JSON.objectNode();
        List<String> required =
                schema.path("required").valueStream().map(JsonNode::asText).toList();
        schema.path("properties").properties().forEach(property -> {
            boolean readOnly = property.getValue().path("readOnly").asBoolean();
            if (required.contains(property.getKey()) || random.nextInt(readOnly ? 10 : 2) == 0) {
                object.set(property.getKey(), value(property.getValue()));
            }
        });
        return object;
    }

    private ArrayNode array(JsonNode schema) {
        int least = schema.path("minItems").asInt(0);
        int size = least + random.nextInt(3);
        ArrayNode array = JSON.arrayNode();
        for (int i = 0; i < size; i++) {
            array.add(value(schema.path("items")));
        }
        return array;
    }

    private long integer(JsonNode schema) {
        long least = schema.path("minimum").asLong(Integer.MIN_VALUE);
        long most = schema.path("maximum").asLong(Integer.MAX_VALUE);
        return switch (random.nextInt(5)) {
            case 0 -> least;
            case 1 -> most;
            default -> least + Math.floorMod(random.nextLong(), most - least + 1);
        };
    }

    private String text(JsonNode schema) {
        String format = schema.path("format").asText();
        if (format.startsWith("date")) {
            String date = "20" + (10 + random.nextInt(80)) + "-0" + (1 + random.nextInt(9)) + "-11";
            return format.equals("date") ? date : date + "T12:13:14.5" + (random.nextBoolean() ? "Z" : "+01:30");
        }
        int least = schema.path("minLength").asInt(0);
        int most = schema.path("maxLength").asInt(1000);
        for (int attempt = 0; attempt < 50; attempt++) {
            String text = schema.has("pattern")
                    ? PatternTexts.text(schema.path("pattern").asText(), random)
                    : words(least);
            int length = text.codePointCount(0, text.length());
            if (length >= least && length <= most) {
                return text;
            }
        }
        throw new IllegalStateException("no text for " + schema);
    }

    private String words(int least) {
        StringBuilder text = new StringBuilder();
        do {
            text.append(word());
        } while (text.length() < least || random.nextInt(3) == 0);
        return text.toString();
    }

    private String word() {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    /** Any JSON. */
    private JsonNode anything(int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> JSON.nullNode();
            case 1 -> JSON.booleanNode(random.nextBoolean());
            case 2 -> JSON.numberNode(random.nextLong());
            case 3 -> JSON.numberNode(random.nextGaussian() * Math.pow(10, random.nextInt(300)));
            case 4 -> JSON.textNode(word());
            case 5 -> JSON.arrayNode().add(anything(depth - 1)).add(anything(depth - 1));
            default -> JSON.objectNode().set(word(), anything(depth - 1));
        };
    }

    private String oneOf(String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    private void rule(ObjectNode rule) {
        rule.remove(List.of("host", "cidr", "paths", "methods", "ports"));
        if (random.nextInt(3) > 0) {
            rule.put("host", oneOf("example.com", "*.example.com", "*", "127.0.0.1", "xn--bcher-kva.example"));
        } else {
            rule.put("cidr", oneOf("10.0.0.0/8", "2001:db8::/32", "127.0.0.1/32"));
        }
        if (random.nextBoolean()) {
            rule.putArray("paths").add(oneOf("/", "/v1/*", "/a%20b"));
            rule.putArray("methods").add(oneOf("GET", "POST", "PROPFIND"));
            rule.putArray("ports").add(1 + random.nextInt(65_535));
        }
    }

    private void egressRule(ObjectNode rule) {
        rule.remove(List.of("host", "cidr"));
        if (random.nextBoolean()) {
            rule.put("host", oneOf("example.com", "*.Example.com", "*"));
        } else {
            rule.put("cidr", oneOf("10.0.0.0/8", "2001:db8::/32", "127.0.0.1"));
        }
    }

    private void hosts(ObjectNode secret) {
        secret.remove("name");
        if (secret.has("secret")) {
            secret.put("secret", "s3cr3t-" + random.nextLong());
        }
        if (secret.has("hosts")) {
            secret.putArray("hosts").add(oneOf("*", "api.example.com", "*.example.com"));
        }
        if (secret.has("env_var") && random.nextBoolean()) {
            secret.put("name", "name" + random.nextInt(5));
        }
    }

    private void matcher(ObjectNode matcher) {
        matcher.remove(List.of("equals", "in", "matches"));
        matcher.put("path", oneOf("a", "a.b.c", "repository.name"));
        switch (random.nextInt(3)) {
            case 0 -> matcher.set("equals", anything(4));
            case 1 -> matcher.putArray("in").add(anything(2)).add(anything(2));
            default -> matcher.put("matches", oneOf("^a+$", "[0-9]{1,5}", "(?i)yes|no", ""));
        }
    }

    private void source(ObjectNode source) {
        switch (random.nextInt(3)) {
            case 0 -> source.put("type", "env").put("var", "TOKEN" + random.nextInt(10));
            case 1 -> source.put("type", "cloud_sm").put("secret_id", word());
            default -> source.put("type", "cloud_ssm").put("name", word());
        }
    }

    private void inject(ObjectNode inject) {
        inject.removeAll();
        if (random.nextBoolean()) {
            inject.put("query_param", oneOf("key", "api key", "ä"));
        } else {
            inject.put("header", oneOf("Authorization", "X-Api-Key"))
                    .put("formatter", oneOf("Bearer {{.Value}}", "{{base64 .Value}}", "plain"));
        }
    }

    /** Now and then a name that is taken. */
    private void policy(ObjectNode policy) {
        if (random.nextBoolean()) {
            policy.put("name", "name-" + random.nextInt(2));
        }
    }

    private void secretPolicy(ObjectNode policy) {
        policy(policy);
        policy.set("inject_config", value(JSON.objectNode().put("$ref", REFERENCE + "InjectConfigInput")));
        policy.set("replace_config", value(JSON.objectNode().put("$ref", REFERENCE + "ReplaceConfigInput")));
    }

    private void signUp(ObjectNode signUp) {
        signUp.put("email", TestControl.newEmail());
    }

    private void apiKey(ObjectNode key) {
        key.put("expires_at", "2" + (100 + random.nextInt(800)) + "-01-01T00:00:00Z");
    }
}
