package dev.sallyport.toolkit.match;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules compiled into tries over hosts, address prefixes and paths. Immutable and thread-safe. A look-up allocates
 * nothing; its cost depends on host and path and on the rules that match them, not on the number of other rules.
 */
public final class CompiledRules implements RuleSet {

    private static final String UNSPELLED = "/" + Paths.ENCODED_SLASH;

    private static final CompiledRules EMPTY = new RulesCompiler(false).build(0);

    private final HostIndex hosts;
    private final @Nullable LooseRules loose;
    /** The hosts of rules that name methods or paths, and do not keep overrides; null for none. */
    private final @Nullable HostIndex byTarget;

    /** The first rule that names paths, other than all of them; {@link RuleSet#NO_MATCH} for none. */
    private final int firstByPath;

    private final MethodNames methods;
    private final int size;
    /** The ports of rules for names, because a tunnel to an address may turn out to lead to a name. */
    private final BitSet namePorts;

    CompiledRules(
            HostIndex hosts,
            @Nullable LooseRules loose,
            @Nullable HostIndex byTarget,
            int firstByPath,
            MethodNames methods,
            int size,
            BitSet namePorts) {
        this.hosts = hosts;
        this.loose = loose;
        this.byTarget = byTarget;
        this.firstByPath = firstByPath;
        this.methods = methods;
        this.size = size;
        this.namePorts = namePorts;
    }

    /** Rules that match nothing. */
    public static CompiledRules empty() {
        return EMPTY;
    }

    /**
     * Reports all problems of rules.
     *
     * @param pointer the list's place, such as {@code /rules}; problems are reported below it, as
     *     {@code /rules/0/paths/1}
     */
    public static void check(List<Rule> rules, Problems problems, String pointer) {
        RulesCompiler compiler = new RulesCompiler(false);
        for (int i = 0; i < rules.size(); i++) {
            compiler.check(i, rules.get(i), problems, pointer);
        }
    }

    /**
     * Compiles rules.
     *
     * @throws ConfigException with the first problem, its pointer below {@code /rules}
     */
    public static CompiledRules of(List<Rule> rules) throws ConfigException {
        return sound(new RulesCompiler(false), rules);
    }

    /**
     * Compiles the rules of a transform that restricts: another spelling of a path must not evade them, so a path also
     * matches in each of its {@linkplain LoosePath readings}, such as with case folded, {@code ;} parameters cut off, and
     * repeated and trailing slashes collapsed; and a pattern without a wildcard matches everything below it as well. A
     * rule that is {@linkplain Rule#exact() exact} matches as it stands. Only look-ups of a path that has other readings
     * allocate. Host, port and method are compared as always; the first rule that matches in any reading counts.
     *
     * @throws ConfigException with the first problem, its pointer below {@code /rules}
     */
    public static CompiledRules loose(List<Rule> rules) throws ConfigException {
        return sound(new RulesCompiler(true), rules);
    }

    private static CompiledRules sound(RulesCompiler compiler, List<Rule> rules) throws ConfigException {
        FirstProblem first = new FirstProblem();
        for (int i = 0; i < rules.size(); i++) {
            compiler.add(i, rules.get(i), first, "/rules");
            if (first.problem != null) {
                throw first.problem;
            }
        }
        return compiler.build(rules.size());
    }

    @Override
    public int match(Destination destination, String method, String decodedPath) {
        int number = methods.find(method);
        LooseRules readings = method.isEmpty() ? null : loose;
        int rule;
        if (readings != null && readings.decide(decodedPath)) {
            rule = readings.plain(destination, number, decodedPath, RulePositions.NONE, null);
        } else {
            rule = hosts.first(
                    destination.host(),
                    destination.literal(),
                    method.isEmpty() ? RequestKnowledge.HOST_ONLY : RequestKnowledge.FULL,
                    HostRules.origin(destination),
                    number,
                    decodedPath,
                    null);
            if (readings != null) {
                rule = readings.first(destination, number, decodedPath, rule, null);
            }
        }
        return rule == RulePositions.NONE ? NO_MATCH : rule;
    }

    @Override
    public boolean reaches(Destination destination) {
        return some(destination, RequestKnowledge.ANY);
    }

