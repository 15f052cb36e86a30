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
 * The signals that this process obeys: SIGTERM and SIGINT stop it, SIGHUP reloads. A second SIGTERM or SIGINT ends it at
 * once, without draining. One instance a process.
 *
 * <p>{@code sun.misc.Signal} is the only way to hear of SIGHUP and to exit with 0 after SIGTERM. It is called through
 * reflection because javac warns of it in a way that cannot be switched off.
 */
public final class Signals {

    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int KILLED = 128;

    private final BlockingQueue<Wish> wishes = new LinkedBlockingQueue<>();
    private final AtomicInteger stops = new AtomicInteger();

    /** What a signal asks for. */
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
        signals.on("TERM", signals::stop);
        signals.on("INT", signals::stop);
        signals.on("HUP", number -> signals.wish(Wish.RELOAD));
        return signals;
    }

    /** Waits for the next one. */
    public Wish next() throws InterruptedException {
        return wishes.take();
    }

    /** Asks as a signal would; never blocks. */
    public void wish(Wish wish) {
        wishes.add(wish);
    }

    private void stop(int number) {
        if (stops.getAndIncrement() > 0) {
            LOG.warn("stopping at once: exchanges under way are cut off");
            Runtime.getRuntime().halt(KILLED + number);
        }
        wish(Wish.STOP);
    }

    private void on(String name, Reaction reaction) {
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
            // A JVM started with -Xrs, or a system without this signal: what the system does by itself stays.
            LOG.debug("no SIG{}: {}", name, String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException e) {
            LOG.debug("no signals in this JVM: {}", e.toString());
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

    /** Called on a thread of the JVM's own. */
    @FunctionalInterface
    private interface Reaction {
        void to(int number);
    }
}
