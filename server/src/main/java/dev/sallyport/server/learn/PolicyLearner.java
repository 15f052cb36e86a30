package dev.sallyport.server.learn;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes a policy of collected traffic, and tests it with the matcher that the proxy uses. Not thread-safe. */
final class PolicyLearner {

    private final TrafficCollector traffic;
    private final CredentialHosts credentials;
    private final List<Rule> kept;

    /** @param kept rules that stand already and stay */
    PolicyLearner(TrafficCollector traffic, CredentialHosts credentials, List<Rule> kept) {
        this.traffic = traffic;
        this.credentials = credentials;
        this.kept = List.copyOf(kept);
    }

    /** The policy; requests that it cannot cover are counted in {@link TrafficCollector#leftOut()}. */
    LearnedPolicy learn() {
        CompiledRules before = compiled(kept);
        SortedMap<String, List<ObservedRequest>> byHost = new TreeMap<>();
        SortedSet<String> literal = new TreeSet<>();
        traffic.requests().keySet().forEach(request -> {
            String host = request.destination().host();
            if (traffic.credentialed().contains(host) || credentials.contains(request.destination())) {
                literal.add(host);
            }
            if (!allows(before, request)) {
                byHost.computeIfAbsent(host, name -> new ArrayList<>()).add(request);
            }
        });
        List<LearnedRule> rules = new ArrayList<>();
        byHost.forEach((host, requests) -> {
            List<ObservedRequest> writable = literal.contains(host) ? literally(requests) : requests;
            if (!writable.isEmpty()) {
                rules.addAll(HostLearner.learn(writable, literal.contains(host)));
            }
        });
        literal.retainAll(byHost.keySet());
        return tested(rules, literal);
    }

    /** Those whose paths a pattern can hold as they are. */
    private List<ObservedRequest> literally(List<ObservedRequest> requests) {
        List<ObservedRequest> writable = new ArrayList<>();
        for (ObservedRequest request : requests) {
            if (request.hostOnly() || request.pathless()) {
                leaveOut(
                        request, "to a host that gets a credential, of which only a rule for every path could be made");
            } else if (request.hasEncodedSlash() || !request.segments().stream().allMatch(WritableSegment::isLiteral)) {
                leaveOut(request, "to a host that gets a credential, with a path that no pattern holds literally");
            } else {
                writable.add(request);
            }
        }
        return writable;
    }

    /** Nothing is called covered that the matcher does not let through. */
    private LearnedPolicy tested(List<LearnedRule> rules, SortedSet<String> literal) {
        List<Rule> all = new ArrayList<>(kept);
        rules.forEach(rule -> all.add(rule.rule()));
        CompiledRules after = compiled(all);
        long covered = 0;
        SortedSet<String> hosts = new TreeSet<>();
        for (var entry : List.copyOf(traffic.requests().entrySet())) {
            ObservedRequest request = entry.getKey();
            if (allows(after, request)) {
                covered += entry.getValue();
                hosts.add(request.destination().host());
            } else {
                leaveOut(request, "with an encoded slash that the rules would read in two ways");
            }
        }
        return new LearnedPolicy(rules, covered, hosts.size(), List.copyOf(literal));
    }

    private void leaveOut(ObservedRequest request, String reason) {
        Long count = traffic.requests().remove(request);
        traffic.leftOut().add(reason, PlainText.cut(request.toString(), 100), count == null ? 1 : count);
    }

    static boolean allows(CompiledRules rules, ObservedRequest request) {
        return rules.match(request.destination(), request.method(), request.decoded()) != RuleSet.NO_MATCH
                && !rules.ambiguous(request.destination(), request.method(), request.path());
    }

    static CompiledRules compiled(List<Rule> rules) {
        try {
            return CompiledRules.of(rules);
        } catch (ConfigException e) {
            throw new IllegalStateException("a rule that cannot be compiled: " + e.getMessage(), e);
        }
    }
}
