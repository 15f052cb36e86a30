package dev.sallyport.control.web;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.api.ApiThreads;
import dev.sallyport.control.api.OpenApi;
import dev.sallyport.control.model.Json;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The API for readers: what {@code /v1/openapi.json} says, as a page without scripts. */
@Controller
@Produces(MediaType.ALL)
final class DocsController {

    /** Keywords of a schema, in words. */
    private static final List<Map.Entry<String, String>> LIMITS = List.of(
            Map.entry("default", "default"),
            Map.entry("minimum", "at least"),
            Map.entry("maximum", "at most"),
            Map.entry("minLength", "characters at least"),
            Map.entry("maxLength", "characters at most"),
            Map.entry("minItems", "items at least"),
            Map.entry("maxItems", "items at most"),
            Map.entry("pattern", "pattern"));

    private final OpenApi openApi;

    DocsController(OpenApi openApi) {
        this.openApi = openApi;
    }

    @Get("/docs")
    @ExecuteOn(ApiThreads.NAME)
    HttpResponse<?> docs() {
        JsonNode document = Json.read(new String(openApi.json(), StandardCharsets.UTF_8), JsonNode.class);
        Map<String, StringBuilder> tags = new TreeMap<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> tags.computeIfAbsent(
                                        operation
                                                .getValue()
                                                .path("tags")
                                                .path(0)
                                                .asText(),
                                        tag -> new StringBuilder())
                                .append(operation(path.getKey(), operation.getKey(), operation.getValue()))));
        StringBuilder content = new StringBuilder(
                "<p>Requests carry <code>Authorization: Bearer KEY</code>. The same as a document: <a href=\"/v1/openapi.json\">openapi.json</a>.</p>");
        tags.forEach((tag, operations) ->
                content.append("<h2>").append(Html.escape(tag)).append("</h2>").append(operations));
        content.append("<h2>Objects</h2>");
        document.path("components")
                .path("schemas")
                .properties()
                .forEach(schema -> content.append(object(schema.getKey(), schema.getValue())));
        return Html.page(200, "Control API", content.toString());
    }

    private static String operation(String path, String method, JsonNode operation) {
        StringBuilder text = new StringBuilder("<details><summary><code>")
                .append(Html.escape(method.toUpperCase(Locale.ROOT) + " " + path))
                .append("</code> ")
                .append(Html.escape(operation.path("summary").asText()))
                .append("</summary>");
        if (operation.has("parameters")) {
            text.append("<table><tr><th>Parameter</th><th>In</th><th>Values</th><th>Meaning</th></tr>");
            operation
                    .path("parameters")
                    .forEach(parameter -> text.append("<tr><td><code>")
                            .append(Html.escape(parameter.path("name").asText()))
                            .append("</code></td><td>")
                            .append(Html.escape(parameter.path("in").asText()))
                            .append("</td><td>")
                            .append(values(parameter.path("schema"), isRequired(parameter)))
                            .append("</td><td>")
                            .append(Html.escape(parameter
                                    .path("schema")
                                    .path("description")
                                    .asText(parameter.path("description").asText())))
                            .append("</td></tr>"));
            text.append("</table>");
        }
        JsonNode body = operation
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema");
        if (!body.isMissingNode()) {
            text.append("<p>Body: ").append(type(body)).append("</p>");
        }
        text.append("<table><tr><th>Status</th><th>Meaning</th></tr>");
        operation.path("responses").properties().forEach(response -> {
            JsonNode schema =
                    response.getValue().path("content").path("application/json").path("schema");
            text.append("<tr><td>")
                    .append(Html.escape(response.getKey()))
                    .append("</td><td>")
                    .append(Html.escape(response.getValue().path("description").asText()))
                    .append(response.getKey().startsWith("2") && !schema.isMissingNode() ? " " + type(schema) : "")
                    .append("</td></tr>");
        });
        return text.append("</table></details>\n").toString();
    }

    private static String object(String name, JsonNode schema) {
        StringBuilder text = new StringBuilder("<details id=\"")
                .append(Html.escape(name))
                .append("\"><summary><code>")
                .append(Html.escape(name))
                .append("</code></summary><table><tr><th>Field</th><th>Type</th><th>Values</th><th>Meaning</th></tr>");
        Set<String> required = new HashSet<>();
        schema.path("required").forEach(key -> required.add(key.asText()));
        schema.path("properties")
                .properties()
                .forEach(property -> text.append("<tr><td><code>")
                        .append(Html.escape(property.getKey()))
                        .append("</code></td><td>")
                        .append(type(property.getValue()))
                        .append("</td><td>")
                        .append(values(property.getValue(), required.contains(property.getKey())))
                        .append("</td><td>")
                        .append(Html.escape(
                                property.getValue().path("description").asText()))
                        .append("</td></tr>"));
        return text.append("</table></details>\n").toString();
    }

    private static boolean isRequired(JsonNode parameter) {
        return parameter.path("required").asBoolean();
    }

    /** Whether it must be there, and what it may be. */
    private static String values(JsonNode schema, boolean required) {
        List<String> words = new ArrayList<>();
        if (required) {
            words.add("required");
        }
        LIMITS.stream()
                .filter(limit -> schema.has(limit.getKey()))
                .forEach(limit -> words.add(limit.getValue() + " <code>"
                        + Html.escape(schema.path(limit.getKey()).asText()) + "</code>"));
        return String.join(", ", words);
    }

    /** A type in words, with links to objects. */
    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            String name = schema.path("$ref").asText().replaceAll(".*/", "");
            return "<a href=\"#" + Html.escape(name) + "\">" + Html.escape(name) + "</a>";
        }
        if (schema.has("anyOf")) {
            return type(schema.path("anyOf").path(0)) + " or null";
        }
        if (schema.path("type").asText().equals("array")) {
            return "list of " + type(schema.path("items"));
        }
        if (schema.path("properties").has("data")) {
            return "<code>data</code>: " + type(schema.path("properties").path("data"));
        }
        if (schema.has("enum")) {
            StringBuilder words = new StringBuilder();
            schema.path("enum")
                    .forEach(word -> words.append(words.isEmpty() ? "" : ", ").append(word.asText()));
            return Html.escape(words.toString());
        }
        JsonNode type = schema.path("type");
        return type.isArray() ? Html.escape(type.path(0).asText() + " or null") : Html.escape(type.asText("anything"));
    }
}
