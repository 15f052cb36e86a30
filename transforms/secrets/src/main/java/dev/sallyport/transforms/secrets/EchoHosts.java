package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Public hosts that echo requests: a value in any header comes back from them, in any form. */
final class EchoHosts {

    /** The README names them too. */
    private static final List<String> KNOWN =
            List.of("httpbin.org", "httpbingo.org", "httpbun.com", "postman-echo.com");

    /** Name prefixes of further echo hosts. */
    private static final String PREFIX = "echo.";

    private EchoHosts() {}

    /** An echo host that the rules reach, or null; empty rules reach everything. */
    static @Nullable String in(List<Rule> rules) {
        if (rules.isEmpty()) {
            return KNOWN.getFirst();
        }
        for (Rule rule : rules) {
            String host = rule.host();
            if (host == null) {
                continue; // Addresses have no name to compare.
            }
            if (host.toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
                return host;
            }
            for (String known : KNOWN) {
                if (RuleRelations.meet(rule, Rule.host(known))) {
                    return known;
                }
            }
        }
        return null;
    }
}
