package dev.sallyport.control.web;

import dev.sallyport.control.account.AccountSettings;
import dev.sallyport.control.account.DeviceCodes;
import dev.sallyport.control.account.KnownBrowsers;
import dev.sallyport.control.account.Session;
import dev.sallyport.control.account.Sessions;
import dev.sallyport.control.account.SignedIn;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.api.ApiThreads;
import dev.sallyport.control.api.Deployment;
import dev.sallyport.control.api.Requests;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Refusal;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.cookie.Cookie;
import io.micronaut.http.cookie.SameSite;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The page on which a user approves a device: sign in, see the code, approve or refuse. Forms of other sites are refused:
 * a session's forms carry its CSRF token, and the form that begins a session must come from this origin.
 */
@Controller("/device")
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class DeviceController {

    private static final String TITLE = "Approve a device";

    /** The cookie of a session. */
    private static final String SESSION = "sallyport";

    /** The cookie of a browser in which somebody has signed in. */
    private static final String KNOWN = "sallyport-known";

    /** As long as browsers keep a cookie at most (RFC 6265bis, 5.5). */
    private static final Duration REMEMBERED = Duration.ofDays(400);

    private final DeviceCodes codes;
    private final Users users;
    private final Sessions sessions;
    private final KnownBrowsers browsers;
    private final Deployment deployment;
    private final AccountSettings settings;

    DeviceController(
            DeviceCodes codes,
            Users users,
            Sessions sessions,
            KnownBrowsers browsers,
            Deployment deployment,
            AccountSettings settings) {
        this.codes = codes;
        this.users = users;
        this.sessions = sessions;
        this.browsers = browsers;
        this.deployment = deployment;
        this.settings = settings;
    }

    @Get
    HttpResponse<?> show(HttpRequest<?> request, @QueryValue(value = "code", defaultValue = "") String typed) {
        String code = code(typed);
        Optional<Session> session = session(request);
        if (session.isEmpty()) {
            return signInForm(200, code, "", "");
        }
        if (code.isEmpty()) {
            return Html.page(
                    200,
                    TITLE,
                    "<form method=\"get\" action=\"/device\"><label>Code that the device shows <input name=\"code\" required></label><button>Continue</button></form>");
        }
        if (!codes.isPending(code)) {
            return Html.page(
                    404,
                    TITLE,
                    "<p>This code has expired, was used before, or never was one. Ask the device for a new one.</p>");
        }
        return decisionForm(code, session.get());
    }

    /** As the device shows it, however it was typed. */
    private static String code(String typed) {
        return typed.strip().toLowerCase(Locale.ROOT);
    }

    private static MutableHttpResponse<?> signInForm(int status, String code, String email, String problem) {
        return Html.page(
                status,
                TITLE,
                (problem.isEmpty() ? "" : "<p class=\"problem\" role=\"alert\">" + Html.escape(problem) + "</p>")
                        + "<p>Sign in to give a device access to your account.</p>"
                        + "<form method=\"post\" action=\"/device/sign-in\"><input type=\"hidden\" name=\"code\" value=\""
                        + Html.escape(code)
                        + "\"><label>E-mail address <input type=\"email\" name=\"email\" value=\""
                        + Html.escape(email)
                        + "\" autocomplete=\"username\" required></label>"
                        + "<label>Password <input type=\"password\" name=\"password\" autocomplete=\"current-password\" required></label>"
                        + "<button>Sign in</button></form>");
    }

    private HttpResponse<?> decisionForm(String code, Session session) {
        return Html.page(
                200,
                TITLE,
                "<p>A device asks for a key to the account of <strong>"
                        + Html.escape(users.user(session.caller()).email())
                        + "</strong>. Approve only if it shows this code:</p><p class=\"code\"><code>"
                        + Html.escape(code)
                        + "</code></p><form method=\"post\" action=\"/device/decide\"><input type=\"hidden\" name=\"code\" value=\""
                        + Html.escape(code) + "\"><input type=\"hidden\" name=\"csrf\" value=\""
                        + Html.escape(session.csrf())
                        + "\"><button name=\"decision\" value=\"approve\">Approve</button><button name=\"decision\" value=\"refuse\">Refuse</button></form>");
    }

    @Post("/sign-in")
    @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
    HttpResponse<?> signIn(HttpRequest<?> request, @Body Map<String, String> form) {
        if (!isSameOrigin(request)) {
            return foreign();
        }
        String code = code(form.getOrDefault("code", ""));
        String email = form.getOrDefault("email", "");
        SignedIn signedIn;
        String session;
        try {
            String mark = cookie(request, KNOWN).orElse("");
            signedIn = users.signIn(
                    email,
                    form.getOrDefault("password", ""),
                    Requests.remoteAddress(request),
                    browsers.identifier(mark, email));
            session = sessions.begin(signedIn);
        } catch (Refusal refusal) {
            return withRetryAfter(refusal, signInForm(refusal.status(), code, email, refusal.text()));
        }
        // A new token at each sign-in: one that somebody planted before is worth nothing.
        token(request).ifPresent(sessions::end);
        return HttpResponse.seeOther(URI.create("/device?code=" + (isCode(code) ? code : "")))
                .cookie(cookie(SESSION, session, Sessions.LIFE))
                .cookie(cookie(KNOWN, browsers.mark(email, signedIn), REMEMBERED))
                .header("Cache-Control", "no-store");
    }

    private Cookie cookie(String name, String value, Duration life) {
        return Cookie.of(cookieName(name), value)
                .path("/")
                .httpOnly(true)
                .secure(deployment.secure())
                .sameSite(SameSite.Lax)
                .maxAge(life);
    }

    @Post("/decide")
    @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
    HttpResponse<?> decide(HttpRequest<?> request, @Body Map<String, String> form) {
        Optional<Session> session = session(request);
        String code = code(form.getOrDefault("code", ""));
        if (session.isEmpty()) {
            return signInForm(401, code, "", "Your session has ended.");
        }
        if (!isSameOrigin(request) || !Tokens.equal(session.get().csrf(), form.getOrDefault("csrf", ""))) {
            return foreign();
        }
        try {
            return switch (form.getOrDefault("decision", "")) {
                case "approve" -> {
                    codes.approve(session.get().caller(), code);
                    yield Html.page(200, "Device approved", "<p>The device has its key. You can close this page.</p>");
                }
                case "refuse" -> {
                    codes.refuse(session.get().caller(), code);
                    yield Html.page(200, "Device refused", "<p>The device gets nothing. You can close this page.</p>");
                }
                default -> throw Refusal.invalid("decision", "neither of the two (expected: approve or refuse)");
            };
        } catch (Refusal refusal) {
            return withRetryAfter(
                    refusal, Html.page(refusal.status(), TITLE, "<p>" + Html.escape(refusal.text()) + "</p>"));
        }
    }

    private static HttpResponse<?> withRetryAfter(Refusal refusal, MutableHttpResponse<?> page) {
        String retryAfter = refusal.retryAfter();
        return retryAfter == null ? page : page.header("Retry-After", retryAfter);
    }

    private static HttpResponse<?> foreign() {
        return Html.page(403, TITLE, "<p>This form does not come from this site, or is too old. Begin again.</p>");
    }

    /** Browsers send Origin with every form that is posted. A proxy in front may change Host. */
    private boolean isSameOrigin(HttpRequest<?> request) {
        String origin = request.getHeaders().get("Origin");
        String host = request.getHeaders().get("Host");
        return origin == null
                || (host != null && (origin.equals("http://" + host) || origin.equals("https://" + host)))
                || origin.equals(originOf(URI.create(settings.baseUrl().get())));
    }

    /** As browsers write it (RFC 6454, 6.2): without the port of the scheme. */
    private static String originOf(URI site) {
        String scheme = site.getScheme().toLowerCase(Locale.ROOT);
        int port = site.getPort();
        boolean usual = port < 0 || port == (scheme.equals("https") ? 443 : 80);
        return scheme + "://" + site.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + port);
    }

    private static boolean isCode(String text) {
        return text.matches("[0-9a-z]{1,64}");
    }

    private Optional<Session> session(HttpRequest<?> request) {
        return token(request).flatMap(token -> sessions.find(token, Requests.remoteAddress(request)));
    }

    private Optional<String> token(HttpRequest<?> request) {
        return cookie(request, SESSION);
    }

    private Optional<String> cookie(HttpRequest<?> request, String name) {
        @Nullable Cookie cookie = request.getCookies().get(cookieName(name));
        return Optional.ofNullable(cookie).map(Cookie::getValue);
    }

    /** The prefix binds the cookie to this host and to TLS (RFC 6265bis, 4.1.3). */
    private String cookieName(String name) {
        return deployment.secure() ? "__Host-" + name : name;
    }
}
