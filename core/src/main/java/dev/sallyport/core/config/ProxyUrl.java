package dev.sallyport.core.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The URL of a parent proxy: {@code scheme://[user[:password]@]host[:port]}, without a scheme one of {@code http}. User
 * and password are percent-encoded in it. A value; its text form has neither.
 */
public final class ProxyUrl {

    /** How a parent is spoken to. */
    public enum Scheme {
        /** HTTP. */
        HTTP(80),
        /** HTTP over TLS. */
        HTTPS(443),
        /** SOCKS 5; names are resolved here. */
        SOCKS5(1080),
        /** SOCKS 5; the parent resolves names. */
        SOCKS5H(1080);

        private final int port;

        Scheme(int port) {
            this.port = port;
        }

        /** Whether it is SOCKS. */
        public boolean isSocks() {
            return this == SOCKS5 || this == SOCKS5H;
        }
    }

    private static final String EXPECTED = ScalarKind.PROXY_URL.expected();

    private final Scheme scheme;
    private final String host;
    private final int port;
    private final @Nullable String user;
    private final @Nullable String password;

    private ProxyUrl(Scheme scheme, String host, int port, @Nullable String user, @Nullable String password) {
        this.scheme = scheme;
        this.host = host;
        this.port = port;
        this.user = user;
        this.password = password;
    }

    /** Parses a URL. Messages never repeat it. */
    static ProxyUrl parse(String text) {
        int colon = text.indexOf("://");
        Scheme scheme = colon < 0 ? Scheme.HTTP : scheme(text.substring(0, colon));
        String rest = colon < 0 ? text : text.substring(colon + 3);
        if (rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        int at = rest.lastIndexOf('@');
        String login = at < 0 ? "" : rest.substring(0, at);
        String place = rest.substring(at + 1);
        if (place.isEmpty() || place.chars().anyMatch(c -> c == '/' || c == '?' || c == '#' || c <= ' ')) {
            throw new BadValueException("not the URL of a proxy", EXPECTED);
        }
        int port = Ports.colon(place);
        String host = Ports.host(port < 0 ? place : place.substring(0, port), EXPECTED);
        int separator = login.indexOf(':');
        return new ProxyUrl(
                scheme,
                host,
                port < 0 ? scheme.port : Ports.port(place.substring(port + 1), 1),
                at < 0 ? null : decoded(separator < 0 ? login : login.substring(0, separator)),
                separator < 0 ? null : decoded(login.substring(separator + 1)));
    }

    private static Scheme scheme(String name) {
        try {
            return Scheme.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new BadValueException("not a scheme of a proxy", EXPECTED);
        }
    }

    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadValueException(
                    "a user or password with a wrong percent-encoding",
                    "two hexadecimal digits after each percent sign");
        }
    }

    /** How it is spoken to. */
    public Scheme scheme() {
        return scheme;
    }

    /** Its canonical name or address text. */
    public String host() {
        return host;
    }

    /** Its port. */
    public int port() {
        return port;
    }

    /** The user, decoded; null when there is none. */
    public @Nullable String user() {
        return user;
    }

    /** The password, decoded; null when there is none. */
    public @Nullable String password() {
        return password;
    }

    /** Whether it is the same parent, whoever asks it. */
    public boolean isSamePlace(ProxyUrl other) {
        return scheme == other.scheme && host.equals(other.host) && port == other.port;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProxyUrl that
                && isSamePlace(that)
                && Objects.equals(user, that.user)
                && Objects.equals(password, that.password);
    }

    @Override
    public int hashCode() {
        return Objects.hash(scheme, host, port, user);
    }

    /** Without user and password. */
    @Override
    public String toString() {
        String place = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return scheme.name().toLowerCase(Locale.ROOT) + "://" + place + ":" + port;
    }
}
