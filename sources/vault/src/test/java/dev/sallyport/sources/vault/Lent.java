package dev.sallyport.sources.vault;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;

/** What sources are lent: an environment, and a client for calls. */
record Lent(String type, Map<String, String> variables, HttpCaller http) implements SourceContext {

    /** Without a client. */
    static Lent of(Map<String, String> variables) {
        return new Lent("vault", variables, call -> {
            throw new AssertionError("no calls expected");
        });
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
    public <T> T keep(Record key, Supplier<T> maker) {
        throw new AssertionError("nothing to keep expected");
    }
}
