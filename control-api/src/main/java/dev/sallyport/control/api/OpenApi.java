package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.model.Json;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The OpenAPI 3.1 document, made from the routes that are served and the records that bodies are bound to. Made once, when
 * somebody asks. Thread-safe.
 */
@Singleton
public final class OpenApi {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern VARIABLE = Pattern.compile("\\{([a-z_]+)}");

    private final Router router;
    private final Deployment deployment;
    private volatile byte @Nullable [] json;

    public OpenApi(Router router, Deployment deployment) {
        this.router = router;
        this.deployment = deployment;
    }

    /** The document. */
    public byte[] json() {
        byte[] made = json;
        if (made == null) {
            made = Json.bytes(document());
            json = made;
        }
        return made.clone();
    }

    /** A described route. */
    private record Route(String path, String method, Operation operation) {}

    private List<Route> routes() {
        return router.uriRoutes()
                .filter(route -> route.getHttpMethod() != HttpMethod.HEAD)
                .map(OpenApi::route)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(Route::path).thenComparing(Route::method))
                .toList();
    }

    private static Optional<Route> route(UriRouteInfo<?, ?> route) {
        Operation operation = route.getTargetMethod().getTargetMethod().getAnnotation(Operation.class);
        return operation == null
                ? Optional.empty()
                : Optional.of(new Route(
                        Requests.template(route), route.getHttpMethod().name().toLowerCase(Locale.ROOT), operation));
    }

    private ObjectNode document() {
        OpenApiSchemas schemas = new OpenApiSchemas();
        ObjectNode paths = JSON.objectNode();
        for (Route route : routes()) {
            paths.withObjectProperty(route.path()).set(route.method(), operation(route, schemas));
        }
        ObjectNode document = JSON.objectNode();
        document.put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "Sallyport control API")
                .put("version", deployment.version())
                .put("description", "Policies, accounts and keys. Times are UTC with milliseconds.");
        document.putArray("servers").addObject().put("url", "/");
        document.putArray("security").addObject().putArray("key");
        document.set("paths", paths);
        ObjectNode components = document.putObject("components");
        components.set("schemas", schemas.all());
        ObjectNode schemes = components.putObject("securitySchemes");
        schemes.putObject("key").put("type", "http").put("scheme", "bearer");
        schemes.putObject("proxy")
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "The token of a proxy.");
        return document;
    }

    private static ObjectNode operation(Route route, OpenApiSchemas schemas) {
        Operation about = route.operation();
        ObjectNode operation = JSON.objectNode();
        operation.put("summary", about.summary());
        operation.put(
                "operationId",
                route.method() + route.path().replaceAll("[^A-Za-z0-9]+", "_").replaceAll("_$", ""));
        operation.putArray("tags").add(about.tag());
        if (about.open()) {
            operation.putArray("security");
        } else if (about.proxy()) {
            operation.putArray("security").addObject().putArray("proxy");
        }
        ArrayNode parameters = parameters(route, schemas);
        if (!parameters.isEmpty()) {
            operation.set("parameters", parameters);
        }
        if (about.body() != Void.class) {
            ObjectNode body = operation.putObject("requestBody").put("required", !about.bodyOptional());
            body.putObject("content").putObject("application/json").set("schema", schemas.input(about.body()));
        }
        operation.set("responses", responses(route, schemas));
        return operation;
    }

    private static ArrayNode parameters(Route route, OpenApiSchemas schemas) {
        ArrayNode parameters = JSON.arrayNode();
        Matcher variables = VARIABLE.matcher(route.path());
        while (variables.find()) {
            parameters
                    .addObject()
                    .put("name", variables.group(1))
                    .put("in", "path")
                    .put("required", true)
                    .putObject("schema")
                    .put("type", "string");
        }
        Operation about = route.operation();
        for (Class<?> query : queries(about)) {
            Shape.of(query)
                    .fields()
                    .values()
                    .forEach(field -> parameters
                            .addObject()
                            .put("name", field.key())
                            .put("in", "query")
                            .put("required", !field.nullable())
                            .set("schema", schemas.parameter(field)));
        }
        if (isRepeatable(route)) {
            header(
                    parameters,
                    Headers.IDEMPOTENCY_KEY,
                    "The same key and body within 24 hours give the same answer, unless it was a 409, a 429 or a failure.");
        }
        if (about.conditional()) {
            header(parameters, Headers.IF_MATCH, "The ETag that the policy must have.");
        }
        return parameters;
    }

    /** The records of its query. */
    private static List<Class<?>> queries(Operation about) {
        List<Class<?>> queries = new ArrayList<>();
        if (about.query() != Void.class) {
            queries.add(about.query());
        }
        if (AppliedWaits.isFor(about)) {
            queries.add(AppliedWaits.Query.class);
        }
        return queries;
    }

    /** Whether it reads {@code Idempotency-Key}. What proxies send is the same as often as they send it. */
    private static boolean isRepeatable(Route route) {
        Operation about = route.operation();
        boolean keyed = about.body() != Void.class || about.repeatable();
        return route.method().equals("post") && keyed && !about.proxy() && !about.asks();
    }

    private static void header(ArrayNode parameters, String name, String description) {
        parameters
                .addObject()
                .put("name", name)
                .put("in", "header")
                .put("required", false)
                .put("description", description)
                .putObject("schema")
                .put("type", "string");
    }

    private static ObjectNode responses(Route route, OpenApiSchemas schemas) {
        Operation about = route.operation();
        ObjectNode responses = JSON.objectNode();
        ObjectNode success = responses.putObject(String.valueOf(about.status()));
        success.put("description", about.status() == 204 ? "Done." : "The answer.");
        ObjectNode headers = headers(success);
        if (about.changes()) {
            header(headers, Headers.REVISION, "The order number of the change.");
        }
        if (AppliedWaits.isFor(about)) {
            header(headers, Headers.APPLIED, "With wait=applied: whether the change is in force.");
            headers.withObjectProperty(Headers.APPLIED).put("required", false);
        }
        if (about.tagged()) {
            header(headers, Headers.ETAG, "The version of the policy.");
        }
        if (about.status() != 204) {
            success.putObject("content").putObject(about.media()).set("schema", answer(about, schemas));
        }
        errors(route).forEach((status, codes) -> {
            ObjectNode response = responses.putObject(String.valueOf(status));
            response.put("description", "Code " + String.join(" or ", codes) + ".");
            ObjectNode fields = status == 414 || status == 431 ? JSON.objectNode() : headers(response);
            if (status == 429 || status == 503) {
                header(fields, Headers.RETRY_AFTER, "Seconds to wait.");
            }
            if (status == 401) {
                header(fields, Headers.WWW_AUTHENTICATE, "Bearer.");
            }
            response.putObject("content")
                    .putObject("application/json")
                    .set("schema", schemas.error(codes, status == 422));
        });
        return responses;
    }

    private static ObjectNode headers(ObjectNode response) {
        ObjectNode headers = response.putObject("headers");
        header(headers, Headers.RATE_LIMIT, "How many requests at once.");
        header(headers, Headers.RATE_REMAINING, "How many of them are left.");
        header(headers, Headers.RATE_RESET, "Seconds until all are there again.");
        return headers;
    }

    private static void header(ObjectNode headers, String name, String description) {
        headers.putObject(name)
                .put("description", description)
                .putObject("schema")
                .put("type", "string");
    }

    private static ObjectNode answer(Operation about, OpenApiSchemas schemas) {
        if (!about.media().equals("application/json")) {
            return JSON.objectNode().put("type", "string");
        }
        if (about.answer() == Void.class) {
            return JSON.objectNode().put("type", "object");
        }
        ObjectNode one = schemas.output(about.answer());
        if (about.form() == Operation.Form.BARE) {
            return one;
        }
        ObjectNode wrapped = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ArrayNode required = wrapped.putArray("required").add("data");
        ObjectNode properties = wrapped.putObject("properties");
        if (about.form() == Operation.Form.DATA) {
            properties.set("data", one);
            return wrapped;
        }
        required.add("has_more").add("cursor");
        properties.putObject("data").put("type", "array").set("items", one);
        properties.putObject("has_more").put("type", "boolean");
        properties.putObject("cursor").putArray("type").add("string").add("null");
        return wrapped;
    }

    /** The codes of errors, by status. */
    private static Map<Integer, Set<String>> errors(Route route) {
        Operation about = route.operation();
        List<String> all = new ArrayList<>(Arrays.asList(about.errors()));
        all.addAll(List.of("400 bad_request", "414 uri_too_long", "429 rate_limited"));
        all.addAll(List.of("431 header_fields_too_large", "500 internal_error", "503 overloaded"));
        if (!about.open()) {
            all.add("401 unauthorized");
        }
        if (!queries(about).isEmpty()) {
            all.add("422 validation_error");
        }
        if (about.body() != Void.class) {
            all.addAll(List.of("413 payload_too_large", "415 unsupported_media_type", "422 validation_error"));
        }
        if (about.conditional()) {
            all.add("412 precondition_failed");
        }
        if (isRepeatable(route)) {
            all.addAll(List.of("409 idempotency_in_progress", Operation.QUOTA, "422 idempotency_key_reused"));
        }
        Map<Integer, Set<String>> byStatus = new TreeMap<>();
        for (String error : all) {
            int space = error.indexOf(' ');
            byStatus.computeIfAbsent(Integer.parseInt(error.substring(0, space)), any -> new TreeSet<>())
                    .add(error.substring(space + 1));
        }
        return byStatus;
    }
}
