package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.Names;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The compiled policy for one server. Thread-safe. */
final class ServerPolicy {

    /** A tool or prompt that is allowed by name, under conditions. */
    private record Allowed(
            List<ArgumentMatcher> conditions, @Nullable String digest) {

        boolean comparesExpressions() {
            return conditions.stream().anyMatch(ArgumentMatcher::hasExpression);
        }

        /** Why a call with these arguments is denied; null when it is not. */
        @Nullable String reason(@Nullable Json arguments) {
            for (ArgumentMatcher condition : conditions) {
                switch (condition.test(arguments)) {
                    case HOLDS -> {}
                    case FAILS -> {
                        return DenialReasons.ARGUMENTS;
                    }
                    case TOO_LONG -> {
                        return DenialReasons.LIMIT;
                    }
                }
            }
            return null;
        }
    }

    private static final Names CALL = Names.of("name", "arguments", "_meta", "task", "inputResponses", "requestState");
    private static final Names READ = Names.of("uri", "_meta", "inputResponses", "requestState");
    private static final Names COMPLETE = Names.of("ref", "argument", "context", "_meta");
    private static final Names REFERENCE = Names.of("type", "name", "uri", "title");

    private final String name;
    private final Map<String, Allowed> tools = new HashMap<>();
    private final @Nullable Map<String, Allowed> prompts;
    private final @Nullable List<UriPattern> resources;
    private final boolean sampling;
    private final boolean passesOtherJson;
    private final boolean pin;
    private final boolean pinsSome;
    private final boolean comparesExpressions;
    private final long most;
    private final PinnedTools pins;
    private final Set<ListKind> lists = EnumSet.of(ListKind.TOOLS);

    /** @param most the most bytes of one argument, or of a URI, that are compared with an expression */
    ServerPolicy(McpConfig.Server server, PinnedTools pins, long most) {
        this.name = server.name();
        this.sampling = server.sampling();
        this.passesOtherJson = server.passOtherJson();
        this.pin = server.pin();
        this.pins = pins;
        this.most = most;
        boolean digests = false;
        for (McpConfig.Tool tool : server.tools()) {
            tools.put(tool.name(), new Allowed(ArgumentMatcher.of(tool.when(), most), tool.digest()));
            digests |= tool.digest() != null;
        }
        this.pinsSome = pin || digests;
        this.prompts = server.prompts() == null ? null : compiled(server.prompts(), most);
        this.resources = server.resources() == null
                ? null
                : server.resources().stream()
                        .map(resource -> UriPattern.of(resource.uri(), most))
                        .toList();
        this.comparesExpressions = tools.values().stream().anyMatch(Allowed::comparesExpressions)
                || (prompts != null && prompts.values().stream().anyMatch(Allowed::comparesExpressions))
                || (resources != null && resources.stream().anyMatch(UriPattern::hasExpression));
        if (prompts != null) {
            lists.add(ListKind.PROMPTS);
        }
        if (resources != null) {
            lists.add(ListKind.RESOURCES);
            lists.add(ListKind.TEMPLATES);
        }
    }

    private static Map<String, Allowed> compiled(List<McpConfig.Prompt> prompts, long most) {
        Map<String, Allowed> compiled = new HashMap<>();
        for (McpConfig.Prompt prompt : prompts) {
            compiled.put(prompt.name(), new Allowed(ArgumentMatcher.of(prompt.when(), most), null));
        }
        return compiled;
    }

    String name() {
        return name;
    }

    /** Whether JSON that is no message passes. */
    boolean passesOtherJson() {
        return passesOtherJson;
    }

    /** Whether some judgement compares with an expression. */
    boolean comparesExpressions() {
        return comparesExpressions;
    }

    /** The lists that are filtered. */
    Set<ListKind> lists() {
        return lists;
    }

    /** Whether the server may ask the client's model. */
    boolean sampling() {
        return sampling;
    }

    /** Judges a message of a client. */
    Verdict judge(Message message, Origin origin) throws BadMessageException {
        return switch (message.method()) {
            case Methods.TOOLS_CALL -> call(params(message, CALL), origin);
            case Methods.PROMPTS_GET -> prompts == null ? Verdict.NONE : prompt(params(message, CALL), prompts);
            case Methods.RESOURCES_READ, Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE ->
                resources == null ? Verdict.NONE : resource(params(message, READ), resources);
            case Methods.COMPLETE -> prompts == null && resources == null ? Verdict.NONE : completion(message);
            default -> Verdict.NONE;
        };
    }

