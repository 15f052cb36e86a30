package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks rules one by one and collects them. */
final class RulesCompiler {

    /** Where {@link #namePorts} says that a rule for names has no ports. */
    static final int ANY_PORT = 0;

    private final HostIndex.Builder hosts = new HostIndex.Builder();
    private final HostIndex.@Nullable Builder loose;
    private HostIndex.@Nullable Builder byTarget;
    private int firstByPath = RuleSet.NO_MATCH;
    private boolean exact;
    private final MethodNames.Builder methods = new MethodNames.Builder();
    private final BitSet namePorts = new BitSet();

    /** @param loose whether paths also match in their loosest reading, and what is below them */
    RulesCompiler(boolean loose) {
        this.loose = loose ? new HostIndex.Builder() : null;
    }

    /** The parts of a rule that are compared by more than their text; one of host and range is set. */
    private record Parts(@Nullable HostGlob host, @Nullable IpRange range, List<PathPattern> paths, int[] methods) {}

    /**
     * Adds the rule at this position, unless a problem is reported.
     *
     * @param list where the list of rules stands
     */
    void add(int position, Rule rule, Problems problems, String list) {
        Parts parts = parts(rule, new Report(problems, list, position));
        if (parts == null) {
            return;
        }
        HostGlob host = parts.host;
        if (host != null && host.kind() != HostGlob.Kind.LITERAL) {
            if (rule.ports().isEmpty()) {
                namePorts.set(ANY_PORT);
            }
            rule.ports().forEach(namePorts::set);
        }
        boolean byPath = isByPath(parts.paths);
        place(hosts, parts).add(position, rule, parts.paths, parts.methods);
        if (firstByPath == RuleSet.NO_MATCH && byPath) {
            firstByPath = position;
        }
        if ((parts.methods.length > 0 || byPath) && !rule.keepOverrides()) {
            byTarget = byTarget == null ? new HostIndex.Builder() : byTarget;
            place(byTarget, parts).add(position);
        }
        exact |= rule.exact();
        if (loose != null && !rule.exact()) {
            List<PathPattern> loosened =
                    parts.paths.stream().map(PathPattern::loosened).toList();
            place(loose, parts).add(position, rule, loosened, parts.methods);
        }
    }

    /** Reports what is wrong with a rule, and adds nothing. */
    void check(int position, Rule rule, Problems problems, String list) {
        parts(rule, new Report(problems, list, position));
    }

    /** Null when a problem was reported. */
    private @Nullable Parts parts(Rule rule, Report report) {
        HostGlob host = rule.host() == null ? null : host(rule.host(), report);
        IpRange range = rule.cidr() == null ? null : range(rule.cidr(), report);
        if (rule.host() != null && rule.cidr() != null) {
            report.add("", "a rule with both host and cidr", "one of host, cidr");
        } else if (rule.host() == null && rule.cidr() == null) {
            report.add("", "a rule without host and cidr", "one of host, cidr");
        }
        List<PathPattern> paths = paths(rule.paths(), report);
        int[] numbers = methods(rule.methods(), report);
        checkPorts(rule.ports(), report);
        checkProtocols(rule.upgrade(), report);
        return report.dirty ? null : new Parts(host, range, paths, numbers);
    }

    private static boolean isByPath(List<PathPattern> paths) {
        return !paths.isEmpty() && paths.stream().noneMatch(PathPattern::isEverything);
    }

    private static HostRules.Builder place(HostIndex.Builder index, Parts parts) {
        return parts.host != null ? index.at(parts.host) : index.at(Objects.requireNonNull(parts.range, "range"));
    }

    CompiledRules build(int size) {
        LooseRules others = loose == null ? null : new LooseRules(loose.build(), !exact);
        HostIndex targeted = byTarget == null ? null : byTarget.build();
        return new CompiledRules(hosts.build(), others, targeted, firstByPath, methods.build(), size, namePorts);
    }

    private static @Nullable HostGlob host(String text, Problems report) {
        try {
            return HostGlob.parse(text);
        } catch (InvalidPatternException e) {
            e.addTo(report, "/host");
            return null;
        }
    }

    private static @Nullable IpRange range(String text, Problems report) {
        try {
            return IpRange.parse(text);
        } catch (InvalidPatternException e) {
            e.addTo(report, "/cidr");
            return null;
        }
    }

    private static List<PathPattern> paths(List<String> texts, Problems report) {
        if (texts.isEmpty()) {
            return List.of();
        }
        List<PathPattern> paths = new ArrayList<>(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            try {
                paths.add(PathPattern.parse(texts.get(i)));
            } catch (InvalidPatternException e) {
                e.addTo(report, "/paths/" + i);
            }
        }
        return paths;
    }

    /** The numbers of the methods; none for all. */
    private int[] methods(List<String> names, Problems report) {
        if (names.isEmpty()) {
            return Ints.NONE;
        }
        boolean all = false;
        List<Integer> numbers = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            all |= name.equals("*");
            if (FieldSyntax.isToken(name)) {
                numbers.add(methods.number(name));
            } else {
                report.add("/methods/" + i, "not an HTTP method", "a token such as GET, or *");
            }
        }
        return all ? Ints.NONE : Ints.array(numbers);
    }

    private static void checkPorts(List<Integer> ports, Problems report) {
        for (int i = 0; i < ports.size(); i++) {
            if (ports.get(i) < 1 || ports.get(i) > 65535) {
                report.add("/ports/" + i, "a port out of range", "1 to 65535");
            }
        }
    }

    /** RFC 9110, 7.8: a name, and a version where there is one. */
    private static void checkProtocols(List<String> protocols, Problems report) {
        for (int i = 0; i < protocols.size(); i++) {
            String protocol = protocols.get(i);
            int slash = protocol.indexOf('/');
            boolean named = FieldSyntax.isToken(slash < 0 ? protocol : protocol.substring(0, slash))
                    && (slash < 0 || FieldSyntax.isToken(protocol.substring(slash + 1)));
            if (!named) {
                report.add("/upgrade/" + i, "not a protocol of an Upgrade field", "a name such as tcp, or spdy/3.1");
            }
        }
    }

    /** Forwards problems of one rule and remembers that there were some. */
    private static final class Report implements Problems {

        private final Problems problems;
        private final String list;
        private final int position;
        private boolean dirty;

        Report(Problems problems, String list, int position) {
            this.problems = problems;
            this.list = list;
            this.position = position;
        }

        /** @param pointer below the rule */
        @Override
        public void add(String pointer, String message, String expected) {
            dirty = true;
            problems.add(list + "/" + position + pointer, message, expected);
        }
    }
}
