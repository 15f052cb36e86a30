package dev.sallyport.server.management;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the route for the head of a request, if the key opens it. Immutable. */
final class Routes implements RouteChooser {

    private final @Nullable BearerKey key;

    /** By path and method. */
    private final Map<String, Map<String, Route>> paths = new HashMap<>();

    /**
     * The outcome; exactly one of the two.
     *
     * @param route the route that answers, or null
     * @param refusal why none does, or null
     */
    record Choice(@Nullable Route route, @Nullable ApiException refusal) {}

    /** @param key null when whoever chooses has been let in before */
    Routes(List<Route> all, @Nullable BearerKey key) {
        this.key = key;
        for (Route route : all) {
            Map<String, Route> methods = paths.computeIfAbsent(route.path(), path -> new TreeMap<>());
            if (methods.put(route.method(), route) != null) {
                throw new IllegalArgumentException(
                        "two routes for " + route.method() + " " + route.path() + " (expected: one)");
            }
        }
    }

    static ApiException notFound() {
        return new ApiException(404, "not_found", "there is no such resource");
    }

    @Override
    public Choice choose(HttpRequest head) {
        String uri = head.uri();
        int end = uri.indexOf('?');
        Map<String, Route> methods = paths.getOrDefault(end < 0 ? uri : uri.substring(0, end), Map.of());
        boolean open = !methods.isEmpty() && methods.values().stream().allMatch(Route::isOpen);
        if (!open && !isOpenedBy(head.headers())) {
            return refused(new ApiException(
                    401,
                    "unauthorized",
                    "the key is missing or wrong (expected: Authorization: Bearer KEY)",
                    Map.of(HttpHeaderNames.WWW_AUTHENTICATE.toString(), "Bearer")));
        }
        if (methods.isEmpty()) {
            return refused(notFound());
        }
        boolean isHead = head.method().equals(HttpMethod.HEAD);
        Route route = methods.get(isHead ? "GET" : head.method().name());
        return route == null ? refused(wrongMethod(methods)) : new Choice(route, null);
    }

    private boolean isOpenedBy(HttpHeaders headers) {
        if (key == null) {
            return true;
        }
        List<String> shown = headers.getAll(HttpHeaderNames.AUTHORIZATION);
        return shown.size() == 1 && key.opens(shown.getFirst());
    }

    private static ApiException wrongMethod(Map<String, Route> methods) {
        TreeSet<String> allowed = new TreeSet<>(methods.keySet());
        if (allowed.contains("GET")) {
            allowed.add("HEAD");
        }
        String allow = String.join(", ", allowed);
        return new ApiException(
                405,
                "method_not_allowed",
                "not a method of this resource (expected: " + allow + ")",
                Map.of(HttpHeaderNames.ALLOW.toString(), allow));
    }

    private static Choice refused(ApiException why) {
        return new Choice(null, why);
    }
}
