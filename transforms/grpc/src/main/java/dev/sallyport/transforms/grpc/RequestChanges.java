package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.match.PathProblem;
import dev.sallyport.toolkit.match.Paths;
import dev.sallyport.transform.v1.HttpRequest;
import java.util.ArrayList;
import java.util.List;

/** The changes that one answer makes to the head of a request. */
final class RequestChanges {

    private final HttpRequest shown;
    private final Fields fields;
    private final Edits.Builder edits = Edits.builder();
    private final List<String> ignored = new ArrayList<>();
    private boolean hostIgnored;

    RequestChanges(HttpRequest shown, Fields fields) {
        this.shown = shown;
        this.fields = fields;
    }

    Edits.Builder edits() {
        return edits;
    }

    /** Collects all changes except the body; returns the changed head. */
    HttpRequest take(HttpRequest wanted) throws InvalidAnswerException {
        HttpRequest.Builder now = shown.toBuilder();
        String method = wanted.getMethod();
        if (!method.isEmpty() && !method.equals(shown.getMethod())) {
            if (!FieldSyntax.isToken(method) || method.equals("CONNECT")) {
                throw new InvalidAnswerException("method: not a valid request method");
            }
            edits.setMethod(method);
            now.setMethod(method);
        }
        if (!wanted.getUrl().isEmpty() && !wanted.getUrl().equals(shown.getUrl())) {
            url(wanted.getUrl());
            now.setUrl(wanted.getUrl());
        }
        hostIgnored = !wanted.getHost().isEmpty() && !wanted.getHost().equalsIgnoreCase(shown.getHost());
        now.clearHeaders().putAllHeaders(fields.change(wanted.getHeadersMap(), edits, ignored));
        return now.build();
    }

    /** Where credentials are masked in path or query, the unchanged parts keep their real value. */
    private void url(String url) throws InvalidAnswerException {
        if (!url.startsWith("/")) {
            throw new InvalidAnswerException("url: not a path and query (expected: one that begins with /)");
        }
        if (!FieldSyntax.isTargetText(url, "#")) {
            throw new InvalidAnswerException("url: holds a space, fragment, control or wide character");
        }
        if (Paths.check(path(url)) != PathProblem.NONE) {
            throw new InvalidAnswerException("url: the path is ambiguous");
        }
        if (!path(url).equals(path(shown.getUrl()))) {
            edits.setPath(path(url));
        }
        if (!query(url).equals(query(shown.getUrl()))) {
            edits.setQuery(query(url));
        }
    }

    private static String path(String url) {
        int mark = url.indexOf('?');
        return mark < 0 ? url : url.substring(0, mark);
    }

    private static String query(String url) {
        int mark = url.indexOf('?');
        return mark < 0 ? "" : url.substring(mark + 1);
    }

    /** Records in the audit record what was left out. */
    void note(Trace trace) {
        if (hostIgnored) {
            trace.annotate("host_ignored", true);
        }
        if (!ignored.isEmpty()) {
            trace.annotate("headers_ignored", List.copyOf(ignored));
        }
    }
}
