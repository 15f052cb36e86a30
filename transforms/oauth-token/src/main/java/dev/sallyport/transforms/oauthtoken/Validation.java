package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(OauthTokenConfig config) {
        if (config.tokens().isEmpty()) {
            problems.add("/tokens", "no token", "at least one token");
        }
        for (int i = 0; i < config.tokens().size(); i++) {
            check(config.tokens().get(i), "/tokens/" + i);
        }
    }

    private void check(OauthTokenConfig.Entry entry, String pointer) {
        if (Endpoint.parse(entry.tokenEndpoint()) == null) {
            problems.add(
                    pointer + "/token_endpoint",
                    "not the URL of a token endpoint",
                    "an https or http URL without user information and fragment");
        }
        if (entry.rules().isEmpty()) {
            problems.add(pointer + "/rules", "no rule", "at least one rule");
        }
        credentials(entry, pointer);
        audience(entry, pointer);
        scopes(entry, pointer);
        header(entry.header(), pointer + "/header");
        if (entry.valuePrefix().chars().anyMatch(c -> c < ' ' || c > '~')) {
            problems.add(pointer + "/value_prefix", "cannot stand in a header", "printable ASCII");
        }
        headers(entry, pointer + "/token_endpoint_headers");
        if (!entry.require()) {
            problems.add(
                    pointer + "/require",
                    "no request goes on without the token that it needs",
                    "true, or no such field");
        }
    }

    private void credentials(OauthTokenConfig.Entry entry, String pointer) {
        Grant grant = entry.grant();
        Set<String> given = entry.credentials().keySet();
        for (String name : grant.required()) {
            if (!given.contains(name)) {
                problems.add(
                        pointer + "/" + name, "missing: the grant " + grant.label() + " needs it", "a secret source");
            }
        }
        for (String name : given) {
            if (!grant.uses(name)) {
                problems.add(
                        pointer + "/" + name,
                        "the grant " + grant.label() + " has no use for it",
                        "only " + String.join(", ", grant.required()));
            }
        }
        if (entry.clientAuth() == ClientAuth.BASIC && !given.contains("client_secret")) {
            problems.add(pointer + "/client_auth", "basic without a client_secret", "a client_secret, or body");
        }
    }

    private void audience(OauthTokenConfig.Entry entry, String pointer) {
        String audience = entry.audience();
        if (audience == null ? entry.grant() == Grant.JWT_BEARER : audience.isEmpty()) {
            problems.add(
                    pointer + "/audience",
                    audience == null ? "missing: the grant jwt_bearer requires it" : "empty",
                    "the audience of the token, such as the issuer's URL");
        }
    }

    /** RFC 6749, 3.3. */
    private void scopes(OauthTokenConfig.Entry entry, String pointer) {
        for (int i = 0; i < entry.scopes().size(); i++) {
            String scope = entry.scopes().get(i);
            if (scope.isEmpty() || scope.chars().anyMatch(c -> c <= ' ' || c > '~' || c == '"' || c == '\\')) {
                problems.add(
                        pointer + "/scopes/" + i,
                        "not a scope",
                        "printable ASCII without spaces, quotes and backslashes");
            }
        }
    }

    private boolean header(String name, String pointer) {
        if (!FieldSyntax.isToken(name)) {
            problems.add(pointer, "not a header name", "a header name such as Authorization");
            return false;
        }
        if (ReservedFields.isReserved(name)) {
            problems.add(pointer, "a header that belongs to the engine", "any other header");
            return false;
        }
        return true;
    }

    private void headers(OauthTokenConfig.Entry entry, String pointer) {
        Set<String> names = new HashSet<>();
        for (String name : entry.tokenEndpointHeaders().keySet()) {
            String place = pointer + "/" + name.replace("~", "~0").replace("/", "~1");
            if (!header(name, place)) {
                continue;
            }
            if (!names.add(name.toLowerCase(Locale.ROOT))) {
                problems.add(place, "the header is given twice", "each header once");
            } else if (HeaderNames.equal(name, "Content-Type")
                    || (HeaderNames.equal(name, "Authorization") && entry.clientAuth() == ClientAuth.BASIC)) {
                problems.add(place, "a header that the request for a token sets itself", "any other header");
            }
        }
    }
}
