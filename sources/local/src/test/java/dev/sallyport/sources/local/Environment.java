package dev.sallyport.sources.local;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;

/** What sources are lent: an environment, and nothing else that they would need. */
record Environment(Map<String, String> variables) implements SourceContext {

    @Override
    public String type() {
        return "env";
    }

    @Override
    public String environment(String variable) {
        return variables.get(variable);
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public HttpCaller http() {
        return call -> {
            throw new AssertionError("no calls expected");
        };
    }

    @Override
    public <T> T keep(Record key, Supplier<T> maker) {
        throw new AssertionError("nothing to keep expected");
    }
}
