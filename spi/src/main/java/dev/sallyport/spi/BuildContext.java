package dev.sallyport.spi;

import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services that the engine provides to a transform during and after its creation. Implemented by the engine and the
 * test kit. Thread-safe.
 */
public interface BuildContext {

    /** The instance's name in audit records and messages, such as {@code secrets}. */
    String instanceName();

    /** The clock to use. */
    Clock clock();

    /** For timers. Tasks must not block; hand blocking work to a thread of your own. */
    ScheduledExecutorService scheduler();

    /**
     * The value behind a reference of the configuration: resolved now, refreshed as configured. May block.
     *
     * @throws ConfigException when it cannot be resolved and the reference is not optional
     */
    Secret secret(SecretRef reference) throws ConfigException;

    /**
     * Runs a task whenever the value of one of the instance's secrets has been replaced or deleted, for as long as the
     * instance lives: for transforms that keep what they derive from a value, so that it goes with the value. On any
     * thread, after {@link Secret} shows the change; must not block.
     */
    default void onSecretChange(Runnable task) {}

    /** The value of an environment variable of the proxy process, or null. Plug-ins do not ask the JVM themselves. */
    @Nullable String environment(String variable);

    /**
     * The placeholders that the transforms of this pipeline swap, this one's included: they may be disclosed, because
     * they are worthless elsewhere. Known only to transforms that declare {@link Effect#DISCLOSES_CONTENT}; empty for
     * others. In no order.
     */
    Set<String> placeholders();

    /**
     * Compiles rules. An empty list compiles to a set that matches nothing. For a transform that {@linkplain
     * Capabilities#restricts() restricts} they match a path in its loosest reading too.
     */
    RuleSet rules(List<Rule> rules) throws ConfigException;

    /**
     * Warns the operator, in the log, that something may not work as intended. May be called later too.
     *
     * @param pointer JSON pointer (RFC 6901) relative to the plug-in's {@code config}
     * @param message what to expect; never a secret
     */
    void warn(String pointer, String message);

    /**
     * Whether the instance may contact anything while it is made, and by itself afterwards. False where requests are
     * only explained ({@code sallyport explain}): a transform that cannot do without, because it asks a service for its
     * credentials when it is made, then throws a {@link ConfigException}, and what it would decide is reported as
     * unknown. Steps of a transform that declares {@link Effect#CALLS_OUT} are not run there, and {@link #http()} and
     * {@link #resolver()} fail, so most transforms need not ask.
     */
    default boolean mayCallOut() {
        return true;
    }

    /** Makes requests of the operator's own: they use the configured resolver and are not subject to the dial guard. */
    HttpCaller http();

    /** Finds addresses for connections of the operator's own, which {@link #http()} cannot make. */
    AddressResolver resolver();

    /** Opens such connections, through the parent proxy where one is configured. */
    Connector connector();

    /** The plug-in's counters and timers. */
    Meters meters();

    /** How much of a body in this direction may be buffered, in bytes; {@link Long#MAX_VALUE} for no limit. */
    long maxBodyBytes(Direction direction);

    /** Registers an object that the engine closes after the transform itself, in reverse order. */
    <T extends AutoCloseable> T own(T resource);

    /**
     * State that survives a reload: the value made by {@code maker} for an equal key is shared by overlapping pipeline
     * generations and closed, when it is {@link AutoCloseable}, with the last of them.
     */
    <T> T keep(Record key, Supplier<T> maker);
}
