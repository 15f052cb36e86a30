package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Rule;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a rule reaches, whatever the method: read once, to be compared with many others. Paths are compared in their
 * loosest reading, as {@link RuleRelations#covered} does. Immutable.
 */
public final class RuleReach {

    private static final String ANY = "*";
    private static final String RANGE = "range";
    private static final String PATTERN = "pattern";
    private static final String OPEN = "*.";

    private final Rule rule;
    private final RuleHost host;
    private final List<PathPattern> paths;
    private final int length;
    private final int wild;

    private RuleReach(Rule rule, RuleHost host, List<PathPattern> paths) {
        this.rule = rule;
        this.host = host;
        this.paths = paths;
        int characters = text(host).length();
        int compared = isPattern(host) ? characters : 0;
        for (PathPattern path : paths) {
            for (String segment : path.segments()) {
                characters += segment.length();
                compared += Glob.hasWildcard(segment) ? segment.length() : 0;
            }
        }
        this.length = characters;
        this.wild = compared;
    }

    /** @throws InvalidPatternException when the rule is malformed */
    public static RuleReach of(Rule rule) {
        List<PathPattern> paths = rule.paths().stream()
                .map(PathPattern::parse)
                .map(rule.exact() ? PathPattern::respelled : PathPattern::loosened)
                .toList();
        return new RuleReach(
                rule, RuleHost.of(rule), paths.stream().anyMatch(PathPattern::isEverything) ? List.of() : paths);
    }

    /** Whether this reaches whatever the other does; false in doubt. */
    public boolean covers(RuleReach other) {
        return (rule.scheme() == null || rule.scheme() == other.rule.scheme())
                && host.covers(other.host)
                && (rule.ports().isEmpty()
                        || (!other.rule.ports().isEmpty() && rule.ports().containsAll(other.rule.ports())))
                && (paths.isEmpty()
                        || (!other.paths.isEmpty()
                                && other.paths.stream()
                                        .allMatch(path -> paths.stream().anyMatch(wide -> wide.covers(path)))));
    }

    /** How many steps {@link #covers} takes at most, roughly. */
    public long steps(RuleReach other) {
        return 1 + (long) paths.size() * other.paths.size() + (long) wild * other.length;
    }

    /** By what rules of these hosts are found. */
    public String key() {
        if (host.isAny()) {
            return ANY;
        }
        if (host.addresses() != null) {
            return RANGE;
        }
        return isPattern(host) ? PATTERN : text(host);
    }

    /** The {@linkplain #key keys} of all rules that may cover this one. */
    public Set<String> widerKeys() {
        Set<String> keys = new LinkedHashSet<>();
        keys.add(ANY);
        if (host.addresses() != null) {
            keys.add(RANGE);
        }
        if (host.names() == null) {
            return keys;
        }
        keys.add(PATTERN);
        String name = text(host);
        keys.add(name);
        String rest = name.startsWith(OPEN) ? name.substring(OPEN.length()) : name;
        for (int dot = 0; dot >= 0; dot = rest.indexOf('.')) {
            rest = dot == 0 ? rest : rest.substring(dot + 1);
            keys.add(OPEN + rest);
        }
        return keys;
    }

    private static String text(RuleHost host) {
        return host.names() == null ? "" : host.names().text();
    }

    /** Whether a label holds a wildcard. */
    private static boolean isPattern(RuleHost host) {
        return host.names() != null && host.names().labels().stream().anyMatch(Glob::hasWildcard);
    }

    /** The rule. */
    @Override
    public String toString() {
        return rule.toString();
    }
}
