package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Public hosts that show to whoever asks what he has sent: there a value in any header comes back, in any form. */
final class EchoHosts {

    /** The README names them too. */
    private static final List<String> KNOWN =
            List.of("httpbin.org", "httpbingo.org", "httpbun.com", "postman-echo.com");

    /** How further ones begin, where a rule names them. */
    private static final String PREFIX = "echo.";

    private EchoHosts() {}

    /** One that rules reach, which reach everything when there are none; null for none. */
    static @Nullable String in(List<Rule> rules) {
        if (rules.isEmpty()) {
            return KNOWN.getFirst();
        }
        for (Rule rule : rules) {
            String host = rule.host();
            if (host == null) {
                continue; // addresses are not known by name
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
