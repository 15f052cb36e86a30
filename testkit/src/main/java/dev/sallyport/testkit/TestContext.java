package dev.sallyport.testkit;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Trace;
import dev.sallyport.spi.Visibility;
import java.time.Duration;
import java.util.Map;

/**
 * A request as one transform sees it, for tests and benchmarks that call a transform directly: it allocates nothing
 * itself, and takes annotations without keeping them. To test a transform's behaviour, use {@link TransformHarness}.
 */
public final class TestContext implements RequestContext {

    private static final Trace NO_TRACE = new Trace() {
        @Override
        public void annotate(String key, Object value) {}

        @Override
        public void group(String name, Map<String, ?> fields) {}

        @Override
        public boolean reserve(int bytes) {
            return true;
        }

        @Override
        public void warn() {}
    };

    private final Destination destination;
    private final Visibility visibility;
    private final Connection connection;
    private final RequestMessage head;

    private TestContext(TestRequest request) {
        destination = request.destination();
        visibility = request.visibility();
        connection = TransformHarness.connection(request.destination(), request.principal());
        head = new RequestMessage(
                request.method(),
                request.path(),
                request.query(),
                request.headers().block(),
                request.length());
    }

    /** The context of a request whose body has not been read. */
    public static TestContext of(TestRequest request) {
        return new TestContext(request);
    }

    @Override
    public String exchangeId() {
        return "test";
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    @Override
    public Visibility visibility() {
        return visibility;
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public Body body() {
        throw new IllegalStateException("the body has not been read (expected: Decision.read first)");
    }

    @Override
    public Trace trace() {
        return NO_TRACE;
    }

    @Override
    public Duration remaining() {
        return Duration.ofSeconds(10);
    }
}
