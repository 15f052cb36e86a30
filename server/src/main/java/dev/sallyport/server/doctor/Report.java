package dev.sallyport.server.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.MachineCheck.Need;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was found on a machine.
 *
 * @param parts what each part of the program needs, by its name, in the order in which they were asked for
 */
public record Report(Map<String, List<Need>> parts) {

    /** Keeps the order. */
    public Report {
        parts = new LinkedHashMap<>(parts);
    }

    /** Whether all is met that is required. */
    public boolean isWell() {
        return parts.values().stream().flatMap(List::stream).allMatch(need -> need.met() || !need.required());
    }

    /** For people: a line for each, and what to do below it. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        parts.values().stream().flatMap(List::stream).forEach(need -> {
            lines.add((need.met() ? "ok    " : need.required() ? "fails " : "lacks ") + need.name() + ": "
                    + need.found());
            need.remedy().lines().forEach(line -> lines.add("      " + line));
        });
        return lines;
    }

    /** For programs. */
    public ObjectNode json() {
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("ok", isWell());
        ArrayNode all = report.putArray("needs");
        parts.forEach((part, needs) -> needs.forEach(need -> all.addObject()
                .put("for", part)
                .put("name", need.name())
                .put("required", need.required())
                .put("met", need.met())
                .put("found", need.found())
                .put("remedy", need.remedy())));
        return report;
    }
}
