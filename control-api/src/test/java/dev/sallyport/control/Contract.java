package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the OpenAPI document promises, compared with what is answered. */
final class Contract {

    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private final JsonNode document;
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

    Contract(JsonNode document) {
        this.document = document;
        if (operations().isEmpty()) {
            throw new IllegalArgumentException("no operations: " + document);
        }
    }

    JsonNode document() {
        return document;
    }

    /** An operation of the document. */
    record Operation(String method, String path, JsonNode description) {}

    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> operations.add(new Operation(
                                operation.getKey().toUpperCase(Locale.ROOT), path.getKey(), operation.getValue()))));
        return operations;
    }

    private @Nullable Operation operation(String method, String target) {
        String path = target.replaceAll("[?#].*", "").replaceAll("(.)/$", "$1");
        return operations().stream()
                .filter(operation -> operation.method().equals(method))
                .filter(operation -> path.matches(
                        Pattern.compile("\\{[a-z_]+}").matcher(operation.path()).replaceAll("[^/]+")))
                .findFirst()
                .orElse(null);
    }

    /** Fails when an answer is not as the document says. */
    void check(String method, String target, Api.Reply reply) {
        Operation operation = operation(method, target);
        if (operation == null) {
            return;
        }
        String what = method + " " + target + " -> " + reply.status() + " " + reply.text();
        JsonNode response = operation.description().path("responses").path(String.valueOf(reply.status()));
        assertThat(response.isMissingNode()).as("undocumented status: " + what).isFalse();
        JsonNode content = response.path("content");
        if (content.isMissingNode()) {
            assertThat(reply.text()).as(what).isEmpty();
            return;
        }
        String media = content.fieldNames().next();
        assertThat(reply.header("Content-Type")).as(what).isEqualTo(media);
        if (!media.equals("application/json")) {
            return;
        }
        String key = operation.method() + operation.path() + reply.status();
        Schema schema = schemas.computeIfAbsent(
                key, any -> schema(content.path("application/json").path("schema")));
        List<Error> errors = schema.validate(reply.json());
        assertThat(errors).as(what).isEmpty();
        response.path("headers").properties().stream()
                .filter(header -> header.getValue().path("required").asBoolean(true))
                .forEach(header -> assertThat(reply.header(header.getKey()))
                        .as("header " + header.getKey() + " of " + what)
                        .isNotEmpty());
    }

    /** A schema with the components that it refers to. */
    Schema schema(JsonNode schema) {
        ObjectNode whole = schema.deepCopy();
        whole.set("components", document.path("components"));
        return REGISTRY.getSchema(whole);
    }
}
