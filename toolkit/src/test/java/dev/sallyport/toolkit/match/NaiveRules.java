package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the rules mean, written down as plainly as possible and sharing no code with what is tested: one rule after the
 * other, regular expressions for globs, big integers for ranges. Expects canonical, well-formed patterns.
 */
final class NaiveRules {

    private static final Map<String, Pattern> PATTERNS = new HashMap<>();

    private final List<Rule> rules;

    NaiveRules(List<Rule> rules) {
        this.rules = rules;
    }

    int match(Destination destination, String method, String path) {
        for (int i = 0; i < rules.size(); i++) {
            if (matches(rules.get(i), destination, method, path)) {
                return i;
            }
        }
        return RuleSet.NO_MATCH;
    }

    boolean reaches(Destination destination) {
        return rules.stream()
                .anyMatch(rule -> host(rule, destination) && port(rule, destination) && scheme(rule, destination));
    }

    boolean reachesThrough(Destination target) {
        boolean name = target.literal()
                && rules.stream().anyMatch(rule -> rule.host() != null && !address(rule.host()) && port(rule, target));
        return name || rules.stream().anyMatch(rule -> host(rule, target) && port(rule, target));
    }

    boolean ambiguous(Destination destination, String method, String decoded, String literal) {
        return rules.stream()
                .anyMatch(rule ->
                        matches(rule, destination, method, decoded) != matches(rule, destination, method, literal)
                                && !everythingBelow(rule, destination, method, decoded, literal));
    }

    /** Whether the decoded path is inside a rule for all that is below what stands before the first encoded slash. */
    private static boolean everythingBelow(
            Rule rule, Destination destination, String method, String decoded, String literal) {
        String prefix = literal.substring(0, Math.max(0, literal.indexOf('\u0001')));
        return matches(rule, destination, method, decoded)
                && matches(rule, destination, method, prefix)
                && matches(rule, destination, method, prefix + "/\u0001/\u0001");
    }

    private static boolean matches(Rule rule, Destination destination, String method, String path) {
        return host(rule, destination)
                && port(rule, destination)
                && scheme(rule, destination)
                && method(rule, method)
                && path(rule, method, path);
    }

    private static boolean scheme(Rule rule, Destination destination) {
        return rule.scheme() == null || rule.scheme() == (destination.secure() ? Rule.Scheme.HTTPS : Rule.Scheme.HTTP);
    }

    private static boolean port(Rule rule, Destination destination) {
        return rule.ports().isEmpty() || rule.ports().contains(destination.port());
    }

    private static boolean method(Rule rule, String method) {
        return rule.methods().isEmpty()
                || rule.methods().contains("*")
                || rule.methods().stream()
                        .anyMatch(m -> m.toUpperCase(Locale.ROOT).equals(method.toUpperCase(Locale.ROOT)));
    }

    private static boolean path(Rule rule, String method, String path) {
        return rule.paths().isEmpty()
                || (!method.isEmpty() && rule.paths().stream().anyMatch(p -> path(p, path)));
    }

    private static boolean path(String pattern, String path) {
        if (pattern.equals("/*")) {
            return true;
        }
        boolean prefix = pattern.endsWith("/*");
        String fixed = prefix ? pattern.substring(0, pattern.length() - 2) : pattern;
        String regex = Arrays.stream(fixed.split("\\*", -1))
                .map(Pattern::quote)
                .reduce((a, b) -> a + "[^/]*" + b)
                .get();
        return Pattern.compile(regex + (prefix ? "(/.*)?" : ""), Pattern.DOTALL)
                .matcher(path)
                .matches();
    }

    static boolean host(Rule rule, Destination destination) {
        if (rule.cidr() != null) {
            return destination.literal() && range(rule.cidr(), destination.address());
        }
        String glob = rule.host();
        if (glob.equals("*") || glob.equals(destination.host())) {
            return true;
        }
        if (destination.literal() || address(glob)) {
            return false;
        }
        boolean open = glob.startsWith("*.");
        StringBuilder regex = new StringBuilder(open ? "(.+\\.)?" : "");
        for (char c : (open ? glob.substring(2) : glob).toCharArray()) {
            regex.append(c == '*' ? "[^.]*" : c == '?' ? "[^.]" : Pattern.quote(String.valueOf(c)));
        }
        return matches(regex.toString(), destination.host());
    }

    private static boolean matches(String regex, String text) {
        return PATTERNS.computeIfAbsent(regex, key -> Pattern.compile(key, Pattern.DOTALL))
                .matcher(text)
                .matches();
    }

    private static boolean address(String host) {
        return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
    }

    private static boolean range(String cidr, InetAddress address) {
        List<String> parts = List.of(cidr.split("/", -1));
        byte[] network = Literal.of(parts.get(0)).getAddress();
        byte[] bytes = address.getAddress();
        int length = parts.size() == 1 ? network.length * 8 : Integer.parseInt(parts.get(1));
        int shift = network.length * 8 - length;
        return network.length == bytes.length
                && new BigInteger(1, network).shiftRight(shift).equals(new BigInteger(1, bytes).shiftRight(shift));
    }
}
