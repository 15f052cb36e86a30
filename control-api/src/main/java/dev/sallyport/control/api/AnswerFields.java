package dev.sallyport.control.api;

import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.web.router.RouteAttributes;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Header fields of every answer, and the meters. The outermost filter: it sees the refusals of the others. */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Order(Ordered.HIGHEST_PRECEDENCE)
final class AnswerFields {

    private static final String REFERRER_POLICY = "Referrer-Policy";

    /** What no answer is without. */
    static final Map<String, String> PROTECTION =
            Map.of("X-Content-Type-Options", "nosniff", REFERRER_POLICY, "no-referrer");

    private final RateLimits rates;
    private final RequestMeters meters;
    private final Deployment deployment;
    private final ClientAddresses addresses;

    AnswerFields(RateLimits rates, RequestMeters meters, Deployment deployment, ClientAddresses addresses) {
        this.rates = rates;
        this.meters = meters;
        this.deployment = deployment;
        this.addresses = addresses;
    }

    @RequestFilter
    void before(HttpRequest<?> request) {
        meters.begin(request);
        request.setAttribute(Requests.ADDRESS, addresses.of(request));
    }

    @ResponseFilter
    void after(HttpRequest<?> request, MutableHttpResponse<?> response) {
        if (response.getHeaders().contains(HttpHeaders.ALLOW)) {
            allowOptions(response);
        }
        boolean unknown = response.code() == 405
                || (response.code() == 404 && request.getPath().equals("*"));
        if (request.getMethod() == HttpMethod.OPTIONS && unknown) {
            response.status(204).body(null);
            response.getHeaders().remove(HttpHeaders.CONTENT_TYPE);
        }
        if (isWithoutEffect(response)) {
            rates.giveBackSignUp(request);
        }
        rates.describe(request, response);
        protect(response, RequestGate.isApi(request.getPath()));
        if (deployment.secure()) {
            response.header("Strict-Transport-Security", "max-age=31536000");
        }
        tellLength(request, response);
        meters.end(request, RouteAttributes.getRouteMatch(request).orElse(null), response.code());
    }

    /** The framework names methods that have a route. */
    private static void allowOptions(MutableHttpResponse<?> response) {
        String routes = String.join(", ", response.getHeaders().getAll(HttpHeaders.ALLOW));
        response.getHeaders().remove(HttpHeaders.ALLOW);
        response.header(HttpHeaders.ALLOW, routes + ", OPTIONS");
    }

    /** Refused before there was anything to find out or to make, or told a second time. */
    private static boolean isWithoutEffect(MutableHttpResponse<?> response) {
        int status = response.code();
        return response.getHeaders().contains(Headers.IDEMPOTENT_REPLAYED)
                || (status >= 400 && status < 500 && status != 409);
    }

    /** The answer to HEAD has the length that the one to GET would have; without it, the connection would end there. */
    static void tellLength(HttpRequest<?> request, MutableHttpResponse<?> response) {
        if (request.getMethod() != HttpMethod.HEAD) {
            return;
        }
        Object body =
                RouteAttributes.getHeadBody(response).orElse(response.body()); // of routes it is taken away before
        if (body instanceof String text) {
            body = text.getBytes(StandardCharsets.UTF_8);
        }
        if (body instanceof byte[] bytes) {
            response.header(HttpHeaders.CONTENT_LENGTH, String.valueOf(bytes.length));
        }
    }

    /** Adds what no answer is without, one to a request that no filter saw included. */
    static void protect(MutableHttpResponse<?> response, boolean fresh) {
        PROTECTION.forEach((name, value) -> {
            if (!response.getHeaders().contains(name)) {
                response.header(name, value);
            }
        });
        if (fresh && !response.getHeaders().contains(HttpHeaders.CACHE_CONTROL)) {
            response.header(HttpHeaders.CACHE_CONTROL, "no-store");
        }
    }
}
