package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.egress.AllowedRule;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.policy.InjectConfig;
import dev.sallyport.control.policy.NetworkPolicyDraft;
import dev.sallyport.control.policy.Policy;
import dev.sallyport.control.policy.PolicyDraft;
import dev.sallyport.control.policy.PolicySet;
import dev.sallyport.control.policy.ReplaceConfig;
import dev.sallyport.control.policy.RuleDraft;
import dev.sallyport.control.policy.SecretPolicyDraft;
import dev.sallyport.control.policy.SourceDraft;
import dev.sallyport.control.policy.ToolDraft;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretHost;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.secret.StoredSecret;
import dev.sallyport.core.config.DocumentLimits;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes pipelines from policies, egress rules and stored secrets: {@code allowlist}, {@code secrets} of the stored ones,
 * {@code secrets} of policies, {@code mcp}, in this order. Equal policies give equal texts, whatever the values of secrets. Made for the scopes of one organization, which share what is read once; not thread-safe.
 *
 * <p>What cannot be compiled refuses everything, for its organization alone: leaving out one policy could open what it
 * closes.
 */
public final class Compiler {

    /** The longest pipeline that is delivered, in characters: a configuration of 16 Mi has room for it, and a frame. */
    static final int BUDGET = DocumentLimits.CHARACTERS - (1 << 10);

    /** The most values and keys of one; a configuration has room for these and a frame. */
    static final int NODES = DocumentLimits.NODES - 1_000;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String RULES = "rules";
    private static final String PLAINTEXT = "allow_plaintext";
    private static final String SECRETS = ",{\"name\":\"secrets\",\"config\":{\"secrets\":";

    /** No host can have this name (RFC 6761, 6.4). */
    private static final String NOWHERE = "invalid";

    private final Account account;
    private final IdentityHashMap<ToolDraft, String> tools = new IdentityHashMap<>();
    private @Nullable McpServers servers;
    private @Nullable UncompilableException tooMany;

    /** For the scopes of this organization. */
    public Compiler(Account account) {
        this.account = account;
    }

    /** The pipeline of proxies in this scope. */
    public Compiled compile(Scope scope) {
        PolicySet policies = account.policies();
        if (!policies.broken().isEmpty()) {
            return refusing(policies.broken().stream()
                    .map(id -> new Proxy.Problem(id, "", "its stored text cannot be read"))
                    .toList());
        }
        try {
            PipelineText text = new PipelineText(BUDGET, NODES);
            List<Policy<NetworkPolicyDraft>> network =
                    matching(policies.network(), scope, NetworkPolicyDraft::matchTags);
            gate(text, account.egress().mode(), hasRanges(network, account.rules()));
            allow(text, network);
            allowAlso(text, account.rules());
            text.end("}}");
            int next = stored(text, scope.organization()) ? 2 : 1;
            secrets(text, next, matching(policies.secrets(), scope, SecretPolicyDraft::matchTags), scope.sources());
            text.add("]");
            mcp(text, scope);
            text.add("}");
            return text.compiled();
        } catch (UncompilableException e) {
            return refusing(List.of(new Proxy.Problem(null, "", String.valueOf(e.getMessage()))));
        }
    }

    private static <D extends PolicyDraft> List<Policy<D>> matching(
            List<Policy<D>> policies, Scope scope, Function<D, List<String>> tags) {
        return policies.stream()
                .filter(policy -> scope.carries(tags.apply(policy.draft())))
                .toList();
    }

    /** A pipeline that refuses everything, and says why. */
    static Compiled refusing(List<Proxy.Problem> problems) {
        PipelineText text = new PipelineText(BUDGET, NODES);
        try {
            gate(text, EgressMode.ENFORCE, false);
            text.end("}}]}");
        } catch (UncompilableException e) {
            throw new IllegalStateException(e); // it is short
        }
        Compiled nothing = text.compiled();
        return new Compiled(nothing.json(), nothing.hash(), new Origins(), problems, List.of());
    }

    /**
     * Nothing passes that no rule lets through; the rules follow.
     *
     * @param ranges whether there are ranges among them, inside of which other TCP than HTTP and TLS is relayed; in the mode
     *     warn it is everywhere
     */
    private static void gate(PipelineText text, EgressMode mode, boolean ranges) throws UncompilableException {
        boolean warn = mode == EgressMode.WARN;
        text.begin(
                "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{"
                        + (warn ? "\"warn\":true," : "")
                        + (warn || ranges ? "\"other_tcp\":true," : "")
                        + "\"rules\":",
                "/transforms/0/config/rules");
    }