    /**
     * {@inheritDoc}
     *
     * <p>For an address, a rule for names counts when it has no ports or has this one; a rule for another address does
     * not, because no name that comes later can be that address.
     */
    @Override
    public boolean reachesThrough(Destination tunnelTarget) {
        return (tunnelTarget.literal() && (namePorts.get(0) || namePorts.get(tunnelTarget.port())))
                || some(tunnelTarget, RequestKnowledge.ANY_SCHEME);
    }

    /**
     * Whether the method or path of a request to this host may decide which rules match it, so that fields that ask the
     * origin for another one must not get there; see {@link Rule#keepOverrides()}.
     */
    public boolean decideByTarget(Destination destination) {
        return byTarget != null && some(byTarget, destination, RequestKnowledge.ANY_SCHEME);
    }

    private boolean some(Destination destination, RequestKnowledge kind) {
        return some(hosts, destination, kind);
    }

    private static boolean some(HostIndex index, Destination destination, RequestKnowledge kind) {
        return index.first(
                        destination.host(),
                        destination.literal(),
                        kind,
                        HostRules.origin(destination),
                        MethodNames.UNKNOWN,
                        "",
                        null)
                != RulePositions.NONE;
    }

    /**
     * Whether it makes a difference how the path is read. Such a request is refused with 400. Also true of any path with a
     * {@link PathProblem}. Costs next to nothing for a path that is {@linkplain Paths#isPlainlyRead plainly read}.
     *
     * @param rawPath the path to be forwarded, without the query
     * @see #ambiguousRule
     */
    public boolean ambiguous(Destination destination, String method, String rawPath) {
        if (Paths.isPlainlyRead(rawPath) || method.isEmpty()) {
            return false;
        }
        return Paths.check(rawPath) != PathProblem.NONE
                || ambiguousRule(destination, method, rawPath) != RuleSet.NO_MATCH;
    }

    /**
     * The first rule that matches the path in one reading and not in another; {@link RuleSet#NO_MATCH} when there is none. A
     * rule for everything below what stands before the first encoded slash is not ambiguous: {@code /@scope%2fname} is inside
     * {@code /@scope/*} in either reading. Of a path with too many readings, or that is too long to look at them, it is the
     * first rule that names paths.
     *
     * @param rawPath a path without a problem for which it is {@linkplain PathProblem#refused() refused}, without the query
     */
    public int ambiguousRule(Destination destination, String method, String rawPath) {
        if (firstByPath == RuleSet.NO_MATCH || method.isEmpty() || Paths.isPlainlyRead(rawPath)) {
            return RuleSet.NO_MATCH;
        }
        boolean clean = Paths.check(rawPath) == PathProblem.NONE;
        if (clean && !Paths.hasEncodedSlash(rawPath)) {
            return RuleSet.NO_MATCH;
        }
        Collection<String> readings = clean ? List.of(Paths.decodeLiterally(rawPath)) : PathReadings.of(rawPath);
        if (readings == null) {
            return firstByPath;
        }
        BitSet decoded = matching(destination, method, Paths.decode(rawPath));
        BitSet differing = new BitSet();
        for (String reading : readings) {
            BitSet there = matching(destination, method, reading);
            there.xor(decoded);
            differing.or(there);
        }
        if (clean && !differing.isEmpty()) {
            // A rule for everything below matches the prefix itself, and segments that no pattern spells.
            String literal = Paths.decodeLiterally(rawPath);
            String prefix = literal.substring(0, literal.indexOf(Paths.ENCODED_SLASH));
            BitSet inside = matching(destination, method, prefix);
            inside.and(matching(destination, method, prefix + UNSPELLED + UNSPELLED));
            inside.and(decoded);
            differing.andNot(inside);
        }
        return differing.isEmpty() ? RuleSet.NO_MATCH : differing.nextSetBit(0);
    }

    private BitSet matching(Destination destination, String method, String path) {
        BitSet all = new BitSet();
        int number = methods.find(method);
        hosts.first(
                destination.host(),
                destination.literal(),
                RequestKnowledge.FULL,
                HostRules.origin(destination),
                number,
                path,
                all);
        if (loose != null) {
            loose.first(destination, number, path, RulePositions.NONE, all);
        }
        return all;
    }

    /** The number of rules. */
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }
}
