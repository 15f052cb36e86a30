package dev.sallyport.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code mcp}. */
public record McpConfig(
        @JsonPropertyDescription("What a denied request is answered with.")
        ErrorAnswer error,

        @JsonPropertyDescription(
                "The longest message of a client, in bytes without content coding; without it, `proxy.max_request_body_bytes`. What is longer is refused.")
        @Nullable Long maxMessageBytes,

        @JsonProperty(defaultValue = "4194304")
        @JsonPropertyDescription(
                "The longest event or JSON answer that is taken apart, in bytes without content coding. A longer one passes if it cannot hold a list, else the response is broken off.")
        long maxEventBytes,

        @JsonPropertyDescription("The servers; the first one whose rules match decides. Everything else passes.")
        List<Server> servers) {

    public McpConfig {
        servers = List.copyOf(servers);
    }

    /** A JSON-RPC error. */
    public record ErrorAnswer(
            @JsonProperty(defaultValue = "-32001") @JsonPropertyDescription("Its code.")
            int code,

            @JsonProperty(defaultValue = "blocked by the service policy") @JsonPropertyDescription("Its message.")
            String message) {}

    /** What may be done with one server. */
    public record Server(
            @JsonProperty(required = true)
            @JsonPropertyDescription("Its name in audit records and metrics; no two servers have the same.")
            String name,

            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "Where it is; at least one rule. Best a host alone: without `paths` nothing passes beside them. No methods.")
            List<Rule> rules,

            @JsonPropertyDescription("The tools that may be seen and called. All others are denied.")
            List<Tool> tools,

            @JsonPropertyDescription(
                    "Remember the definition of each listed tool at first sight, for each workload; a tool whose definition changes is denied.")
            boolean pin,

            @JsonPropertyDescription(
                    "The resources that may be seen and read; `[]` for none. Without it, all of them pass.")
            @Nullable List<Resource> resources,

            @JsonPropertyDescription(
                    "The prompts that may be seen and got; `[]` for none. Without it, all of them pass.")
            @Nullable List<Prompt> prompts,

            @JsonProperty(defaultValue = "true")
            @JsonPropertyDescription("Whether the server may ask the client's model (`sampling/createMessage`).")
            boolean sampling) {

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

            @JsonPropertyDescription("What its arguments have to be; all of these.")
            List<When> when,

            @JsonPropertyDescription(
                    "`sha256:` and the digest of its definition, as the audit record of a list shows it; a tool that is defined otherwise is denied.")
            @Nullable String digest) {

        public Tool {
            when = List.copyOf(when);
        }
    }

    /** A prompt that may be got. */
    public record Prompt(
            @JsonProperty(required = true) @JsonPropertyDescription("Its name, exactly as in `prompts/list`.")
            String name,

            @JsonPropertyDescription("What its arguments have to be; all of these.")
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
                    "Where the argument is in `params.arguments`: names, and positions in arrays, separated by dots.")
            String path,

            @JsonPropertyDescription("The value that it has to have; may be `null`, a list or a mapping.") @Nullable Object equals,

            @JsonPropertyDescription("The values of which it has to have one.") @Nullable List<Object> in,

            @JsonPropertyDescription(
                    "A regular expression (RE2) that is found somewhere in it, or in its compact JSON if it is no string; use `^` and `$` for the whole.")
            @Nullable String matches) {

        public When {
            in = in == null ? null : List.copyOf(in);
        }
    }
}
