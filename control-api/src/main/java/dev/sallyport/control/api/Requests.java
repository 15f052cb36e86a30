package dev.sallyport.control.api;

import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.UriRouteInfo;

/** Parts of requests. */
public final class Requests {

    /** The attribute that {@link AnswerFields} sets. */
    static final String ADDRESS = "sallyport.address";

    /** In routes: an identifier, of any characters, so that one that is malformed is unknown. */
    static final String ANY = ":[^/]+}";

    private Requests() {}

    /** The template of a route, with its variables by name alone. */
    static String template(UriRouteInfo<?, ?> route) {
        return route.getUriMatchTemplate().toString().replace(ANY, "}");
    }

    /** The address of the client; see {@link ClientAddresses}. */
    public static String remoteAddress(HttpRequest<?> request) {
        return request.getAttribute(ADDRESS, String.class).orElseThrow();
    }
}
