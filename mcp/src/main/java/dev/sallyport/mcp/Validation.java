package dev.sallyport.mcp;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sallyport.spi.Problems;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private static final java.util.regex.Pattern DIGEST = java.util.regex.Pattern.compile("sha256:[0-9a-f]{64}");

    /** The codes that JSON-RPC reserves, apart from those for implementations. */
    private static final int FIRST_RESERVED = -32768;

    private static final int LAST_RESERVED = -32100;

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(McpConfig config) {
        int code = config.error().code();
        if (code >= FIRST_RESERVED && code <= LAST_RESERVED) {
            problems.add(
                    "/error/code",
                    code + " has a meaning of its own in JSON-RPC",
                    "-32099 to -32000, or a code outside the reserved range");
        }
        if (config.maxMessageBytes() != null && config.maxMessageBytes() < 1) {
            problems.add("/max_message_bytes", "no message could pass", "at least 1");
        }
        if (config.maxEventBytes() < 1 || config.maxEventBytes() > McpInterceptor.MAX_BUFFER) {
            problems.add("/max_event_bytes", "out of range", "1 to " + McpInterceptor.MAX_BUFFER);
        }
        if (config.limits().matched() < 1) {
            problems.add("/limits/matched_bytes", "not a size", "a size in bytes such as 65536, 64KiB or 1MiB");
        }
        if (config.limits().batchItems() < 1) {
            problems.add("/limits/batch_items", "no batch could pass", "at least 1");
        }
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < config.servers().size(); i++) {
            McpConfig.Server server = config.servers().get(i);
            unique(server.name(), "server", "/servers", i, names);
            check(server, "/servers/" + i);
        }
    }

    private void check(McpConfig.Server server, String at) {
        if (server.rules().isEmpty()) {
            problems.add(at + "/rules", "no rules, so nothing would be judged", "at least one rule");
        }
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < server.tools().size(); i++) {
            McpConfig.Tool tool = server.tools().get(i);
            unique(tool.name(), "tool", at + "/tools", i, names);
            check(tool.when(), at + "/tools/" + i + "/when");
            if (tool.digest() != null && !DIGEST.matcher(tool.digest()).matches()) {
                problems.add(
                        at + "/tools/" + i + "/digest",
                        "not a digest",
                        "sha256: and 64 hexadecimal digits, lower case");
            }
        }
        prompts(server.prompts(), at + "/prompts");
        resources(server.resources(), at + "/resources");
    }

    private void prompts(@Nullable List<McpConfig.Prompt> prompts, String at) {
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; prompts != null && i < prompts.size(); i++) {
            unique(prompts.get(i).name(), "prompt", at, i, names);
            check(prompts.get(i).when(), at + "/" + i + "/when");
        }
    }

    private void resources(@Nullable List<McpConfig.Resource> resources, String at) {
        for (int i = 0; resources != null && i < resources.size(); i++) {
            String uri = resources.get(i).uri();
            if (uri.isEmpty()) {
                problems.add(at + "/" + i + "/uri", "empty", "a URI such as file:///project/**");
            } else if (uri.contains("***")) {
                problems.add(at + "/" + i + "/uri", "more than two asterisks in a row", "* or **");
            }
        }
    }

    private void unique(String name, String what, String at, int index, Map<String, Integer> seen) {
        if (name.isEmpty()) {
            problems.add(at + "/" + index + "/name", "empty", "the name of a " + what);
            return;
        }
        Integer before = seen.putIfAbsent(name, index);
        if (before != null) {
            problems.add(
                    at + "/" + index + "/name",
                    "the name of /mcp" + at + "/" + before + " too",
                    "a name of its own for each " + what);
        }
    }

    private void check(List<McpConfig.When> conditions, String at) {
        for (int i = 0; i < conditions.size(); i++) {
            check(conditions.get(i), at + "/" + i);
        }
    }

    private void check(McpConfig.When condition, String at) {
        if (condition.path().isEmpty()
                || List.of(condition.path().split("\\.", -1)).contains("")) {
            problems.add(at + "/path", "an empty name in the path", "names separated by single dots, such as a.b.0");
        }
        int operators = (condition.equals() == null ? 0 : 1)
                + (condition.in() == null ? 0 : 1)
                + (condition.matches() == null ? 0 : 1);
        if (operators != 1) {
            problems.add(
                    at,
                    operators == 0 ? "no operator" : operators + " operators",
                    "exactly one of equals, in and matches");
        }
        if (condition.in() != null && condition.in().isEmpty()) {
            problems.add(at + "/in", "no values, so no call could pass", "at least one value");
        }
        if (condition.matches() != null) {
            pattern(condition.matches(), at + "/matches");
        }
    }

    private void pattern(String expression, String at) {
        try {
            Pattern.compile(expression);
        } catch (PatternSyntaxException e) {
            problems.add(at, "not a regular expression: " + e.getDescription(), "the syntax of RE2");
        }
    }
}
