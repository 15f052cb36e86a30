package dev.sallyport.testsupport;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGenerator;

/**
 * Shows the name of a test method as a sentence: {@code anHttp2OriginIsReused} becomes "An HTTP/2 origin is reused". An
 * underscore within a name in camel case is a colon; in a name without capitals it is a space. Classes keep their names.
 * The root {@code pom.xml} sets this generator for every module.
 */
public final class SentenceNames extends DisplayNameGenerator.Standard {

    private static final Pattern WORD = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|:");

    /** A word and the number after it, as in {@code is431}. */
    private static final Pattern NUMBER = Pattern.compile("^([a-z]{2,})([0-9]+)$");

    private static final Map<String, String> SPELLING = Map.ofEntries(
            Map.entry("http1", "HTTP/1.1"),
            Map.entry("http10", "HTTP/1.0"),
            Map.entry("http11", "HTTP/1.1"),
            Map.entry("http2", "HTTP/2"),
            Map.entry("grpc", "gRPC"),
            Map.entry("ipv4", "IPv4"),
            Map.entry("ipv6", "IPv6"),
            Map.entry("sigv4", "SigV4"),
            Map.entry("socks5", "SOCKS5"),
            Map.entry("oauth", "OAuth"),
            Map.entry("cidrs", "CIDRs"),
            Map.entry("urls", "URLs"),
            Map.entry("base64", "Base64"),
            Map.entry("java", "Java"));

    private static final List<String> ACRONYMS = List.of(
            "http", "https", "tls", "tcp", "udp", "dns", "sni", "alpn", "spi", "jdk", "json", "xml", "yaml", "html",
            "utf8", "url", "uri", "id", "ip", "cidr", "ca", "jwt", "rsa", "mcp", "sse", "hmac", "sdk", "aws", "cpu",
            "jvm", "nul", "hpack", "rfc", "pem", "mtls", "crlf", "ttl", "api", "sts", "fips", "ascii", "crc32c");

    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        return sentence(method.getName());
    }

    /** The sentence that the name of a method stands for. */
    static String sentence(String name) {
        boolean camelCase = !name.equals(name.toLowerCase(Locale.ROOT));
        Matcher words = WORD.matcher(camelCase ? name.replace('_', ':') : name);
        String text = words.results()
                .map(word -> spelled(word.group()))
                .collect(Collectors.joining(" "))
                .replace(" :", ":");
        return text.isEmpty() || SPELLING.containsValue(text.split(" ", 2)[0])
                ? text
                : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static String spelled(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        if (ACRONYMS.contains(lower)) {
            return lower.toUpperCase(Locale.ROOT);
        }
        return SPELLING.getOrDefault(lower, NUMBER.matcher(lower).replaceFirst("$1 $2"));
    }
}
