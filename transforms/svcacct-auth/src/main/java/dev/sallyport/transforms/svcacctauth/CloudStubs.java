package dev.sallyport.transforms.svcacctauth;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.toolkit.token.PlaceholderToken;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the token endpoints and the metadata server of Google's cloud, as far as client libraries use them.
 * Thread-safe.
 */
final class CloudStubs {

    /** The hosts for which it answers. */
    private static final String TOKENS = "oauth2.googleapis.com";

    private static final String OLD_TOKENS = "www.googleapis.com";
    private static final Set<String> METADATA = Set.of("metadata.google.internal", "169.254.169.254");

    /** The rules that reach them. */
    static final List<Rule> RULES = List.of(
            Rule.host(TOKENS).withPaths("/token"),
            Rule.host(OLD_TOKENS).withPaths("/oauth2/v4/token"),
            Rule.host("metadata.google.internal"),
            Rule.cidr("169.254.169.254"));

    /** What reaches the metadata server. */
    static final List<Rule> METADATA_RULES =
            List.of(Rule.host("metadata.google.internal"), Rule.cidr("169.254.169.254"));

    private static final String FLAVOR = "Metadata-Flavor";
    private static final String GOOGLE = "Google";
    private static final String ROOT = "/computeMetadata/v1";
    private static final String ACCOUNTS = ROOT + "/instance/service-accounts";

    /** Used for accounts whose identity is unknown. */
    private static final String STUB_EMAIL = "sallyport-stub@sallyport.invalid";

    private static final String STUB_PROJECT = "sallyport-stub-project";

    /**
     * The scope that Google's metadata server reports for unrestricted tokens; the real tokens have the configured
     * scopes.
     */
    private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";

    private static final StubResponse TOKEN = PlaceholderToken.response().build();
    private static final StubResponse METADATA_TOKEN =
            PlaceholderToken.response().header(FLAVOR, GOOGLE).build();
    private static final StubResponse FORBIDDEN =
            plain(403, "Missing Metadata-Flavor:Google header.\n").build();
    private static final StubResponse NOT_FOUND =
            plain(404, "Not found.\n").header(FLAVOR, GOOGLE).build();

    private final Account account;
    private final boolean accessTokens;
    private final Clock clock;

    private CloudStubs(Account account, boolean accessTokens, Clock clock) {
        this.account = account;
        this.accessTokens = accessTokens;
        this.clock = clock;
    }

    /** Where access tokens are issued, and the metadata server. */
    static CloudStubs ofTokens(Account account, Clock clock) {
        return new CloudStubs(account, true, clock);
    }

    /** The metadata server, without access tokens. */
    static CloudStubs ofIdentity(Account account, Clock clock) {
        return new CloudStubs(account, false, clock);
    }

    /** Whether it answers for a host. */
    boolean answersAt(String host) {
        return METADATA.contains(host) || (accessTokens && (host.equals(TOKENS) || host.equals(OLD_TOKENS)));
    }

    /** The answer to a request, or null when the request is for something else. */
    @Nullable StubResponse answer(RequestContext context) {
        String host = context.destination().host();
        if (!answersAt(host)) {
            return null;
        }
        String path = context.head().decodedPath();
        if (METADATA.contains(host)) {
            return metadata(context, path);
        }
        if (!path.equals(host.equals(TOKENS) ? "/token" : "/oauth2/v4/token")) {
            return null;
        }
        context.trace().annotate("stubbed", "oauth2_token_endpoint");
        return TOKEN;
    }

    private @Nullable StubResponse metadata(RequestContext context, String path) {
        boolean probe = path.equals("/");
        if (!probe && !path.equals(ROOT) && !path.startsWith(ROOT + "/")) {
            return null;
        }
        String flavor = context.head().headers().first(FLAVOR);
        if (!GOOGLE.equals(flavor)) {
            context.trace().annotate("stubbed", "metadata_server");
            return FORBIDDEN;
        }
        StubResponse identity = probe ? null : identity(context, path);
        if (identity != null) {
            context.trace().annotate("stubbed", identity.status() == 200 ? "identity_endpoint" : "metadata_server");
            return identity;
        }
        StubResponse token = probe || !accessTokens ? null : token(path);
        context.trace().annotate("stubbed", token == null ? "metadata_server" : "oauth2_token_endpoint");
        return token != null ? token : probe ? text("computeMetadata/\n") : entry(path, isRecursive(context));
    }

