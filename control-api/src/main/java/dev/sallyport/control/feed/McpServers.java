package dev.sallyport.control.feed;

import dev.sallyport.control.policy.McpPolicyDraft;
import dev.sallyport.control.policy.Policy;
import dev.sallyport.control.policy.RuleDraft;
import dev.sallyport.control.policy.ToolDraft;
import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.RuleReach;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Unites MCP policies that match the same traffic. {@code mcp} takes the first server whose rules match, so each rule is
 * put together with all policies that have it or a wider one, and the narrowest rules come first. Where rules cross, and
 * neither is the wider, only the policies of one decide: a tool is then denied rather than allowed by mistake.
 */
final class McpServers {

    /** A policy without rules: every destination. */
    private static final RuleDraft ANYWHERE = new RuleDraft("*", null, List.of(), List.of(), List.of(), null);

    /** Rules of an organization, each with its paths and ports. */
    static final int MOST = 5_000;

    private static final long STEPS = 1_000_000_000;
    private static final long TOOLS = 1_000_000;

    private final List<Policy<McpPolicyDraft>> policies;
    private final List<Covered> rules;

    private McpServers(List<Policy<McpPolicyDraft>> policies, List<Covered> rules) {
        this.policies = policies;
        this.rules = rules;
    }

    /** A rule of a policy; the reach is null for a malformed one, which proxies report. */
    private record Reaching(
            int policy, RuleDraft rule, @Nullable RuleReach reach) {}

    /** A rule of a policy, and the policies that have it or a wider one, by their places in the list. */
    private record Covered(int policy, RuleDraft rule, BitSet by) {}

    /**
     * A server of the configuration.
     *
     * @param everywhere whether no policy in it names destinations: then JSON that is no message passes
     */
    record Server(List<Policy<McpPolicyDraft>> policies, List<RuleDraft> rules, boolean everywhere) {

        /** The names of the policies. */
        String name() {
            return policies.stream().map(policy -> policy.draft().name()).collect(Collectors.joining("+"));
        }

        /** The policy that says what holds for a tool. */
        String owner(ToolDraft tool) {
            return policies.stream()
                    .filter(policy -> policy.draft().tools().contains(tool))
                    .findFirst()
                    .map(Policy::id)
                    .orElse("");
        }

        /** Each as the first policy has it that lists it. */
        List<ToolDraft> tools() {
            Map<String, ToolDraft> tools = new LinkedHashMap<>();
            policies.forEach(policy -> policy.draft().tools().forEach(tool -> tools.putIfAbsent(tool.name(), tool)));
            return List.copyOf(tools.values());
        }
    }

    /**
     * Compares the rules of all policies of an organization, whatever their tags.
     *
     * @param policies by priority
     * @throws UncompilableException when there are too many
     */
    static McpServers of(List<Policy<McpPolicyDraft>> policies) throws UncompilableException {
        List<Reaching> all = reaching(policies);
        Map<RuleDraft, BitSet> equal = new HashMap<>();
        Map<String, List<Reaching>> byHost = new HashMap<>();
        for (Reaching rule : all) {
            equal.computeIfAbsent(rule.rule(), any -> new BitSet()).set(rule.policy());
            if (rule.reach() != null) {
                byHost.computeIfAbsent(rule.reach().key(), any -> new ArrayList<>())
                        .add(rule);
            }
        }
        List<Covered> covered = new ArrayList<>(all.size());
        long steps = 0;
        for (Reaching rule : all) {
            BitSet by = (BitSet) equal.getOrDefault(rule.rule(), new BitSet()).clone();
            steps += cover(by, rule, byHost);
            if (steps > STEPS) {
                throw new UncompilableException(
                        "comparing the rules of MCP policies takes too long (expected: fewer, or fewer wildcards)");
            }
            covered.add(new Covered(rule.policy(), rule.rule(), by));
        }
        return new McpServers(policies, covered);
    }

    private static List<Reaching> reaching(List<Policy<McpPolicyDraft>> policies) throws UncompilableException {
        List<Reaching> all = new ArrayList<>();
        long size = 0;
        for (int i = 0; i < policies.size(); i++) {
            for (RuleDraft rule : rules(policies.get(i))) {
                size += Math.max(1, rule.paths().size() + rule.ports().size());
                if (size > MOST) {
                    throw new UncompilableException(
                            "MCP policies have too many rules, paths and ports (expected: at most " + MOST
                                    + " in all)");
                }
                all.add(new Reaching(i, rule, reach(rule)));
            }
        }
        return all;
    }

    private static @Nullable RuleReach reach(RuleDraft rule) {
        try {
            return RuleReach.of(rule.rule());
        } catch (InvalidPatternException e) {
            return null;
        }
    }

    /** Adds the policies that have a wider rule; returns how many steps that took at most. */
    private static long cover(BitSet by, Reaching rule, Map<String, List<Reaching>> byHost) {
        RuleReach narrow = rule.reach();
        if (narrow == null) {
            return 0;
        }
        long steps = 0;
        for (String key : narrow.widerKeys()) {
            for (Reaching wide : byHost.getOrDefault(key, List.of())) {
                RuleReach reach = wide.reach();
                if (reach != null && !by.get(wide.policy())) {
                    steps += reach.steps(narrow);
                    if (steps > STEPS) {
                        return steps;
                    }
                    if (reach.covers(narrow)) {
                        by.set(wide.policy());
                    }
                }
            }
        }
        return steps;
    }

    /**
     * The servers of proxies in a scope.
     *
     * @throws UncompilableException when the policies that meet list too many tools
     */
    List<Server> of(Scope scope) throws UncompilableException {
        BitSet present = new BitSet();
        for (int i = 0; i < policies.size(); i++) {
            present.set(i, scope.carries(policies.get(i).draft().matchTags()));
        }
        Map<BitSet, Set<RuleDraft>> rulesOf = new LinkedHashMap<>();
        for (Covered rule : rules) {
            if (present.get(rule.policy())) {
                BitSet there = (BitSet) rule.by().clone();
                there.and(present);
                rulesOf.computeIfAbsent(there, any -> new LinkedHashSet<>()).add(rule.rule());
            }
        }
        List<Server> servers = new ArrayList<>();
        long tools = 0;
        for (Map.Entry<BitSet, Set<RuleDraft>> entry : rulesOf.entrySet()) {
            List<Policy<McpPolicyDraft>> there =
                    entry.getKey().stream().mapToObj(policies::get).toList();
            for (Policy<McpPolicyDraft> policy : there) {
                tools += policy.draft().tools().size();
            }
            if (tools > TOOLS) {
                throw new UncompilableException("MCP policies that match the same traffic list too many tools"
                        + " (expected: at most " + TOOLS + " in the servers that they make)");
            }
            servers.add(new Server(
                    there,
                    List.copyOf(entry.getValue()),
                    there.stream().allMatch(policy -> policy.draft().rules().isEmpty())));
        }
        // A narrower rule has the policies of a wider one, and more.
        servers.sort(
                Comparator.comparingInt((Server server) -> server.policies().size())
                        .reversed());
        return servers;
    }

    /** Whatever the method: messages come with POST, and the others belong to the same conversation. */
    private static List<RuleDraft> rules(Policy<McpPolicyDraft> policy) {
        List<RuleDraft> rules = policy.draft().rules();
        return rules.isEmpty()
                ? List.of(ANYWHERE)
                : rules.stream()
                        .map(rule -> new RuleDraft(
                                rule.host(), rule.cidr(), rule.paths(), List.of(), rule.ports(), rule.scheme()))
                        .toList();
    }
}
