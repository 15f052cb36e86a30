package dev.sallyport.core.explain;

import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a transform is made with, except that the environment notes which variables are missing, or has a value that
 * stands in for each of those.
 */
final class ExplainBuildContext implements BuildContext {

    private static final String STAND_IN = "stand-in";

    private final BuildContext of;
    private final boolean standIns;
    private final Set<String> missing;

    ExplainBuildContext(BuildContext of) {
        this(of, false, new TreeSet<>());
    }

    private ExplainBuildContext(BuildContext of, boolean standIns, Set<String> missing) {
        this.of = of;
        this.standIns = standIns;
        this.missing = missing;
    }

    /** The variables that were asked for and are not set, or empty. */
    Set<String> missing() {
        return missing;
    }

    ExplainBuildContext withStandIns() {
        return new ExplainBuildContext(of, true, missing);
    }

    @Override
    public @Nullable String environment(String variable) {
        String value = of.environment(variable);
        if (value != null && !value.isEmpty()) {
            return value;
        }
        missing.add(variable);
        return standIns ? STAND_IN : value;
    }

    @Override
    public void onSecretChange(Runnable task) {
        of.onSecretChange(task);
    }

    @Override
    public String instanceName() {
        return of.instanceName();
    }

    @Override
    public Clock clock() {
        return of.clock();
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return of.scheduler();
    }

    @Override
    public Secret secret(SecretRef reference) throws ConfigException {
        return of.secret(reference);
    }

    @Override
    public Set<String> placeholders() {
        return of.placeholders();
    }

    @Override
    public RuleSet rules(List<Rule> rules) throws ConfigException {
        return of.rules(rules);
    }

    @Override
    public void warn(String pointer, String message) {
        of.warn(pointer, message);
    }

    @Override
    public boolean mayCallOut() {
        return of.mayCallOut();
    }

    @Override
    public HttpCaller http() {
        return of.http();
    }

    @Override
    public Connector connector() {
        return of.connector();
    }

    @Override
    public AddressResolver resolver() {
        return of.resolver();
    }

    @Override
    public Meters meters() {
        return of.meters();
    }

    @Override
    public long maxBodyBytes(Direction direction) {
        return of.maxBodyBytes(direction);
    }

    @Override
    public <T extends AutoCloseable> T own(T resource) {
        return of.own(resource);
    }

    @Override
    public <T> T keep(Record key, Supplier<T> maker) {
        return of.keep(key, maker);
    }
}