    private static @Nullable StubResponse token(String path) {
        return path.startsWith(ACCOUNTS + "/") && path.endsWith("/token") && rest(path).length == 2
                ? METADATA_TOKEN
                : null;
    }

    /** A placeholder for an ID token, which is asked for with an audience. */
    private @Nullable StubResponse identity(RequestContext context, String path) {
        if (!path.startsWith(ACCOUNTS + "/") || !path.endsWith("/identity")) {
            return null;
        }
        String[] rest = rest(path);
        if (rest.length != 2 || (!rest[0].equals("default") && !rest[0].equals(email()))) {
            return null;
        }
        String audience = "";
        for (String pair : context.head().query().split("&", -1)) {
            if (pair.startsWith("audience=")) {
                audience = decoded(pair.substring("audience=".length()));
            }
        }
        return audience.isEmpty()
                ? plain(400, "non-empty audience parameter required\n")
                        .header(FLAVOR, GOOGLE)
                        .build()
                : StubResponse.status(200)
                        .header("Content-Type", "text/html")
                        .header(FLAVOR, GOOGLE)
                        .body(IdentityPlaceholder.of(audience, email(), clock.instant()))
                        .build();
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static boolean isRecursive(RequestContext context) {
        return Arrays.stream(context.head().query().split("&", -1))
                .anyMatch(pair -> pair.toLowerCase(Locale.ROOT).equals("recursive=true"));
    }

    /** The path segments after the common prefix of all accounts. */
    private static String[] rest(String path) {
        String rest = path.substring(ACCOUNTS.length());
        String trimmed = rest.startsWith("/") ? rest.substring(1) : rest;
        return trimmed.isEmpty() ? new String[0] : trimmed.split("/");
    }

    private StubResponse entry(String path, boolean recursive) {
        if (path.equals(ACCOUNTS) || path.startsWith(ACCOUNTS + "/")) {
            return accounts(rest(path), recursive);
        }
        return switch (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) {
            case ROOT -> text("instance/\nproject/\nuniverse/\n");
            case ROOT + "/instance" -> text("service-accounts/\n");
            case ROOT + "/project" -> text("project-id\n");
            case ROOT + "/project/project-id" -> text(project());
            case ROOT + "/universe/universe-domain" -> text("googleapis.com");
            default -> NOT_FOUND;
        };
    }

    private StubResponse accounts(String[] rest, boolean recursive) {
        String email = email();
        if (rest.length == 0) {
            return recursive ? json(all(email)) : text("default/\n" + email + "/\n");
        }
        if (!rest[0].equals("default") && !rest[0].equals(email)) {
            return NOT_FOUND;
        }
        if (rest.length == 1) {
            return recursive
                    ? json(one(email))
                    : text(
                            accessTokens
                                    ? "aliases\nemail\nidentity\nscopes\ntoken\n"
                                    : "aliases\nemail\nidentity\nscopes\n");
        }
        return switch (rest.length == 2 ? rest[1] : "") {
            case "aliases" -> text("default\n");
            case "email" -> text(email);
            case "scopes" -> text(SCOPE + "\n");
            default -> NOT_FOUND;
        };
    }

    private static JsonObject all(String email) {
        JsonObject accounts = new JsonObject();
        accounts.add("default", one(email));
        accounts.add(email, one(email));
        return accounts;
    }

    private static JsonObject one(String email) {
        JsonArray aliases = new JsonArray();
        aliases.add("default");
        JsonArray scopes = new JsonArray();
        scopes.add(SCOPE);
        JsonObject one = new JsonObject();
        one.add("aliases", aliases);
        one.addProperty("email", email);
        one.add("scopes", scopes);
        return one;
    }

    private String email() {
        String email = account.identity().email();
        return email == null ? STUB_EMAIL : email;
    }

    private String project() {
        String project = account.identity().project();
        return project == null ? STUB_PROJECT : project;
    }

    private static StubResponse.Builder plain(int status, String body) {
        return StubResponse.status(status)
                .header("Content-Type", "application/text")
                .body(body);
    }

    private static StubResponse text(String body) {
        return plain(200, body).header(FLAVOR, GOOGLE).build();
    }

    private static StubResponse json(JsonObject body) {
        return StubResponse.status(200)
                .header("Content-Type", "application/json")
                .header(FLAVOR, GOOGLE)
                .body(body.toString())
                .build();
    }

    @Override
    public String toString() {
        return "CloudStubs[]";
    }
}
