package dev.sallyport.control.api;

import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.ProxyIdentity;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.RouteMatch;
import io.micronaut.web.router.Router;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What every request passes: rates, the key, the media type. {@link AnswerFields} stands before it. */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class RequestGate {

    /** The attribute that holds the caller. */
    static final String CALLER = "sallyport.caller";

    /** The attribute that holds the proxy. */
    static final String PROXY = "sallyport.proxy";

    private static final String API = "/v1";
    private static final String BEARER = "bearer ";
    private static final int SHOWN = 100;

    private final ApiKeys keys;
    private final RateLimits rates;
    private final Router router;
    private final Proxies proxies;
    private final Admission admission;

    RequestGate(ApiKeys keys, RateLimits rates, Router router, Proxies proxies, Admission admission) {
        this.keys = keys;
        this.rates = rates;
        this.router = router;
        this.proxies = proxies;
        this.admission = admission;
    }

    @RequestFilter
    @ExecuteOn(ApiThreads.NAME)
    void before(HttpRequest<?> request) {
        String path = request.getPath();
        if (path.equals("/healthz") || path.equals("/readyz")) {
            return;
        }
        RouteMatch<?> route = RouteAttributes.getRouteMatch(request).orElse(null);
        if (!isApi(path)) {
            rates.address(request, Requests.remoteAddress(request));
            refuseLarge(request);
            if (route != null && request.getMethod() == HttpMethod.POST) {
                refuseUnknownLength(request);
            }
            return;
        }
        authenticate(request, route);
        if (route != null && takesBody(route)) {
            refuseOtherTypes(request);
            if (is(route, "small")) {
                refuseLarge(request);
            }
            if (request.getContentLength() > BodyBinder.MOST_BYTES) {
                throw Errors.refusal(413); // the framework would ask for it first, and refuse it then
            }
        }
    }

    /** Before it is read; one without Content-Length is refused after it was. */
    private static void refuseLarge(HttpRequest<?> request) {
        if (request.getContentLength() > Bodies.SMALL) {
            throw Bodies.tooLarge();
        }
    }

    /** A form is bound as it is read: nobody could refuse one that is too large after that. */
    private static void refuseUnknownLength(HttpRequest<?> request) {
        if (request.getContentLength() < 0) {
            throw Refusal.of(
                    411,
                    "length_required",
                    "a form whose length is not known before (expected: Content-Length, and no content coding)");
        }
    }

    static boolean isApi(String path) {
        return path.equals(API) || path.startsWith(API + "/");
    }

    private void authenticate(HttpRequest<?> request, @Nullable RouteMatch<?> route) {
        String address = Requests.remoteAddress(request);
        if (route != null && is(route, "proxy")) {
            authenticateProxy(request, address, isStream(route));
            return;
        }
        RouteMatch<?> open = open(request, route);
        if (open != null) {
            Operation.Rate rate = rate(open);
            if (rate == Operation.Rate.POLL) {
                rates.poll(request, address);
            } else {
                rates.address(request, address);
            }
            if (rate == Operation.Rate.SIGN_UP && route != null) {
                rates.signUp(request, address);
            }
            return;
        }
        Caller caller;
        try {
            caller = keys.authenticate(bearer(request), address);
        } catch (Refusal refusal) {
            rates.address(request, address);
            throw refusal;
        }
        rates.key(request, String.valueOf(caller.apiKeyId()));
        request.setAttribute(CALLER, caller);
    }

    /** The route when it needs no key, or one to another method that needs none: then the answer is 405, or of OPTIONS. */
    private @Nullable RouteMatch<?> open(HttpRequest<?> request, @Nullable RouteMatch<?> route) {
        if (route != null) {
            return is(route, "open") ? route : null;
        }
        for (RouteMatch<?> match : router.findAny(request)) {
            if (is(match, "open")) {
                return match;
            }
        }
        return null;
    }

    private static Operation.Rate rate(RouteMatch<?> route) {
        return route.getAnnotationMetadata()
                .enumValue(Operation.class, "rate", Operation.Rate.class)
                .orElse(Operation.Rate.ADDRESS);
    }

    private static boolean isStream(RouteMatch<?> route) {
        return route.getAnnotationMetadata()
                .stringValue(Operation.class, "media")
                .filter(MediaType.TEXT_EVENT_STREAM::equals)
                .isPresent();
    }

    private static boolean is(RouteMatch<?> route, String member) {
        return route.getAnnotationMetadata()
                .booleanValue(Operation.class, member)
                .orElse(false);
    }

    /** Only whoever has a token takes a place of those that connect. */
    private void authenticateProxy(HttpRequest<?> request, String address, boolean connects) {
        ProxyIdentity proxy;
        try {
            proxy = proxies.authenticate(bearer(request));
        } catch (Refusal refusal) {
            rates.address(request, address);
            throw refusal;
        }
        rates.key(request, proxy.id());
        if (connects) {
            admission.enter(proxy);
        }
        request.setAttribute(PROXY, proxy);
    }

    private static String bearer(HttpRequest<?> request) {
        String value = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
        if (value == null || !value.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            throw Refusal.unauthorized("no API key (expected: Authorization: Bearer KEY)");
        }
        return value.substring(BEARER.length()).strip();
    }

    private static boolean takesBody(RouteMatch<?> route) {
        return route.getAnnotationMetadata()
                .classValue(Operation.class, "body")
                .filter(type -> type != Void.class)
                .isPresent();
    }

    /** No Content-Type is JSON. */
    private static void refuseOtherTypes(HttpRequest<?> request) {
        // That of a body that is decompressed has been taken away.
        String coding = request.getHeaders().get(HttpHeaders.CONTENT_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase("identity")) {
            throw Refusal.of(
                    415, "unsupported_media_type", "content coding " + shown(coding) + " (expected: gzip, or none)");
        }
        String header = request.getHeaders().get(HttpHeaders.CONTENT_TYPE);
        if (header != null && !isJson(header)) {
            throw Refusal.of(
                    415,
                    "unsupported_media_type",
                    "media type " + shown(header) + " (expected: application/json in UTF-8)");
        }
    }

    /** What came, so that it is found again; not all of a long one. */
    private static String shown(String value) {
        return value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...";
    }

    static boolean isJson(String contentType) {
        String[] parts = contentType.split(";", -1);
        String type = parts[0].strip().toLowerCase(Locale.ROOT);
        if (!type.equals("application/json") && !(type.startsWith("application/") && type.endsWith("+json"))) {
            return false;
        }
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("charset=")
                    && !isUtf8(parameter.substring("charset=".length()).replace("\"", ""))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUtf8(String name) {
        try {
            return Charset.forName(name).equals(StandardCharsets.UTF_8);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return false;
        }
    }
}
