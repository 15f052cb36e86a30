package dev.sallyport.server.run;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.HostGlobs;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code --allow HOST[:PORT]}: a host, a glob, an address or a CIDR range. Pure functions. */
final class AllowedHost {

    private static final Pattern WITH_PORT = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:]+):(\\d{1,5})");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+(/\\d+)?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(/\\d+)?");
    private static final int MAX_PORT = 65535;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private AllowedHost() {}

    /**
     * What {@code --allow} has to say for a host: its name, with the port unless that is a usual one.
     *
     * @param host an address of IPv6 without brackets
     * @param port 0 when it is not known
     */
    static String option(String host, int port) {
        if (port == 0 || port == HTTP || port == HTTPS) {
            return host;
        }
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    static Rule rule(String text) throws UsageException {
        Matcher split = WITH_PORT.matcher(text.strip());
        boolean ported = split.matches();
        String host = ported ? split.group(1) : text.strip();
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        Rule.Builder rule = Rule.builder();
        List<String> wrong = new ArrayList<>();
        Problems problems = (pointer, message, expected) -> wrong.add(message);
        if (ADDRESS.matcher(bare).matches()) {
            CidrSet.parse(List.of(bare), problems, "");
            rule.cidr(bare);
        } else {
            HostGlobs.compile(List.of(bare), problems, "");
            rule.host(bare);
        }
        int port = ported ? Integer.parseInt(split.group(2)) : 0;
        if (!wrong.isEmpty() || port > MAX_PORT || (ported && port == 0)) {
            throw new UsageException(
                    "--allow " + text + ": " + (wrong.isEmpty() ? "no such port" : wrong.getFirst()),
                    "a host such as api.example.com, *.example.com, host:8443 or 192.0.2.0/24");
        }
        return (ported ? rule.ports(List.of(port)) : rule).build();
    }
}
