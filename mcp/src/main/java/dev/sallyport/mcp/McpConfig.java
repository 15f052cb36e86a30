package dev.sallyport.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code mcp}. */
public record McpConfig(
        @JsonPropertyDescription("The answer to a denied request.")
        ErrorAnswer error,

        @JsonPropertyDescription(
                "The longest message of a client, in bytes without content coding; by default `proxy.max_request_body_bytes`. A longer one is refused.")
        @Nullable Long maxMessageBytes,

        @JsonProperty(defaultValue = "4194304")
        @JsonPropertyDescription(
                "The longest event or JSON answer that is parsed, in bytes without content coding. A longer one passes if it cannot contain a list; otherwise the response is aborted.")
        long maxEventBytes,

        @JsonPropertyDescription("How much of one message is looked at; what has more is denied.")
        Limits limits,

        @JsonPropertyDescription(
                "The servers; the first one whose rules match decides. Requests to other servers pass.")
        List<Server> servers) {

    public McpConfig {
        servers = List.copyOf(servers);
    }

    /** Bounds of what the judgement of one message may cost. */
    public record Limits(
            @JsonProperty(defaultValue = "64KiB")
            @JsonPropertyDescription(
                    "The longest argument that a regular expression is compared with, or URI with a pattern, in bytes, such as 65536, 64KiB or 1MiB.")
            String matchedBytes,

            @JsonProperty(defaultValue = "1000") @JsonPropertyDescription("The most messages in a batch.")
            int batchItems) {

        private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(|B|KiB|MiB)");

        /** The size in bytes; negative when it is none. */
        long matched() {
            Matcher size = SIZE.matcher(matchedBytes);
            if (!size.matches()) {
                return -1;
            }
            int shift = size.group(2).equals("KiB") ? 10 : size.group(2).equals("MiB") ? 20 : 0;
            return Long.parseLong(size.group(1)) << shift;
        }
    }

    /** A JSON-RPC error. */
    public record ErrorAnswer(
            @JsonProperty(defaultValue = "-32001") @JsonPropertyDescription("Its code.")
            int code,

            @JsonProperty(defaultValue = "blocked by the service policy") @JsonPropertyDescription("Its message.")
            String message) {}

    /** The policy for one server. */
    public record Server(
            @JsonProperty(required = true)
            @JsonPropertyDescription("The server's name in audit records and metrics; unique among servers.")
            String name,

            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "The server's destination; at least one rule, without methods. Prefer a host alone: with `paths`, requests to other paths of the host are not judged.")
            List<Rule> rules,

            @JsonPropertyDescription("The tools that clients may see and call. All others are denied.")
            List<Tool> tools,

            @JsonPropertyDescription(
                    "Remember the definition of each listed tool when it is first seen, for each workload; a tool whose definition changes is denied.")
            boolean pin,

            @JsonPropertyDescription("The resources that clients may see and read; `[]` for none. By default all pass.")
            @Nullable List<Resource> resources,

            @JsonPropertyDescription("The prompts that clients may see and get; `[]` for none. By default all pass.")
            @Nullable List<Prompt> prompts,

            @JsonProperty(defaultValue = "true")
            @JsonPropertyDescription("Allow the server to ask the client's model (`sampling/createMessage`).")
            boolean sampling,

            @JsonPropertyDescription(
                    "Let JSON pass that has no member `jsonrpc`, for rules that reach more than MCP servers. Otherwise it is refused.")
            boolean passOtherJson) {

        public Server {
            rules = List.copyOf(rules);
            tools = List.copyOf(tools);
            resources = resources == null ? null : List.copyOf(resources);
            prompts = prompts == null ? null : List.copyOf(prompts);
        }
    }

    /** A tool that may be called. */
    public record Tool(
            @JsonProperty(required = true) @JsonPropertyDescription("Its name, exactly as in `tools/list`.")
            String name,

            @JsonPropertyDescription("Conditions on its arguments; all must hold.")
            List<When> when,

            @JsonPropertyDescription(
                    "`sha256:` and the digest of its definition, as the audit record of a list shows it; a tool with another definition is denied.")
            @Nullable String digest) {

        public Tool {
            when = List.copyOf(when);
        }
    }

    /** A prompt that may be fetched. */
    public record Prompt(
            @JsonProperty(required = true) @JsonPropertyDescription("Its name, exactly as in `prompts/list`.")
            String name,

            @JsonPropertyDescription("Conditions on its arguments; all must hold.")
            List<When> when) {

        public Prompt {
            when = List.copyOf(when);
        }
    }

    /** Resources that may be read. */
    public record Resource(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "A URI, or a template as the server lists it; `*` stands for characters other than `/`, `**` for any.")
            String uri) {}

    /** A condition on one argument. */
    public record When(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "The path of the argument in `params.arguments`: names and array positions, separated by dots.")
            String path,

            @JsonPropertyDescription("The value that it must have; may be `null`, a list or a mapping.") @Nullable Object equals,

            @JsonPropertyDescription("The values that it may have.") @Nullable List<Object> in,

            @JsonPropertyDescription(
                    "A regular expression (RE2) that must match a part of it, or of its compact JSON if it is not a string; use `^` and `$` to match the whole.")
            @Nullable String matches) {

        public When {
            in = in == null ? null : List.copyOf(in);
        }
    }
}
