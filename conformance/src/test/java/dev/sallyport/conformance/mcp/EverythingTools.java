package dev.sallyport.conformance.mcp;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The tools of the server of everything, and policies about them. */
final class EverythingTools {

    static final List<String> ALL = List.of(
            "test_simple_text",
            "test_image_content",
            "test_audio_content",
            "test_embedded_resource",
            "test_multiple_content_types",
            "test_tool_with_logging",
            "test_tool_with_progress",
            "test_error_handling",
            "test_reconnection",
            "test_sampling",
            "test_elicitation",
            "test_elicitation_sep1034_defaults",
            "test_elicitation_sep1330_enums",
            "json_schema_2020_12_tool",
            "wipe");

    private EverythingTools() {}

    static String allow(List<String> tools) {
        return "mcp: {servers: [{name: everything, rules: [{host: localhost}], tools: ["
                + tools.stream().map(tool -> "{name: " + tool + "}").collect(Collectors.joining(", ")) + "]}]}";
    }

    static String allBut(Set<String> denied) {
        return allow(ALL.stream().filter(tool -> !denied.contains(tool)).toList());
    }
}
