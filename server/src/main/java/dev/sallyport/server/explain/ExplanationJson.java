package dev.sallyport.server.explain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.MaskedEdit;
import dev.sallyport.core.explain.ResponseOutcome;
import dev.sallyport.core.explain.SourceLocation;
import dev.sallyport.core.explain.TransformOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explanations as JSON (docs/spec/decisions.md, section 13). Thread-safe. */
public final class ExplanationJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private ExplanationJson() {}

    /** The whole explanation. */
    public static ObjectNode of(Explanation explanation) {
        ObjectNode json = JSON.createObjectNode();
        json.put("verdict", explanation.verdict().text());
        json.put("status", explanation.status());
        optional(json, "code", explanation.code());
        optional(json, "detail", explanation.detail());
        optional(json, decider(explanation.verdict()), explanation.decidedBy());
        place(json, "rule", explanation.rule());
        json.put("workload", explanation.workload());
        Explanation.Target destination = explanation.destination();
        if (destination != null) {
            json.set("destination", target(destination));
        }
        ArrayNode transforms = json.putArray("transforms");
        explanation.transforms().forEach(outcome -> transforms.add(outcome(outcome)));
        if (explanation.verdict() == Explanation.Verdict.ALLOW) {
            json.set("response", response(explanation));
        }
        explanation.groups().forEach((name, fields) -> json.set(name, JSON.valueToTree(fields)));
        return json;
    }

    private static ObjectNode response(Explanation explanation) {
        ObjectNode json = JSON.createObjectNode();
        ArrayNode transforms = json.putArray("transforms");
        explanation.response().forEach(outcome -> transforms.add(outcome(outcome)));
        ArrayNode redacted = json.putArray("redacted");
        explanation.redacted().forEach(redacted::add);
        return json;
    }

    private static ObjectNode outcome(ResponseOutcome outcome) {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", outcome.name());
        if (!outcome.instance().isEmpty()) {
            json.put("instance", outcome.instance());
        }
        json.put("action", outcome.action());
        optional(json, "detail", outcome.detail());
        json.set("entry", place(outcome.entry()));
        json.set("edits", edits(outcome.edits()));
        return json;
    }

    private static ArrayNode edits(List<MaskedEdit> edits) {
        ArrayNode json = JSON.createArrayNode();
        edits.forEach(edit -> json.add(edit(edit)));
        return json;
    }

    private static String decider(Explanation.Verdict verdict) {
        return switch (verdict) {
            case STUB -> "stubbed_by";
            case UNDECIDABLE -> "undecided_by";
            case ALLOW, REJECT, ERROR -> "rejected_by";
        };
    }

    private static ObjectNode target(Explanation.Target destination) {
        ObjectNode json = JSON.createObjectNode();
        json.put("host", destination.host());
        json.put("port", destination.port());
        json.put("tls", destination.secure());
        if (!destination.addresses().isEmpty()) {
            ArrayNode addresses = json.putArray("addresses");
            destination.addresses().forEach(addresses::add);
        }
        return json;
    }

    private static ObjectNode outcome(TransformOutcome outcome) {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", outcome.name());
        if (!outcome.instance().isEmpty()) {
            json.put("instance", outcome.instance());
        }
        json.put("phase", outcome.phase());
        json.put("action", outcome.action());
        optional(json, "error", outcome.error());
        json.set("entry", place(outcome.entry()));
        place(json, "rule", outcome.rule());
        if (outcome.rules().size() > 1) {
            ArrayNode rules = json.putArray("rules");
            outcome.rules().forEach(rule -> rules.add(place(rule)));
        }
        json.set("edits", edits(outcome.edits()));
        json.set("annotations", JSON.valueToTree(outcome.annotations()));
        return json;
    }

    private static ObjectNode edit(MaskedEdit edit) {
        ObjectNode json = JSON.createObjectNode();
        json.put("edit", edit.edit());
        if (!edit.name().isEmpty()) {
            json.put("name", edit.name());
        }
        if (!edit.value().isEmpty()) {
            json.put("value", edit.value());
        }
        return json;
    }

    /** A place in the configuration. */
    public static ObjectNode place(SourceLocation place) {
        ObjectNode json = JSON.createObjectNode();
        json.put("file", place.file());
        json.put("line", place.line());
        json.put("pointer", place.pointer());
        return json;
    }

    private static void place(ObjectNode json, String name, @Nullable SourceLocation place) {
        if (place != null) {
            json.set(name, place(place));
        }
    }

    private static void optional(ObjectNode json, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            json.put(name, value);
        }
    }
}
