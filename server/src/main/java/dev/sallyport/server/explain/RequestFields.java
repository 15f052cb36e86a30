package dev.sallyport.server.explain;

import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the fields of a request to be explained, as a command line or JSON gives them. Not thread-safe. */
public final class RequestFields {

    private final List<InvalidRequestException.Problem> problems;
    private ExplainRequest.Builder request = ExplainRequest.builder("", "");

    /** No fields yet. */
    public RequestFields() {
        this(List.of());
    }

    /** @param problems those that were found before */
    RequestFields(List<InvalidRequestException.Problem> problems) {
        this.problems = new ArrayList<>(problems);
    }

    /** Method and URL; first of all. */
    public void method(String method, String url) {
        request = ExplainRequest.builder(method, url);
    }

    /** One header line; text beyond ASCII is sent in UTF-8, as clients do. */
    public void header(String name, String value) {
        request.header(name, new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    /** The body. */
    public void body(byte[] bytes) {
        request.body(bytes);
    }

    /** Who sends it; each empty for nobody in particular. */
    public void sender(String workload, String user, String address) {
        request.workload(workload).user(user);
        if (!address.isEmpty()) {
            InetAddress source = address(address);
            if (source == null) {
                problems.add(new InvalidRequestException.Problem(
                        "source_address", "not an address (expected: one such as 192.0.2.1 or 2001:db8::1)"));
            } else {
                request.source(source, 0);
            }
        }
    }

    /** Whether somebody may be asked. */
    public void live(boolean ask) {
        request.live(ask);
    }

    /**
     * The request.
     *
     * @throws InvalidRequestException with everything that is wrong
     */
    public ExplainRequest build() throws InvalidRequestException {
        if (problems.isEmpty()) {
            return request.build();
        }
        throw new InvalidRequestException(problems);
    }

    private static @Nullable InetAddress address(String text) {
        try {
            Destination literal = Destinations.parse(text, 1, false);
            return literal.address();
        } catch (InvalidHostException e) {
            return null;
        }
    }
}
