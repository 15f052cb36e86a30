package dev.sallyport.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals that this process handles: SIGTERM and SIGINT stop it, SIGHUP reloads. A second SIGTERM or SIGINT ends it
 * at once, without draining. One instance per process.
 *
 * <p>Only {@code sun.misc.Signal} can handle SIGHUP and exit with 0 after SIGTERM. It is called through reflection
 * because javac's warning about it cannot be suppressed.
 */
public final class Signals {

    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int KILLED = 128;

    private final BlockingQueue<Wish> wishes = new LinkedBlockingQueue<>();
    private final AtomicInteger stops = new AtomicInteger();

    /** The request that a signal makes. */
    public enum Wish {
        /** Read the configuration again. */
        RELOAD,
        /** Drain and end. */
        STOP
    }

    private Signals() {}

    /** Takes over the signals of this process. */
    public static Signals install() {
        Signals signals = new Signals();
        on("TERM", signals::stop);
        on("INT", signals::stop);
        on("HUP", number -> signals.wish(Wish.RELOAD));
        return signals;
    }

    /** Waits for the next one. */
    public Wish next() throws InterruptedException {
        return wishes.take();
    }

    /** Acts as if a signal had come; never blocks. */
    public void wish(Wish wish) {
        wishes.add(wish);
    }

    private void stop(int number) {
        if (stops.getAndIncrement() > 0) {
            LOG.warn("stopping at once: running exchanges are aborted");
            Runtime.getRuntime().halt(KILLED + number);
        }
        wish(Wish.STOP);
    }

    /**
     * Calls this for each signal of this name, instead of what the JVM would do; nothing happens where there is no such
     * signal.
     */
    public static void on(String name, Reaction reaction) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = (int) signalType.getMethod("getNumber").invoke(signal);
            Object handler = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(),
                    new Class<?>[] {handlerType},
                    (self, method, arguments) -> called(method.getName(), name, number, reaction));
            signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
        } catch (InvocationTargetException e) {
            // The JVM was started with -Xrs, or the system lacks this signal: the default action stays.
            LOG.debug("no SIG{}: {}", name, String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException e) {
            LOG.debug("this JVM does not handle signals: {}", e.toString());
        }
    }

    private static @Nullable Object called(String method, String signal, int number, Reaction reaction) {
        return switch (method) {
            case "handle" -> {
                reaction.to(number);
                yield null;
            }
            case "hashCode" -> number;
            case "equals" -> false;
            default -> "SIG" + signal;
        };
    }

    /** Called on a thread of the JVM. */
    @FunctionalInterface
    public interface Reaction {

        /** The signal has come. */
        void to(int number);
    }
}
