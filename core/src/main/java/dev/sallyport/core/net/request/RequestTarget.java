package dev.sallyport.core.net.request;

import dev.sallyport.toolkit.match.PathProblem;
import dev.sallyport.toolkit.match.Paths;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request in its forms (RFC 9112, 3.2), except that of CONNECT, which is an authority alone.
 *
 * @param scheme {@code http} or {@code https} of an absolute form, or null
 * @param authority the authority of an absolute form, or null
 * @param path the raw path; {@code *} for the asterisk form
 * @param query the raw query without question mark; null where there is no question mark
 */
public record RequestTarget(
        @Nullable String scheme,
        @Nullable String authority,
        String path,
        @Nullable String query) {

    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";

    /**
     * Parses a target. Octets over 0x7F are percent-encoded (docs/spec/decisions.md, section 20).
     *
     * @param text characters are octets, and have been checked: no control character, no blank
     */
    public static RequestTarget parse(String method, String text) throws RefusedException {
        String target = Paths.encodeOctets(text);
        if (target.indexOf('#') >= 0) {
            throw RefusedException.badRequest("the request target has a fragment");
        }
        if (target.startsWith("/")) {
            return split(null, null, target, 0);
        }
        if (target.equals("*")) {
            if (!method.equals("OPTIONS")) {
                throw RefusedException.badRequest("the asterisk form of a target is for OPTIONS only");
            }
            return new RequestTarget(null, null, "*", null);
        }
        if (target.regionMatches(true, 0, HTTP, 0, HTTP.length())) {
            return absolute(method, "http", target, HTTP.length());
        }
        if (target.regionMatches(true, 0, HTTPS, 0, HTTPS.length())) {
            return absolute(method, "https", target, HTTPS.length());
        }
        throw RefusedException.badRequest("the request target is neither a path nor an http or https URI");
    }

    private static RequestTarget absolute(String method, String scheme, String target, int from)
            throws RefusedException {
        int end = from;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        String authority = target.substring(from, end);
        if (end == target.length()) {
            return new RequestTarget(scheme, authority, method.equals("OPTIONS") ? "*" : "/", null);
        }
        if (target.charAt(end) == '?') {
            return new RequestTarget(scheme, authority, "/", target.substring(end + 1));
        }
        return split(scheme, authority, target, end);
    }

    private static RequestTarget split(@Nullable String scheme, @Nullable String authority, String target, int from)
            throws RefusedException {
        int question = target.indexOf('?', from);
        String path = question < 0 ? target.substring(from) : target.substring(from, question);
        PathProblem problem = Paths.check(path);
        if (problem.refused()) {
            throw RefusedException.badRequest(problem.reason());
        }
        return new RequestTarget(scheme, authority, path, question < 0 ? null : target.substring(question + 1));
    }
}