    private static boolean hasRanges(List<Policy<NetworkPolicyDraft>> policies, List<AllowedRule> rules) {
        return rules.stream().anyMatch(AllowedRule::range)
                || policies.stream()
                        .flatMap(policy -> policy.draft().rules().stream())
                        .anyMatch(rule -> rule.cidr() != null);
    }

    private static void allow(PipelineText text, List<Policy<NetworkPolicyDraft>> policies)
            throws UncompilableException {
        for (Policy<NetworkPolicyDraft> policy : policies) {
            text.from(policy.id());
            for (RuleDraft rule : policy.draft().rules()) {
                text.element(rule(rule));
            }
        }
    }

    private static void allowAlso(PipelineText text, List<AllowedRule> rules) throws UncompilableException {
        for (AllowedRule rule : rules) {
            text.from(rule.id());
            text.element(rule.json(), rule.nodes());
        }
    }

    /**
     * The stored secrets, as one instance: so the placeholder of {@code AB} is never half replaced by the value of {@code A},
     * not even when {@code AB} was deleted. Returns whether there are any.
     */
    private boolean stored(PipelineText text, String organization) throws UncompilableException {
        SecretSet secrets = account.secrets();
        if (secrets.secrets().isEmpty() && secrets.deleted().isEmpty()) {
            return false;
        }
        text.begin(SECRETS, "/transforms/1/config/secrets");
        for (StoredSecret stored : secrets.secrets()) {
            Secret secret = stored.secret();
            text.from(secret.id());
            ObjectNode entry = replacement(Credentials.reference(organization, secret), secret.proxyValue());
            if (!secret.hosts().contains("*")) {
                ArrayNode rules = entry.putArray(RULES);
                secret.hosts().forEach(host -> rules.addObject().put("host", SecretHost.rule(host)));
            }
            if (secret.allowPlaintext()) {
                entry.put(PLAINTEXT, true);
            }
            text.element(entry);
        }
        text.from("");
        for (String name : secrets.deleted()) {
            ObjectNode entry = replacement(Credentials.referenceOfDeleted(organization), Secret.placeholder(name));
            entry.putArray(RULES).addObject().put("host", NOWHERE);
            text.element(entry);
        }
        text.end("}}");
        return true;
    }

    /** Replaces a placeholder in all headers. */
    private static ObjectNode replacement(String reference, String placeholder) {
        ObjectNode entry = JSON.objectNode();
        entry.putObject("source")
                .put("type", "control_plane")
                .put("ref", reference)
                .put("optional", true);
        entry.putObject("replace").put("proxy_value", placeholder);
        return entry;
    }

    /** An entry each; of two that inject into one place, {@code secrets} takes the first that matches. */
    private static void secrets(
            PipelineText text, int position, List<Policy<SecretPolicyDraft>> policies, PolicySources sources)
            throws UncompilableException {
        if (policies.isEmpty()) {
            return;
        }
        text.begin(SECRETS, "/transforms/" + position + "/config/secrets");
        for (Policy<SecretPolicyDraft> policy : policies) {
            text.from(policy.id());
            SourceDraft source = policy.draft().source();
            String fault = fault(source, sources);
            if (fault != null) {
                text.unread(policy.id(), "/source", fault);
            }
            text.element(secret(policy.draft(), fault == null ? source(source) : withheld(policy.id())));
        }
        text.end("}}");
    }

    /** Why a source is not read; null when it is. */
    private static @Nullable String fault(SourceDraft source, PolicySources sources) {
        String unreadable = source.unreadable();
        if (unreadable != null) {
            return "no proxy can read a source with this " + unreadable
                    + "; requests that need it are refused (expected: the policy with another one)";
        }
        return sources.contains(source)
                ? null
                : "the proxy of the installation does not read " + PolicySources.name(source)
                        + " for this organization; requests that need it are refused (expected: a stored secret, or the source in control.policy_sources)";
    }

    private static ObjectNode secret(SecretPolicyDraft draft, ObjectNode source) {
        ObjectNode entry = JSON.objectNode();
        entry.set("source", source);
        InjectConfig inject = draft.injectConfig();
        ReplaceConfig replace = draft.replaceConfig();
        if (draft.mode() == SecretPolicyDraft.Mode.INJECT && inject != null) {
            entry.set("inject", Json.tree(inject));
        } else if (replace != null) {
            entry.putObject("replace")
                    .put("proxy_value", replace.proxyValue())
                    .put("match_path", true)
                    .put("scan_headers", false);
        }
        if (Boolean.TRUE.equals(draft.allowPlaintext())) {
            entry.put(PLAINTEXT, true);
        }
        if (!draft.rules().isEmpty()) {
            ArrayNode rules = entry.putArray(RULES);
            draft.rules().forEach(rule -> rules.add(rule(rule)));
        }
        return entry;
    }

