package dev.sallyport.server.management;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * The first segment of every path, which only those know who were told the address: a browser sends no key. The request
 * has to name this host too, since another site's name could be made to resolve to it.
 */
final class PathToken {

    private static final int BYTES = 16;

    private final String token;

    private PathToken(String token) {
        this.token = token;
    }

    static PathToken random() {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return new PathToken(HexFormat.of().formatHex(random));
    }

    /** The path of everything that is behind it, without a slash at the end. */
    String path() {
        return "/" + token;
    }

    /**
     * Whether a request knows it; its target loses it then. Compared in a time that does not depend on it.
     *
     * @param authority what {@code Host} has to say
     */
    boolean strip(HttpRequest head, String authority) {
        List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
        String uri = head.uri();
        int length = path().length();
        if (!hosts.equals(List.of(authority)) || uri.length() < length || !isPath(uri.substring(0, length))) {
            return false;
        }
        String rest = uri.substring(length);
        if (!rest.isEmpty() && "/?".indexOf(rest.charAt(0)) < 0) {
            return false;
        }
        head.setUri(rest.startsWith("/") ? rest : "/" + rest);
        return true;
    }

    private boolean isPath(String given) {
        return MessageDigest.isEqual(path().getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "PathToken[***]";
    }
}
