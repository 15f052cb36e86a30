package dev.sallyport.testkit;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions about the outcome of a request. */
public final class ExchangeAssert extends AbstractAssert<ExchangeAssert, ExchangeResult> {

    private ExchangeAssert(ExchangeResult actual) {
        super(actual, ExchangeAssert.class);
    }

    /** Starts an assertion. */
    public static ExchangeAssert assertThat(ExchangeResult actual) {
        return new ExchangeAssert(actual);
    }

    /** The request reached the upstream, complete. */
    public ExchangeAssert isForwarded() {
        isNotNull();
        ForwardedRequest forwarded = actual.forwarded();
        if (forwarded == null || !forwarded.complete()) {
            failWithMessage("expected a complete forwarded request but was: %s", actual);
        }
        return this;
    }

    /** The client got a problem document, and the upstream got no complete request. */
    public ExchangeAssert isRefused(int status, String code) {
        isNotNull();
        ForwardedRequest forwarded = actual.forwarded();
        if (forwarded != null && forwarded.complete()) {
            failWithMessage("expected a refusal, but the request was forwarded: %s", actual);
        }
        if (actual.status() != status || !actual.code().equals(code)) {
            failWithMessage("expected %s %s but was: %s %s", status, code, actual.status(), actual);
        }
        return this;
    }

    /** The upstream got exactly these values under a name, in order. */
    public ExchangeAssert hasForwardedHeader(String name, String... values) {
        List<String> all = actual.sent().headers().all(name);
        if (!all.equals(List.of(values))) {
            failWithMessage("expected header %s to be %s but was %s", name, List.of(values), all);
        }
        return this;
    }

    /** The upstream got this path and query. */
    public ExchangeAssert hasForwardedTarget(String target) {
        return equal("target", target, actual.sent().target());
    }

    /** The upstream got this body. */
    public ExchangeAssert hasForwardedBody(String body) {
        return equal("body", body, actual.sent().body());
    }

    /** The client got this status. */
    public ExchangeAssert hasStatus(int status) {
        return equal("status", status, actual.status());
    }

    /** A transform annotated this while it handled the request; null asserts that it did not. */
    public ExchangeAssert hasAnnotation(String transform, String key, @Nullable Object value) {
        return equal("annotation " + key, value, actual.annotations(transform).get(key));
    }

    /** A transform annotated nothing while it handled the request. */
    public ExchangeAssert hasNoAnnotations(String transform) {
        return equal("annotations", Map.of(), actual.annotations(transform));
    }

    /** Neither the audit record nor the client's response contains a secret. */
    public ExchangeAssert doesNotShow(String secret) {
        boolean shown = actual.auditLine().contains(secret)
                || actual.body().contains(secret)
                || actual.headers().toString().contains(secret);
        return equal("shown to client or audit", false, shown);
    }

    private ExchangeAssert equal(String what, @Nullable Object expected, @Nullable Object is) {
        if (!Objects.equals(expected, is)) {
            failWithMessage("expected %s to be <%s> but was <%s>", what, expected, is);
        }
        return this;
    }
}
