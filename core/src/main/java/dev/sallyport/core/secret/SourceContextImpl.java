package dev.sallyport.core.secret;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What secret sources are lent. Shows none of the variables. */
public final class SourceContextImpl implements SourceContext {

    private final Map<String, String> variables;
    private final Clock clock;
    private final HttpCaller http;

    /** @param variables the environment of the proxy */
    public SourceContextImpl(Map<String, String> variables, Clock clock, HttpCaller http) {
        this.variables = Map.copyOf(variables);
        this.clock = clock;
        this.http = http;
    }

    @Override
    public @Nullable String environment(String variable) {
        return variables.get(variable);
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public HttpCaller http() {
        return http;
    }
}