    /** Nothing is ever delivered for it, so requests that need it are refused. */
    private static ObjectNode withheld(String policy) {
        return JSON.objectNode()
                .put("type", "control_plane")
                .put("ref", "withheld/" + policy)
                .put("optional", true);
    }

    /** A value that cannot be read is missed by the requests that need it, and by nothing else. */
    private static ObjectNode source(SourceDraft draft) {
        SourceDraft.Type type = draft.type() == null ? SourceDraft.Type.ENV : draft.type();
        ObjectNode source = JSON.objectNode();
        switch (type) {
            case ENV -> source.put("type", "env").put("var", draft.var());
            case CLOUD_SM -> source.put("type", "cloud_sm").put("secret_id", draft.secretId());
            case CLOUD_SSM -> source.put("type", "cloud_ssm").put("name", draft.name());
        }
        if (type != SourceDraft.Type.ENV) { // a process does not see its environment change
            put(source, "region", draft.region());
            put(source, "ttl", draft.ttl());
        }
        if (type == SourceDraft.Type.CLOUD_SSM && draft.withDecryption() != null) {
            source.put("with_decryption", draft.withDecryption());
        }
        put(source, "json_key", draft.jsonKey());
        return source.put("optional", true);
    }

    private void mcp(PipelineText text, Scope scope) throws UncompilableException {
        List<McpServers.Server> present = servers().of(scope);
        if (present.isEmpty()) {
            return;
        }
        text.begin(",\"mcp\":{\"servers\":", "/mcp/servers");
        for (McpServers.Server server : present) {
            text.from(
                    server.policies().size() == 1 ? server.policies().getFirst().id() : "");
            server(text, server, tools(text, server));
        }
        text.end("}");
    }

    /** The tools that the engine can read; what is not listed is denied. */
    private List<String> tools(PipelineText text, McpServers.Server server) {
        List<String> listed = new ArrayList<>();
        for (ToolDraft tool : server.tools()) {
            String json = tools.computeIfAbsent(tool, Compiler::tool);
            if (json.isEmpty()) {
                text.unread(
                        server.owner(tool),
                        "/tools",
                        "the tool " + tool.name()
                                + " has a value that is nested too deeply; its calls are denied (expected: fewer levels)");
            } else {
                listed.add(json);
            }
        }
        return listed;
    }

    /** Compared once, whatever comes of it. */
    private McpServers servers() throws UncompilableException {
        if (tooMany != null) {
            throw tooMany;
        }
        McpServers all = servers;
        if (all == null) {
            try {
                all = McpServers.of(account.policies().mcp());
            } catch (UncompilableException e) {
                tooMany = e;
                throw e;
            }
            servers = all;
        }
        return all;
    }

    private static void server(PipelineText text, McpServers.Server server, List<String> tools)
            throws UncompilableException {
        text.separate();
        text.add("{\"name\":" + Json.text(server.name()) + ",\"rules\":[");
        String between = "";
        for (RuleDraft rule : server.rules()) {
            text.add(between + Json.text(rule(rule)));
            between = ",";
        }
        text.add((server.everywhere() ? "],\"pass_other_json\":true" : "]") + ",\"tools\":[");
        between = "";
        for (String tool : tools) {
            text.add(between);
            text.add(tool);
            between = ",";
        }
        text.add("]}");
    }

    /** Empty when it is nested too deeply. */
    private static String tool(ToolDraft tool) {
        if (tool.tooDeep()) {
            return "";
        }
        ObjectNode allowed = JSON.objectNode().put("name", tool.name());
        if (!tool.matchers().isEmpty()) {
            ArrayNode conditions = allowed.putArray("when");
            tool.matchers().forEach(matcher -> conditions.add(Json.tree(matcher)));
        }
        return Json.text(allowed);
    }

    /** Empty lists are all, as absent ones are. */
    private static ObjectNode rule(RuleDraft draft) {
        ObjectNode rule = JSON.objectNode();
        put(rule, "host", draft.host());
        put(rule, "cidr", draft.cidr());
        if (!draft.methods().isEmpty()) {
            draft.methods().forEach(rule.putArray("methods")::add);
        }
        if (!draft.paths().isEmpty()) {
            draft.paths().forEach(rule.putArray("paths")::add);
        }
        if (!draft.ports().isEmpty()) {
            ArrayNode ports = rule.putArray("ports");
            draft.ports().forEach(ports::add);
        }
        if (draft.scheme() != null) {
            rule.set("scheme", Json.tree(draft.scheme()));
        }
        return rule;
    }

    private static void put(ObjectNode node, String key, @Nullable String value) {
        if (value != null) {
            node.put(key, value);
        }
    }
}
