package dev.sallyport.toolkit.match;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules compiled into tries over hosts, address prefixes and paths. Immutable and thread-safe. A look-up allocates
 * nothing; what it costs depends on host and path and on the rules that match them, not on how many others there are.
 */
public final class CompiledRules implements RuleSet {

    private static final CompiledRules EMPTY = new RulesCompiler(false).build(0);

    private final HostIndex hosts;
    private final @Nullable LooseRules loose;
    private final MethodNames methods;
    private final int size;
    /** Ports of rules for names: what a tunnel to an address may turn out to be. */
    private final BitSet namePorts;

    CompiledRules(HostIndex hosts, @Nullable LooseRules loose, MethodNames methods, int size, BitSet namePorts) {
        this.hosts = hosts;
        this.loose = loose;
        this.methods = methods;
        this.size = size;
        this.namePorts = namePorts;
    }

    /** Rules that match nothing. */
    public static CompiledRules empty() {
        return EMPTY;
    }

    /**
     * Compiles rules and reports everything that is wrong with them.
     *
     * @param pointer where the list stands, such as {@code /rules}; problems are reported below it, as
     *     {@code /rules/0/paths/1}
     * @return the compiled rules; {@linkplain #empty() none at all} when a problem was reported
     */
    public static CompiledRules compile(List<Rule> rules, Problems problems, String pointer) {
        return compile(new RulesCompiler(false), rules, problems, pointer);
    }

    private static CompiledRules compile(RulesCompiler compiler, List<Rule> rules, Problems problems, String pointer) {
        boolean sound = true;
        for (int i = 0; i < rules.size(); i++) {
            sound &= compiler.add(i, rules.get(i), problems, pointer + "/" + i);
        }
        return sound ? compiler.build(rules.size()) : EMPTY;
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
     * Compiles the rules of a transform that restricts: a path that is spelled in another way must not pass them, so it
     * matches also with case folded, {@code ;} parameters cut off, and repeated and trailing slashes collapsed. Only
     * look-ups of a path that has any of these allocate. Host, port and method are compared as always; the first rule
     * that matches in any reading counts.
     *
     * @throws ConfigException with the first problem, its pointer below {@code /rules}
     */
    public static CompiledRules loose(List<Rule> rules) throws ConfigException {
        return sound(new RulesCompiler(true), rules);
    }

    private static CompiledRules sound(RulesCompiler compiler, List<Rule> rules) throws ConfigException {
        FirstProblem first = new FirstProblem();
        CompiledRules compiled = compile(compiler, rules, first, "/rules");
        if (first.problem != null) {
            throw first.problem;
        }
        return compiled;
    }

    @Override
    public int match(Destination destination, String method, String decodedPath) {
        int number = methods.find(method);
        int rule = hosts.first(
                destination.host(),
                destination.literal(),
                method.isEmpty() ? Request.HOST_ONLY : Request.FULL,
                HostRules.origin(destination),
                number,
                decodedPath,
                null);
        if (loose != null && !method.isEmpty() && loose.concern(decodedPath)) {
            rule = loose.first(destination, number, decodedPath, rule, null);
        }
        return rule == Verdict.NONE ? NO_MATCH : rule;
    }

    @Override
    public boolean reaches(Destination destination) {
        return some(destination, Request.ANY);
    }

    /**
     * {@inheritDoc}
     *
     * <p>For an address a rule for names counts when it has no ports or names this one; a rule for another address does
     * not, because no name that is still to come can be that address.
     */
    @Override
    public boolean reachesThrough(Destination tunnelTarget) {
        return (tunnelTarget.literal() && (namePorts.get(0) || namePorts.get(tunnelTarget.port())))
                || some(tunnelTarget, Request.ANY_SCHEME);
    }

    private boolean some(Destination destination, Request kind) {
        return hosts.first(
                        destination.host(),
                        destination.literal(),
                        kind,
                        HostRules.origin(destination),
                        MethodNames.UNKNOWN,
                        "",
                        null)
                != Verdict.NONE;
    }

    /**
     * Whether an encoded slash in the path makes a difference: some rule matches the decoded path but not the path in
     * which the encoded slash is no separator, or the other way round. Such a request is refused with 400, as is one
     * that {@link Paths#check} refuses, for which this is true too. Costs nothing for a path without {@code %2F}.
     *
     * @param rawPath the path as it will be forwarded, without the query
     */
    public boolean ambiguous(Destination destination, String method, String rawPath) {
        if (!Paths.hasEncodedSlash(rawPath) || method.isEmpty()) {
            return false;
        }
        if (Paths.check(rawPath) != PathProblem.NONE) {
            return true;
        }
        BitSet decoded = matching(destination, method, Paths.decode(rawPath));
        return !decoded.equals(matching(destination, method, Paths.decodeLiterally(rawPath)));
    }

    private BitSet matching(Destination destination, String method, String path) {
        BitSet all = new BitSet();
        int number = methods.find(method);
        hosts.first(
                destination.host(),
                destination.literal(),
                Request.FULL,
                HostRules.origin(destination),
                number,
                path,
                all);
        if (loose != null && loose.concern(path)) {
            loose.first(destination, number, path, Verdict.NONE, all);
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
