package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.text.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How policies are shown. */
final class PolicyViews {

    /** How many destinations or tools a column shows before it only counts. */
    private static final int SHOWN = 2;

    private PolicyViews() {}

    static View of(Kind kind) {
        List<View.Column> columns = new ArrayList<>();
        columns.add(View.Column.field("NAME", "/name"));
        columns.add(View.Column.field("ACTIVE", "/active"));
        columns.add(View.Column.field("PRIORITY", "/priority"));
        if (kind == Kind.SECRETS) {
            columns.add(View.Column.field("MODE", "/mode"));
            columns.add(View.Column.of("SOURCE", (policy, now) -> source(policy.path("source"))));
            columns.add(View.Column.of("INTO", (policy, now) -> into(policy)).onlyWide());
        }
        if (kind == Kind.MCP) {
            columns.add(View.Column.of("TOOLS", (policy, now) -> few(texts(policy.path("tools"), PolicyViews::name))));
        }
        columns.add(View.Column.of("HOSTS", (policy, now) -> few(texts(policy.path("rules"), PolicyViews::host))));
        columns.add(View.Column.of(
                "TAGS", (policy, now) -> String.join(",", texts(policy.path("match_tags"), JsonNode::asText))));
        columns.add(View.Column.of(
                "AGE", (policy, now) -> Times.age(policy.path("created_at").asText(), now)));
        columns.add(View.Column.field("ID", "/id").onlyWide());
        return new View(kind.plural(), columns, policy -> kind.word() + "/" + name(policy));
    }

    private static String name(JsonNode object) {
        return object.path("name").asText();
    }

    private static String host(JsonNode rule) {
        return rule.has("host") ? rule.path("host").asText() : rule.path("cidr").asText();
    }

    /** Where the proxy reads the credential: a name of it, never a value. */
    private static String source(JsonNode source) {
        String type = source.path("type").asText();
        String where = switch (type) {
            case "env" -> source.path("var").asText();
            case "cloud_sm" -> source.path("secret_id").asText();
            default -> source.path("name").asText();
        };
        return type + ":" + where;
    }

    private static String into(JsonNode policy) {
        JsonNode inject = policy.path("inject_config");
        if (inject.has("header")) {
            return "header:" + inject.path("header").asText();
        }
        return inject.has("query_param") ? "query:" + inject.path("query_param").asText() : "path";
    }

    private static List<String> texts(JsonNode array, Function<JsonNode, String> text) {
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(text.apply(element)));
        return texts.stream().distinct().toList();
    }

    private static String few(List<String> texts) {
        return texts.size() <= SHOWN
                ? String.join(",", texts)
                : String.join(",", texts.subList(0, SHOWN)) + " +" + (texts.size() - SHOWN);
    }
}