    private Verdict call(Json.Obj params, Origin origin) throws BadMessageException {
        String tool = text(params, "name");
        Json arguments = arguments(params);
        Allowed allowed = tools.get(tool);
        if (allowed == null) {
            return new Verdict("tool", tool, false, DenialReasons.TOOL);
        }
        if (pinsSome && pins.changed(origin, tool)) {
            return new Verdict("tool", tool, true, DenialReasons.CHANGED);
        }
        return new Verdict("tool", tool, true, allowed.reason(arguments));
    }

    private static Verdict prompt(Json.Obj params, Map<String, Allowed> prompts) throws BadMessageException {
        String prompt = text(params, "name");
        Json arguments = arguments(params);
        Allowed allowed = prompts.get(prompt);
        if (allowed == null) {
            return new Verdict("prompt", prompt, false, DenialReasons.PROMPT);
        }
        return new Verdict("prompt", prompt, true, allowed.reason(arguments));
    }

    private Verdict resource(Json.Obj params, List<UriPattern> resources) throws BadMessageException {
        String uri = text(params, "uri");
        boolean listed = listed(uri, resources);
        return new Verdict("resource", uri, listed, listed ? null : unlisted(uri));
    }

    /** A completion is for a prompt or for a template of resources. */
    private Verdict completion(Message message) throws BadMessageException {
        if (!(params(message, COMPLETE).get("ref") instanceof Json.Obj reference) || REFERENCE.resembledIn(reference)) {
            throw BadMessageException.invalid("The params of a completion have no plain ref.");
        }
        return switch (text(reference, "type")) {
            case "ref/prompt" -> {
                String prompt = text(reference, "name");
                boolean listed = prompts == null || prompts.containsKey(prompt);
                yield new Verdict("prompt", prompt, listed, listed ? null : DenialReasons.PROMPT);
            }
            case "ref/resource" -> {
                String uri = text(reference, "uri");
                boolean listed = resources == null || listed(uri, resources);
                yield new Verdict("resource", uri, listed, listed ? null : unlisted(uri));
            }
            default -> throw BadMessageException.invalid("The ref of a completion has an unknown type.");
        };
    }

    private String unlisted(String uri) {
        return ArgumentMatcher.isLonger(uri, most) ? DenialReasons.LIMIT : DenialReasons.RESOURCE;
    }

    private static boolean listed(String uri, List<UriPattern> resources) {
        for (UriPattern pattern : resources) {
            if (pattern.matches(uri)) {
                return true;
            }
        }
        return false;
    }

    private static Json.Obj params(Message message, Names known) throws BadMessageException {
        if (!(message.params() instanceof Json.Obj params)) {
            throw BadMessageException.invalid("The params of a judged method are not an object.");
        }
        if (known.resembledIn(params)) {
            throw BadMessageException.invalid("A member of the params is spelled almost like one that is judged.");
        }
        return params;
    }

    private static String text(Json.Obj object, String member) throws BadMessageException {
        if (!(object.get(member) instanceof Json.Text text)) {
            throw BadMessageException.invalid("The member " + member + " is not a string.");
        }
        return text.value();
    }

    private static @Nullable Json arguments(Json.Obj params) throws BadMessageException {
        Json arguments = params.get("arguments");
        if (arguments != null && !(arguments instanceof Json.Obj) && !(arguments instanceof Json.Null)) {
            throw BadMessageException.invalid("The arguments are not an object.");
        }
        return arguments;
    }

    /** Whether an item stays in a list; records what matters for the audit. */
    boolean keeps(ListKind kind, Json item, Origin origin, AuditTrail trail) {
        if (!(item instanceof Json.Obj object)
                || kind.doubtful(object)
                || !(object.get(kind.key) instanceof Json.Text key)) {
            return false;
        }
        return switch (kind) {
            case TOOLS -> keepsTool(object, key.value(), origin, trail);
            case PROMPTS -> prompts == null || prompts.containsKey(key.value());
            case RESOURCES, TEMPLATES -> resources == null || listed(key.value(), resources);
        };
    }

    private boolean keepsTool(Json.Obj definition, String tool, Origin origin, AuditTrail trail) {
        Allowed allowed = tools.get(tool);
        if (allowed == null) {
            return false;
        }
        if (!pin && allowed.digest() == null) {
            return true;
        }
        String digest = Definition.digest(definition);
        switch (pins.see(origin, tool, digest, allowed.digest())) {
            case FIRST -> trail.pinned(tool, digest, allowed.digest() == null);
            case SAME -> {}
            case CHANGED -> {
                trail.changed(tool, digest);
                return false;
            }
        }
        return true;
    }
}
